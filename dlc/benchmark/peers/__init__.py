"""The peers, one file each, which defines ``PEER``; its name is that of the file."""
