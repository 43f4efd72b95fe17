"""The numbers of a schedule of a contraction on a GPU, and what follows from them."""

from dataclasses import dataclass

from dlc.arch.fragments import WARP_LANES
from dlc.core.task_map import TaskMap, repeat, spatial
from dlc.dialects.loop._accumulator import FMA, instruction_sizes
from dlc.dialects.loop._attributes import ScheduleAttr
from dlc.errors import CompileError

FMA_LANES = (8, 4)
"""The lanes of a warp as a grid: neighbours read neighbouring lines of shared memory, which are in
different banks."""


@dataclass(frozen=True)
class Tiling:
    """A schedule's numbers: the tile, its warps, the slices in flight and the parts of the sum."""

    m: int
    n: int
    depth: int
    warps_m: int
    warps_n: int
    instruction: str
    stages: int
    split: int
    order: str

    @staticmethod
    def of(schedule: ScheduleAttr) -> "Tiling":
        """Read a schedule."""
        return Tiling(
            *schedule.get("tile", (64, 64, 32)),
            *schedule.get("warps", (2, 2)),
            schedule.get("instruction", FMA),
            schedule.get("stages", 1),
            schedule.get("split", 1),
            schedule.get("order", "row"),
        )

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.warps_m * self.warps_n * WARP_LANES

    @property
    def least(self) -> tuple[int, int, int]:
        """The least m, n and k that a warp computes; raises KeyError without such instruction."""
        return (*FMA_LANES, 1) if self.instruction == FMA else instruction_sizes(self.instruction)

    @property
    def task_map(self) -> TaskMap:
        """Which warp (with ``fma`` which thread) has which parts of the accumulator."""
        m, n, _ = self.least
        warps = spatial(self.warps_m, self.warps_n)
        parts = repeat(self.m // self.warps_m // m, self.n // self.warps_n // n)
        return warps * parts * spatial(m, n) if self.instruction == FMA else warps * parts

    def check(self, at: str) -> None:
        """Raise CompileError at ``at`` when the instruction cannot make the tile."""
        try:
            least = self.least
        except KeyError:
            raise CompileError(f"there is no instruction {self.instruction!r}", at=at) from None
        part = self.m // self.warps_m, self.n // self.warps_n, self.depth
        if any(size % unit for size, unit in zip(part, least, strict=True)):
            sizes, units = (" x ".join(map(str, numbers)) for numbers in (part, least))
            raise CompileError(f"a warp's {sizes} does not divide into {units}", at=at)
