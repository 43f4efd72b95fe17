"""How threads of a block that do something together stand."""

from typing import NamedTuple

from dlc.arch.fragments import WARP_LANES


class Formation(NamedTuple):
    """Threads that run an iteration together: so many, ``apart`` from each other."""

    threads: int
    apart: int

    @property
    def lanes(self) -> int:
        """How many threads of a team are in a warp."""
        return min(self.threads, max(1, WARP_LANES // self.apart))

    @property
    def is_regular(self) -> bool:
        """Whether the threads of a team lie alike in all warps."""
        unit = self.apart % WARP_LANES if self.apart > WARP_LANES else WARP_LANES % self.apart
        return not unit and not self.threads % self.lanes and not WARP_LANES % self.lanes
