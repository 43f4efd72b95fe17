"""What a schedule of ``scan`` on a GPU holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlc.arch.fragments import WARP_LANES
from dlc.errors import CompileError
from dlc.model.violation import Resource
from dlc.strategies._key import size
from dlc.strategies._schedule import Schedule

MOST_ELEMENTS = 32
"""Of a chunk that a thread has: their sums are in registers."""


def rounds_of_chunk(vector: int) -> int:
    """Return the most lines of a thread in a chunk."""
    return max(1, MOST_ELEMENTS // vector)


@dataclass(frozen=True)
class ScanOnGpu(Schedule, strategy="scan", target="gpu"):
    """A team of warps has a row in registers, and combines what is before each of its threads.
    Along another axis than the last one, a thread does some neighbouring columns alone.
    """

    threads: int = size(
        "threads that share a row, or each with columns of its own: a multiple of 32"
    )
    rows: int = size("rows per block; 1 for columns", default=1)
    vector: int = size(
        "neighbouring elements that a thread takes at a time: of a row, or columns, whose number "
        "this divides then",
        default=1,
        most=16,
    )

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {
            Resource.THREADS: "lower threads or rows",
            Resource.REGISTERS: "lower threads or rows",
        }

    @property
    def block_threads(self) -> int:
        """The threads of a block."""
        return self.threads * self.rows

    @property
    def stage_threads(self) -> int:
        return self.block_threads

    def check(self) -> None:
        if self.threads % WARP_LANES:
            raise CompileError(
                f"threads = {self.threads} are no whole warps; take a multiple of {WARP_LANES}"
            )
