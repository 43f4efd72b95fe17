"""What a schedule of ``recurrent`` holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from dlc.arch.fragments import PANEL_ROWS, WARP_LANES
from dlc.errors import CompileError
from dlc.model.violation import Resource
from dlc.strategies._key import choice, count, size, sizes
from dlc.strategies._schedule import Schedule

FMA = "fma"
INSTRUCTIONS = ("mma.m16n8k16", "mma.m16n8k8", FMA)

_MOST_WARPS = 32


@dataclass(frozen=True)
class RecurrentOnGpu(Schedule, strategy="recurrent", target="gpu"):
    """All blocks run at the same time, each with the weights of some units in registers; in each
    step they give each other the states of the step before.
    """

    units: int = size(f"units of a block: a multiple of {PANEL_ROWS}")
    sequences: int = size("sequences of a block; divides their number")
    warps: tuple[int, int] = sizes(
        "`[m, k]`: the warps of the block as a grid over the rows of its weights and the reduction",
        2,
    )
    instruction: str = choice("what multiplies and adds", INSTRUCTIONS)
    shared_chunks: int = count(
        "of the chunks of the reduction that a warp has, those whose weights are in shared memory "
        "and not in registers"
    )
    pieces: int = size("pieces of 16 bytes of states that a thread asks for at a time", 16, most=32)

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {
            Resource.BLOCKS: "raise units or sequences",
            Resource.THREADS: "lower warps",
            Resource.REGISTERS: "lower units or sequences, or raise warps or shared_chunks",
            Resource.MEMORY: "lower units, sequences or shared_chunks",
        }

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return prod(self.warps) * WARP_LANES

    @property
    def is_fma(self) -> bool:
        """Whether each lane multiplies for itself."""
        return self.instruction == FMA

    @property
    def thrift(self) -> tuple[int, ...]:
        return self.units * self.sequences, *self.warps

    def check(self) -> None:
        if self.units % PANEL_ROWS:
            raise CompileError(f"units = {self.units} are no multiple of {PANEL_ROWS}")
        if prod(self.warps) > _MOST_WARPS:
            raise CompileError(
                f"warps = {list(self.warps)} are more than a block has, {_MOST_WARPS}"
            )
