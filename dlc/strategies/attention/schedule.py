"""What a schedule of ``attention`` holds."""

from dataclasses import dataclass

from dlc.arch.fragments import WARP_LANES
from dlc.errors import CompileError
from dlc.strategies._key import choice, flag, size
from dlc.strategies._schedule import Schedule

INSTRUCTION = "mma.m16n8k16"
PART_ROWS = 16
"""Of an instruction."""

PART_KEYS = 16
"""Keys that one product of the weights takes."""


@dataclass(frozen=True)
class AttentionOnGpu(Schedule, strategy="attention", target="gpu"):
    """A block has some rows of queries, and goes through the keys step by step; scores and weights
    stay in registers.
    """

    block_keys = "rows, step or stages"

    rows: int = size("rows of queries of a block: a multiple of 16 for each warp")
    step: int = size("keys of a step: a multiple of 16")
    warps: int = size("warps of a block, below each other over its rows")
    instruction: str = choice("what multiplies and adds", (INSTRUCTION,), INSTRUCTION)
    stages: int = size("steps whose keys and values are in shared memory at a time", 2, most=8)
    exchange: bool = flag(
        "whether results go through shared memory, so that neighbouring threads store neighbours "
        "of a row",
        False,
    )

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.warps * WARP_LANES

    @property
    def thrift(self) -> tuple[int, ...]:
        return self.step * self.stages, self.warps, self.exchange

    def check(self) -> None:
        if self.rows % (PART_ROWS * self.warps):
            raise CompileError(
                f"rows = {self.rows} are no multiple of {PART_ROWS} for each of {self.warps} warps"
            )
        if self.step % PART_KEYS:
            raise CompileError(f"step = {self.step} are no multiple of {PART_KEYS}")
