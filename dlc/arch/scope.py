"""Groups of threads that hardware knows."""

from enum import IntEnum, auto

from dlc.arch.fragments import WARP_LANES


class Scope(IntEnum):
    """A group of threads of a launch, from small to large; each holds those before it."""

    THREAD = auto()
    WARP = auto()
    WARPGROUP = auto()
    BLOCK = auto()
    CLUSTER = auto()
    GRID = auto()

    @property
    def threads(self) -> int:
        """How many threads these are; raises KeyError for a scope whose size a launch decides."""
        return _THREADS[self]


BLOCK_THREADS = 1024
"""The most threads of a block (CUDA C++ Programming Guide, "Technical Specifications per Compute
Capability": the same on every chip).
"""
CLUSTER_BLOCKS = (2, 4, 8)
"""How many blocks make a cluster: powers of two, up to the most that every chip with clusters takes
(CUDA C++ Programming Guide, "Thread Block Clusters").
"""
_THREADS = {Scope.THREAD: 1, Scope.WARP: WARP_LANES, Scope.WARPGROUP: 4 * WARP_LANES}
