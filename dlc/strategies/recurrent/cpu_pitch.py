"""How far apart rows of states stand in memory on a CPU."""

from xdsl.ir import Attribute

from dlc.ir.tensor import element_bytes
from dlc.strategies.contract.cpu_tile import LINE_BYTES

_WAY_BYTES = 4096
"""Of the first-level cache: lines as far apart as that share a set."""


def pitch(units: int, type: Attribute) -> int:
    """Return the elements from one row of states to the next: a line more than their units where
    the rows of a tile would share the sets of the first-level cache.
    """
    bytes = element_bytes(type)
    return units if units * bytes % _WAY_BYTES else units + LINE_BYTES // bytes
