"""The text backends, one file each: a ``Target`` whose name is the file name (``dlc-opt -t``)."""
