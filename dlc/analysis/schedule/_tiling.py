"""A contraction that a schedule cuts: tiles for blocks, parts of tiles for warps, slices of k."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

from dlc.analysis.latency import TiledContraction
from dlc.analysis.occupancy import BlockResources, blocks_per_sm
from dlc.analysis.schedule._candidate import Record
from dlc.analysis.schedule._contract_work import ContractWork
from dlc.analysis.schedule._key import choice, size, sizes
from dlc.analysis.upper_bound import KernelWork
from dlc.arch import GpuArch
from dlc.arch.fragments import MATRIX_INSTRUCTIONS, WARP_LANES
from dlc.errors import CompileError

ROW, GROUPED_ROWS = "row", 8
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
    choice("order", (ROW, GROUPED), ROW),
)
"""The keys of a schedule."""

_WIDE_BYTES = 16
"""What a lane moves with one instruction."""

_FIXED_REGISTERS = 56
"""Addresses, loop counters and the epilogue, beside accumulators and fragments."""

_ADDRESS_INSTRUCTIONS = 24
"""Instructions of a warp per slice beside loads, copies and multiply-adds."""


@dataclass(frozen=True)
class Tiling:
    """``work`` in tiles of m x n, of which a step computes ``depth`` of the reduction.

    unit: a key of ``GpuArch.flops_per_clock_per_sm``; instruction_flops: of one warp's instruction.
    """

    work: ContractWork
    m: int
    n: int
    depth: int
    warps_m: int
    warps_n: int
    split: int
    stages: int
    unit: str
    instruction_flops: int

    @staticmethod
    def of(work: ContractWork, schedule: Record, arch: GpuArch) -> "Tiling":
        """Return the tiling of a schedule; raises CompileError for wrong keys."""
        m, n, depth = _TILE.of(schedule)
        warps_m, warps_n = _WARPS.of(schedule)
        split, stages = _SPLIT.of(schedule), _STAGES.of(schedule)
        unit = _unit(work, _INSTRUCTION.of(schedule), arch)
        if m % warps_m or n % warps_n:
            raise CompileError(f"tile {m} x {n} does not divide into {warps_m} x {warps_n} warps")
        return Tiling(work, m, n, depth, warps_m, warps_n, split, stages, *unit)

    @property
    def warps(self) -> int:
        """The warps of a block."""
        return self.warps_m * self.warps_n

    @property
    def warp_tile(self) -> tuple[int, int]:
        """The rows and columns of one warp."""
        return self.m // self.warps_m, self.n // self.warps_n

    @property
    def on_matrix_unit(self) -> bool:
        """Whether matrix instructions compute the product."""
        return self.unit.startswith("mma.")

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
            self.warps * WARP_LANES, self._registers(), self.stages * self.slice_bytes
        )

    def _registers(self) -> int:
        """Return the registers per thread: accumulators, two sets of fragments, and the rest."""
        rows, columns = self.warp_tile
        accumulators = rows * columns // WARP_LANES
        if self.on_matrix_unit:
            # 32 bytes of each row of the factors.
            fragments = 2 * (rows + columns) * 32 // (4 * WARP_LANES)
            return accumulators + fragments + _FIXED_REGISTERS
        words = self.work.compute_bytes // 4
        return words * (accumulators + rows // 8 + columns // 4) + _FIXED_REGISTERS

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
        return self.work.lhs_bytes * columns + self.work.rhs_bytes * rows + self.work.other_bytes

    def on_one_sm(self, arch: GpuArch) -> TiledContraction:
        """Return what an SM sees of the contraction."""
        work, points = self.work, self.m * self.n
        moved = (self.read_bytes + self.slice_bytes) / (_WIDE_BYTES * WARP_LANES)
        addresses = self.warps * _ADDRESS_INSTRUCTIONS
        return TiledContraction(
            blocks=self.blocks,
            resident=max(1, blocks_per_sm(self.block, arch)),
            steps=self.steps,
            split=self.split,
            stages=self.stages,
            flops=self.step_flops,
            factor_bytes=self.slice_bytes,
            shared_bytes=self.slice_bytes + self.read_bytes,
            instructions=self.step_flops / self.instruction_flops + moved + addresses,
            parallel=self._parallel(),
            tile_bytes=work.other_bytes * points / (work.batch * work.m * work.n),
            partial_bytes=points * work.compute_bytes,
        )

    def _parallel(self) -> float:
        """Return the fraction of an SM's peak that one block's independent accumulators keep busy.

        16 are needed: mma.sync has a latency of 25 clocks and issues every 6 on each of 4
        schedulers; a fused multiply-add has 4 clocks.
        """
        rows, columns = self.warp_tile
        accumulators = rows * columns // (16 * 8 if self.on_matrix_unit else WARP_LANES)
        return self.warps * min(accumulators, 4) / 16


def instruction_for(work: ContractWork, arch: GpuArch) -> str:
    """Return the instruction of a contraction: a matrix instruction where the chip has one for the
    factors' type, else fused multiply-adds.
    """
    if f"mma.sync.{work.element}" not in arch.capabilities:
        return _FMA
    bits = 8 * work.factor_bytes
    return next(f"mma.{i.name}" for i in MATRIX_INSTRUCTIONS.values() if i.operand_bits == bits)


def _unit(work: ContractWork, instruction: str, arch: GpuArch) -> tuple[str, int]:
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
