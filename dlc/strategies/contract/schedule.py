"""The schedules of contractions: how the result is cut into tiles, and who makes them."""

import re
from dataclasses import dataclass

from dlc.arch.fragments import MATRIX_INSTRUCTIONS, WARP_LANES
from dlc.dialects.loop.accumulator import FMA, instruction_sizes
from dlc.errors import CompileError
from dlc.strategies._key import LARGEST, Key, choice, flag, key_field, size, sizes
from dlc.strategies._schedule import Schedule

FMA_LANES = (8, 4)
"""The lanes of a warp as a grid: neighbours read neighbouring lines of shared memory, which are in
different banks."""

INSTRUCTIONS = (FMA, *(f"mma.{name}" for name in MATRIX_INSTRUCTIONS))
"""What can multiply and add."""

_ROW = "row"
_GROUPED = re.compile(r"grouped<([1-9][0-9]{0,5})>")

_ORDER = Key(
    '`"row"` or `"grouped<8>"`: blocks of 8 tile rows (or another number) run together, so that '
    "they share the rhs in L2",
    '"row" or "grouped<8>", of any number of rows',
    lambda value: value == _ROW or (isinstance(value, str) and bool(_GROUPED.fullmatch(value))),
)


@dataclass(frozen=True)
class ContractOnGpu(Schedule, strategy="contract", target="gpu"):
    """A block makes a tile of the result; slices of the factors go through shared memory."""

    tile: tuple[int, int, int] = sizes(
        "`[m, n, k]`: the block's tile of the result and the depth of one staged slice", 3
    )
    warps: tuple[int, int] = sizes("`[m, n]`: the warps of the block as a grid over the tile", 2)
    instruction: str = choice(
        '`"mma.m16n8k16"` (f16, bf16), `"mma.m16n8k8"` (f32 as tf32) or `"fma"` (any type; the '
        "lanes of a warp are an 8 x 4 grid over its part of the tile)",
        INSTRUCTIONS,
    )
    stages: int = size(
        "slices in shared memory at a time: 1 no overlap, 2 double buffering, from 3 on with "
        "asynchronous copies",
        default=1,
        most=16,
    )
    split: int = size(
        "parts of the reduction, each in its own block; partial sums go to scratch in the compute "
        "type and the last block to arrive adds them in order",
        default=1,
        most=1024,
    )
    order: str = key_field(_ORDER, _ROW)

    @staticmethod
    def order_of(grouped: int) -> str:
        """Return the order in which so many tile rows run together, 0 for row by row."""
        return f"grouped<{grouped}>" if grouped else _ROW

    @property
    def grouped(self) -> int:
        """The tile rows that run together; 0 where tiles run row by row."""
        match = _GROUPED.fullmatch(self.order)
        return int(match[1]) if match else 0

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.warps[0] * self.warps[1] * WARP_LANES

    @property
    def blocks_per_tile(self) -> int:
        return self.split

    @property
    def thrift(self) -> tuple[int, ...]:
        """Shared memory (other kernels' blocks may need it), then the wider tile, fewer warps,
        fewer parts.
        """
        m, n, depth = self.tile
        return self.stages * (m + n) * depth, -n, self.threads, self.split

    @property
    def least(self) -> tuple[int, int, int]:
        """The least m, n and k that a warp computes."""
        return (*FMA_LANES, 1) if self.instruction == FMA else instruction_sizes(self.instruction)

    def check(self) -> None:
        (m, n, depth), (warps_m, warps_n) = self.tile, self.warps
        if m % warps_m or n % warps_n:
            raise CompileError(f"tile {m} x {n} does not divide into {warps_m} x {warps_n} warps")
        part = m // warps_m, n // warps_n, depth
        if any(size % unit for size, unit in zip(part, self.least, strict=True)):
            each, units = (" x ".join(map(str, numbers)) for numbers in (part, self.least))
            raise CompileError(f"a warp's {each} does not divide into {units}")


_LANES = Key(
    "elements of a SIMD register; `nr` is a multiple",
    "2, 4, 8, 16, 32 or 64",
    lambda value: type(value) is int and value in (2, 4, 8, 16, 32, 64),
)


@dataclass(frozen=True)
class ContractOnCpu(Schedule, strategy="contract", target="cpu"):
    """A core makes a tile of the result in its SIMD registers."""

    tile: tuple[int, int] = sizes(
        "`[mr, nr]`: the register tile of the micro-kernel", 2, most=LARGEST
    )
    lanes: int = key_field(_LANES)
    cores: bool = flag("whether tiles are spread over several cores", False)

    def check(self) -> None:
        if self.tile[1] % self.lanes:
            raise CompileError(
                f"tile columns {self.tile[1]} are no multiple of the {self.lanes} lanes"
            )
