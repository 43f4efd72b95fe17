"""The kinds of single operations, one file each, which defines ``KIND``; its name is the file's."""
