"""Kernels of mapped loops as programs of threads: ``loop`` to ``gpu``."""
