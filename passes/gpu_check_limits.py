"""Reject kernels that the chip cannot run."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc.arch import DEFAULT_TARGET, GpuArch, gpu_by_name
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, NeedsCapability, RegisterAllocOp, SetRegistersOp
from dlc.errors import CompileError
from dlc.model.occupancy import BlockResources, blocks_per_sm
from dlc.model.registers import OTHER_REGISTERS


@dataclass(frozen=True)
class GpuCheckLimitsPass(DlcPass):
    """Shared memory, registers and instructions of each kernel against the chip's row.

    The registers are a lower bound: those of the register buffers that are in use at a time and a
    few more; the assembler has the last word. All blocks of a cooperative kernel must find room on
    the chip at a time.

    Runs on: ``gpu``. Leaves: ``gpu``, unchanged. Order: last, after ``gpu-allocate-shared``.
    """

    arch: str = DEFAULT_TARGET

    name = "gpu-check-limits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = gpu_by_name(self.arch)
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                self._check(kernel, chip)

    def _check(self, kernel: KernelOp, chip: GpuArch) -> None:
        where = operation_text(kernel)
        shared = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
        if shared > chip.shared_bytes_per_block:
            raise CompileError(
                f"needs {shared} bytes of shared memory, {self.arch} has "
                f"{chip.shared_bytes_per_block} per block; lower stages or tile",
                at=where,
            )
        if kernel.cluster is not None and "cluster" not in chip.capabilities:
            raise CompileError(f"runs in clusters, which {self.arch} has not", at=where)
        self._check_registers(kernel, chip)
        self._check_room(kernel, chip)
        for op in kernel.walk():
            if isinstance(op, NeedsCapability) and op.capability not in chip.capabilities:
                raise CompileError(
                    f"needs {op.capability}, which {self.arch} has not; choose another instruction",
                    at=operation_text(op),
                )

    def _check_registers(self, kernel: KernelOp, chip: GpuArch) -> None:
        needed = least_registers(kernel)
        asked = [op.count.value.data for op in kernel.walk() if isinstance(op, SetRegistersOp)]
        share = max(chip.registers_per_sm // kernel.threads, *asked, 0)
        per_thread = min(chip.max_registers_per_thread, share)
        if needed > per_thread:
            raise CompileError(
                f"needs at least {needed} registers per thread, {self.arch} has {per_thread} with "
                f"{kernel.threads} threads; lower the tile or take more warps",
                at=operation_text(kernel),
            )

    def _check_room(self, kernel: KernelOp, chip: GpuArch) -> None:
        shared = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
        block = BlockResources(kernel.threads, max(least_registers(kernel), 1), shared)
        room = chip.sm_count * blocks_per_sm(block, chip)
        blocks = prod(kernel.grid_size)
        if kernel.cooperative is not None and blocks > room:
            raise CompileError(
                f"has {blocks} blocks that wait for each other, {self.arch} has room for {room} at "
                "a time; take fewer or smaller ones",
                at=operation_text(kernel),
            )


def least_registers(kernel: KernelOp) -> int:
    """Return a lower bound of the registers per thread: those of the buffers in use at a time."""
    numbers = {op: number for number, op in enumerate(kernel.walk())}
    changes = dict[int, int]()
    for op in numbers:
        if isinstance(op, RegisterAllocOp):
            first, last = _in_use(op, numbers)
            changes[first] = changes.get(first, 0) + op.registers
            changes[last + 1] = changes.get(last + 1, 0) - op.registers
    most = max(accumulate(changes[at] for at in sorted(changes)), default=0)
    return most + OTHER_REGISTERS if most else 0


def _in_use(buffer: RegisterAllocOp, numbers: Mapping[Operation, int]) -> tuple[int, int]:
    """Return the first and the last operation between which a buffer is needed: all of a loop that
    uses one from outside, since what a round leaves there may be for the next.
    """
    block = buffer.parent_block()
    found = [numbers[buffer]] if not buffer.output.uses else []
    for use in buffer.output.uses:
        around = block.find_ancestor_op_in_block(use.operation) if block else None
        assert around is not None
        *_, last = around.walk()
        found += (numbers[around], numbers[last])
    return min(found), max(found)
