"""Strategies: the ways to make a kernel of a cluster, one file or folder each.

A strategy is there by its file, which defines ``STRATEGY``; its name is that of the file. The
schedule spaces are fixed lists that do not depend on sizes (Hidet); a schedule that does not divide
the sizes has predicated tails. What exceeds the chip's limits is dropped, and the estimate of the
model ranks the rest.
"""

from dlc.strategies._choice import accepting, bound, choose, read, read_record
from dlc.strategies._lower import lower_group
from dlc.strategies._rated import Rated
from dlc.strategies._registry import by_name, names
from dlc.strategies._schedule import Schedule
from dlc.strategies._strategy import Strategy

__all__ = [
    "Rated",
    "Schedule",
    "Strategy",
    "accepting",
    "bound",
    "by_name",
    "choose",
    "lower_group",
    "names",
    "read",
    "read_record",
]
