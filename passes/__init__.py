"""The passes, one file each; the file name is the flag of ``dlc-opt`` with underscores."""
