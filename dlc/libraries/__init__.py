"""Libraries: code of others that computes some groups, opened when a model is loaded.

A library is there by its file, which defines ``LIBRARY``, or by an entry point ``dlc.libraries`` of
another package. It says which clusters it computes, what that costs and how it is called. Its name
is a key of a schedule (``library = "openblas"``); the rest of that schedule is the kernel which
runs where the library is missing.
"""

from dlc.libraries._library import Function, Library, Place, Price
from dlc.libraries._registry import GROUP, brought, by_name, check_names, names, refresh

__all__ = [
    "GROUP",
    "Function",
    "Library",
    "Place",
    "Price",
    "brought",
    "by_name",
    "check_names",
    "names",
    "refresh",
]
