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


_THREADS = {Scope.THREAD: 1, Scope.WARP: WARP_LANES, Scope.WARPGROUP: 4 * WARP_LANES}
