"""A contraction that a schedule cuts: tiles for blocks, parts of tiles for warps, slices of k."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

from dlc.analysis.schedule._candidate import Record
from dlc.analysis.schedule._key import choice, size, sizes
from dlc.arch import GpuArch
from dlc.arch.fragments import MATRIX_INSTRUCTIONS, WARP_LANES
from dlc.errors import CompileError
from dlc.model.contraction import GROUPED_ROWS, Contraction, Tiles
from dlc.model.occupancy import BlockResources
from dlc.model.registers import registers
from dlc.model.upper_bound import KernelWork

ROW = "row"
GROUPED = f"grouped<{GROUPED_ROWS}>"
"""Orders of the tiles: row by row, or so many rows together."""

_FMA = "fma"
_INSTRUCTIONS = (_FMA, *(f"mma.{name}" for name in MATRIX_INSTRUCTIONS))

KEYS = (
    _TILE := sizes("tile", 3),
    _WARPS := sizes("warps", 2),
    _INSTRUCTION := choice("instruction", _INSTRUCTIONS),
    _STAGES := size("stages", 1, most=16),
    _SPLIT := size("split", 1, most=1024),
    _ORDER := choice("order", (ROW, GROUPED), ROW),
)
"""The keys of a schedule."""


@dataclass(frozen=True)
class Tiling:
    """``work`` in tiles of m x n, of which a step computes ``depth`` of the reduction.

    unit: a key of ``GpuArch.flops_per_clock_per_sm``; instruction_flops: of one warp's instruction.
    """

    work: Contraction
    m: int
    n: int
    depth: int
    warps_m: int
    warps_n: int
    split: int
    stages: int
    grouped: bool
    unit: str
    instruction_flops: int

    @staticmethod
    def of(work: Contraction, schedule: Record, arch: GpuArch) -> "Tiling":
        """Return the tiling of a schedule; raises CompileError for wrong keys."""
        m, n, depth = _TILE.of(schedule)
        warps_m, warps_n = _WARPS.of(schedule)
        split, stages = _SPLIT.of(schedule), _STAGES.of(schedule)
        grouped = _ORDER.of(schedule) != ROW
        unit = unit_of(work, _INSTRUCTION.of(schedule), arch)
        if m % warps_m or n % warps_n:
            raise CompileError(f"tile {m} x {n} does not divide into {warps_m} x {warps_n} warps")
        return Tiling(work, m, n, depth, warps_m, warps_n, split, stages, grouped, *unit)

    @property
    def warps(self) -> int:
        """The warps of a block."""
        return self.warps_m * self.warps_n

    @property
    def grid(self) -> tuple[int, int]:
        """The rows and columns of tiles in the result."""
        return ceil(self.work.m / self.m), ceil(self.work.n / self.n)

    @cached_property
    def blocks(self) -> int:
        """All blocks."""
        rows, columns = self.grid
        return rows * columns * self.work.batch * self.split

    @cached_property
    def steps(self) -> int:
        """The slices of one block."""
        return ceil(ceil(self.work.k / self.depth) / self.split)

    @cached_property
    def step_flops(self) -> float:
        """The operations of one block in one step."""
        return 2.0 * self.m * self.n * self.depth

    @cached_property
    def slice_bytes(self) -> int:
        """The factors' bytes that a block brings to shared memory for one step."""
        return (self.m + self.n) * self.depth * self.work.factor_bytes

    @cached_property
    def read_bytes(self) -> int:
        """The factors' bytes that the warps of a block read from shared memory in one step."""
        lines = self.m * self.warps_n + self.n * self.warps_m
        return lines * self.depth * self.work.factor_bytes

    @cached_property
    def block(self) -> BlockResources:
        """What a block occupies."""
        return BlockResources(
            self.warps * WARP_LANES,
            int(registers(self.tiles())[0]),
            self.stages * self.slice_bytes,
        )

    def kernel_work(self) -> KernelWork:
        """Return what all blocks do together."""
        issued = self.blocks * self.steps
        return KernelWork(
            unit=self.unit,
            flops=self.work.flops,
            issued_flops=issued * self.step_flops,
            global_bytes=self.work.global_bytes,
            l2_bytes=self._least_l2_bytes(),
            shared_bytes=issued * self.read_bytes,
            copies=0,
            blocks=self.blocks,
            block=self.block,
        )

    def _least_l2_bytes(self) -> float:
        """Return the least bytes that the SMs take in: every column of tiles needs the whole lhs,
        every row of tiles the whole rhs (asynchronous copies pass the first-level cache by).
        """
        rows, columns = self.grid
        rest = self.work.read_bytes + self.work.written_bytes
        return self.work.lhs_bytes * columns + self.work.rhs_bytes * rows + rest

    def tiles(self) -> Tiles:
        """Return the tiling as the model takes many."""
        return Tiles.of(self.work, self.unit, self.instruction_flops, [self.row])

    @property
    def row(self) -> tuple[int, int, int, int, int, int, int, bool]:
        """The numbers of the tiling in the order of ``Tiles``."""
        own = (self.m, self.n, self.depth, self.warps_m, self.warps_n, self.stages, self.split)
        return *own, self.grouped


def instruction_for(work: Contraction, arch: GpuArch) -> str:
    """Return the instruction of a contraction: a matrix instruction where the chip has one for the
    factors' type, else fused multiply-adds.
    """
    if f"mma.sync.{work.element}" not in arch.capabilities:
        return _FMA
    bits = 8 * work.factor_bytes
    return next(f"mma.{i.name}" for i in MATRIX_INSTRUCTIONS.values() if i.operand_bits == bits)


def unit_of(work: Contraction, instruction: str, arch: GpuArch) -> tuple[str, int]:
    """Return the unit that an instruction runs on and the operations of one warp's instruction."""
    if instruction == _FMA:
        compute = {"f64": "f64", "i32": "i32"}.get(work.element, "f32")
        return f"fma.{compute}", 2 * WARP_LANES
    if instruction != instruction_for(work, arch):
        raise CompileError(
            f"instruction {instruction!r} does not multiply {work.element} on {arch.target}; "
            f"use {instruction_for(work, arch)!r} or 'fma'"
        )
    matrix = MATRIX_INSTRUCTIONS[instruction.removeprefix("mma.")]
    return f"mma.{work.element}", matrix.flops
