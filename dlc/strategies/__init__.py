"""Strategies: the ways to make a kernel of a cluster, one file or folder each.

A schedule says how one kernel is made. The compiler writes one on every group: it lists the
schedules that a strategy has for the group, drops those that need more than the chip has, and takes
the one with the least estimate. ``dlc-compile --emit fused-group`` prints them, and the text
compiles again after you have changed one ([levels.md](levels.md)). ``dlc-run --explain`` prints
what was taken and what came next; ``--tune`` measures ([tuning.md](tuning.md)).

Change ``threads`` and ``vector`` first for ``map``, ``row`` and ``scan``; ``tile``, ``warps``,
``instruction`` and ``stages`` for ``contract``; ``rows``, ``step`` and ``warps`` for
``attention``; ``units``, ``sequences`` and ``warps`` for ``recurrent``. A key that you leave out
has its default. The key ``library`` names a library that computes the group where it is found
([libraries.md](libraries.md)), ``algorithm`` which of its algorithms; the rest is then the kernel
that runs where it is not. Values that do not fit each other or the chip are errors that say so.
Sizes that a schedule does not divide are fine: what is left over is guarded.

For developers: a strategy is there by its file, which defines ``STRATEGY``; its name is that of the
file. The lists of schedules are fixed and do not depend on sizes, as in Hidet.
"""

from dlc.strategies._choice import (
    able,
    accepting,
    beyond_limits,
    implementation,
    in_stages,
    rated,
    read,
    read_record,
    spans,
)
from dlc.strategies._implementation import AnyImplementation, Implementation, space_of
from dlc.strategies._lower import lower_group
from dlc.strategies._rated import Rated, Seconds, Space
from dlc.strategies._registry import by_name, names
from dlc.strategies._schedule import Schedule, target_of
from dlc.strategies._strategy import Stages, Strategy

__all__ = [
    "AnyImplementation",
    "Implementation",
    "Rated",
    "Schedule",
    "Seconds",
    "Space",
    "Stages",
    "Strategy",
    "able",
    "accepting",
    "beyond_limits",
    "by_name",
    "implementation",
    "in_stages",
    "lower_group",
    "names",
    "rated",
    "read",
    "read_record",
    "space_of",
    "spans",
    "target_of",
]
