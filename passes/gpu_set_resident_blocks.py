"""Say how many blocks of a kernel an SM has at a time, where these are few."""

from dataclasses import dataclass
from math import ceil, prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation

from dlc.arch import DEFAULT_TARGET, GpuArch, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.ir.order import OrderingOp, TokenKind

_COPIED = (TokenKind.COPIES, TokenKind.PHASE)
"""What tells a thread that asynchronous copies have come."""


@dataclass(frozen=True)
class GpuSetResidentBlocksPass(DlcPass):
    """A kernel whose blocks do not fill the SMs gets ``resident_blocks``: those that one of them
    has.

    Left alone, the assembler aims at SMs that are full: with 32 registers a thread has two loads
    under way and waits for each. Where a grid leaves more registers, all loads of a window are on
    their way together.

    A kernel stays as it is that fills the SMs; that waits for asynchronous copies, since these run
    ahead by themselves; or that says ``max_registers`` or ``resident_blocks`` itself. Of these only
    the last is a reason for a cooperative one: its blocks must have room together.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-allocate-shared``.

    ::

        gpu.kernel @g0(...) attributes {grid = [264, 1, 1], block = [128, 1, 1], ...}
        ->                             {..., resident_blocks = 2}   on a chip with 132 SMs
    """

    arch: str = DEFAULT_TARGET

    name = "gpu-set-resident-blocks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = gpu_by_name(self.arch)
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and _is_open(kernel):
                blocks = ceil(prod(kernel.grid_size) / chip.sm_count)
                if blocks < _most_blocks(kernel, chip) or kernel.cooperative is not None:
                    kernel.resident_blocks = IntegerAttr(blocks, i64)


def _is_open(kernel: KernelOp) -> bool:
    """Return whether a kernel does not say what registers it has, and needs them for its loads."""
    says = kernel.max_registers is not None or kernel.resident_blocks is not None
    if says or kernel.cooperative is not None:
        return not says
    return not any(map(_awaits_copies, kernel.walk()))


def _awaits_copies(op: Operation) -> bool:
    token = op.acquires if isinstance(op, OrderingOp) else None
    return token is not None and token.kind in _COPIED


def _most_blocks(kernel: KernelOp, chip: GpuArch) -> int:
    """Return how many blocks fill an SM."""
    return min(chip.max_blocks_per_sm, chip.max_threads_per_sm // kernel.threads)
