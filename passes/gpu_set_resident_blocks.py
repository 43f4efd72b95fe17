"""Say how many blocks of a kernel an SM has at a time, where these are few."""

from dataclasses import dataclass
from math import ceil, prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

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
    ahead by themselves; or that has ``max_registers``.

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
            if isinstance(kernel, KernelOp) and _loads_into_registers(kernel):
                blocks = ceil(prod(kernel.grid_size) / chip.sm_count)
                if blocks < _most_blocks(kernel, chip):
                    kernel.resident_blocks = IntegerAttr(blocks, i64)


def _loads_into_registers(kernel: KernelOp) -> bool:
    tokens = [op.acquires for op in kernel.walk() if isinstance(op, OrderingOp)]
    copies = any(token is not None and token.kind in _COPIED for token in tokens)
    return not copies and kernel.max_registers is None


def _most_blocks(kernel: KernelOp, chip: GpuArch) -> int:
    """Return how many blocks fill an SM."""
    return min(chip.max_blocks_per_sm, chip.max_threads_per_sm // kernel.threads)
