"""A contraction that a schedule cuts: tiles for blocks, parts of tiles for warps, slices of k."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, prod

from dlc.arch import GpuArch, instructions
from dlc.arch.instruction import Instruction
from dlc.errors import CompileError
from dlc.model.contraction import Contraction, Tiles
from dlc.model.occupancy import BlockResources
from dlc.model.registers import registers
from dlc.model.upper_bound import KernelWork
from dlc.strategies.contract.schedule import ContractOnGpu


@dataclass(frozen=True)
class Tiling:
    """``work`` in tiles of m x n, of which a step computes ``depth`` of the reduction."""

    work: Contraction
    schedule: ContractOnGpu
    instruction: Instruction

    @staticmethod
    def of(work: Contraction, schedule: ContractOnGpu, arch: GpuArch) -> "Tiling":
        """Return the tiling of a schedule; raises CompileError for an instruction that the chip
        has not for the work, and a key that needs what the chip has not.
        """
        schedule.check_chip(arch)
        instruction = instruction_named(schedule.instruction, work, arch)
        return Tiling(work.joined(schedule.groups), schedule, instruction)

    @property
    def grid(self) -> tuple[int, int]:
        """The rows and columns of tiles in the result."""
        m, n, _ = self.schedule.tile
        return ceil(self.work.m / m), ceil(self.work.n / n)

    @cached_property
    def blocks(self) -> int:
        """All blocks."""
        rows, columns = self.grid
        return rows * columns * self.work.batch * self.schedule.split

    @cached_property
    def steps(self) -> int:
        """The slices of one block."""
        return ceil(ceil(self.work.k / self.schedule.tile[2]) / self.schedule.split)

    @cached_property
    def needed(self) -> tuple[int, int]:
        """The rows and columns of a tile that the result has: where no tile has more, the assembler
        leaves out the products that no store needs.
        """
        m, n, _ = self.schedule.tile
        return min(m, self.work.m), min(n, self.work.n)

    @cached_property
    def step_flops(self) -> float:
        """The operations of one block in one step, at least."""
        return 2.0 * prod(self.needed) * self.schedule.depth

    @cached_property
    def read_bytes(self) -> int:
        """The factors' bytes that the warps of a block, or the instructions that read there
        themselves, read from shared memory in one step, at least: those with needed rows or
        columns.
        """
        (m, n, depth), (warps_m, warps_n) = self.schedule.tile, self.schedule.warps
        if self.instruction.is_asynchronous:
            warps_m, warps_n = m // self.instruction.m, n // self.work.beside // self.instruction.n
        rows, columns = self.needed
        down, across = ceil(rows * warps_m / m), ceil(columns * warps_n / n)
        columns //= self.work.beside
        return (rows * across + columns * down) * depth * self.work.factor_bytes

    @cached_property
    def block(self) -> BlockResources:
        """What a block occupies."""
        return BlockResources(
            self.schedule.block_threads,
            int(registers(self.tiles())[0]),
            int(self.tiles().shared_bytes[0]),
        )

    def kernel_work(self) -> KernelWork:
        """Return what all blocks do together."""
        issued = self.blocks * self.steps
        return KernelWork(
            unit=self.instruction.unit,
            flops=self.work.flops,
            issued_flops=issued * self.step_flops,
            global_bytes=self.work.global_bytes,
            l2_bytes=self._least_l2_bytes(),
            shared_bytes=issued * self.read_bytes,
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
        return Tiles.of(self.work, self.instruction, [self.schedule.numbers])


def check(work: Contraction, schedule: ContractOnGpu) -> None:
    """Raise CompileError for products that cannot share a tile, and for an instruction that no chip
    has for the work.
    """
    if work.batch_loop % schedule.groups:
        raise CompileError(
            f"groups = {schedule.groups} do not divide the {work.batch_loop} products of the "
            "innermost loop of the batch"
        )
    _check_rows(work, schedule)
    known = instructions.multiplying(work.element, work.compute)
    if schedule.instruction not in [row.name for row in known]:
        raise CompileError(
            f"instruction {schedule.instruction!r} does not multiply {work.element}; use "
            + _names(known)
        )


def _check_rows(work: Contraction, schedule: ContractOnGpu) -> None:
    """Raise CompileError where rows that are needed whole are not in one block or cluster."""
    columns, blocks = ceil(work.n / schedule.tile[1]), schedule.row_blocks
    if not work.row_totals:
        if blocks > 1:
            raise CompileError(
                f"row_blocks = {blocks} are for what is computed for whole rows; leave it out"
            )
        return
    if columns != blocks:
        raise CompileError(
            f"row_blocks = {blocks}: the {work.n} columns of a row are {columns} tiles of "
            f"{schedule.tile[1]}, and all of them are needed together; take wider tiles or other "
            "row_blocks"
        )
    for name, number in {"split": schedule.split, "groups": schedule.groups}.items():
        if number > 1:
            raise CompileError(
                f"{name} = {number}: a tile needs whole sums of whole rows; leave it out"
            )


def instructions_for(work: Contraction, arch: GpuArch) -> tuple[Instruction, ...]:
    """Return the instructions of a chip that multiply what a contraction does, the fastest first;
    of equally fast ones that which does more at once.
    """
    fitting = instructions.multiplying(work.element, work.compute, arch.capabilities)

    def speed(row: Instruction) -> tuple[float, int]:
        return arch.flops_per_clock_per_sm[row.unit], row.flops

    return tuple(sorted(fitting, key=speed, reverse=True))


def instruction_named(name: str, work: Contraction, arch: GpuArch) -> Instruction:
    """Return the instruction of a schedule for the factors of ``work``; raises CompileError where
    the chip has it not.
    """
    known = instructions_for(work, arch)
    for row in known:
        if row.name == name:
            return row
    raise CompileError(
        f"instruction {name!r} does not multiply {work.element} on {arch.target}; use "
        + _names(known)
    )


def _names(rows: Iterable[Instruction]) -> str:
    return " or ".join(dict.fromkeys(repr(row.family) for row in rows))
