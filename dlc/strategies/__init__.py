"""Strategies: the ways to make a kernel of a cluster, one file or folder each.

A strategy is there by its file, which defines ``STRATEGY``; its name is that of the file. The
schedule spaces are fixed lists that do not depend on sizes (Hidet); a schedule that does not divide
the sizes has predicated tails. What exceeds the chip's limits is dropped, and the estimate of the
model ranks the rest.
"""

from dlc.strategies._choice import able, accepting, beyond_limits, rated, read, read_record, spans
from dlc.strategies._implementation import AnyImplementation, Implementation
from dlc.strategies._lower import lower_group
from dlc.strategies._rated import Rated, Seconds, Space
from dlc.strategies._registry import by_name, names
from dlc.strategies._schedule import Schedule
from dlc.strategies._strategy import Strategy

__all__ = [
    "AnyImplementation",
    "Implementation",
    "Rated",
    "Schedule",
    "Seconds",
    "Space",
    "Strategy",
    "able",
    "accepting",
    "beyond_limits",
    "by_name",
    "lower_group",
    "names",
    "rated",
    "read",
    "read_record",
    "spans",
]
