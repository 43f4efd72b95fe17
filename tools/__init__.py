"""The commands: ``dlc-opt``, ``dlc-compile`` and ``dlc-run``."""
