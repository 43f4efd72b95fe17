"""Turn each kernel of mapped loops into the program of one thread."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import Rewriter

from dlc.analysis.outside import check_outside
from dlc.arch import DEFAULT_TARGET, gpu_by_name
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.loop import KernelOp
from dlc.errors import CompileError
from dlc.simt.converter import SimtConverter


@dataclass(frozen=True)
class ConvertLoopToGpuPass(DlcPass):
    """Loops over the grid, threads, warps and lanes become positions, with a condition where there
    are more workers than iterations; combinations become shuffles and shared memory.

    Runs on: ``loop`` kernels; all groups are kernels. Leaves: ``gpu`` kernels. Order: before
    ``gpu-insert-barriers``, which makes the exchange through shared memory safe.

    ::

        loop.for %i = 0 to 100 map = thread {   ->  %t = gpu.thread_id x : index
          loop.store %v, %y[%i]                     scf.if %t < 100 {
        }                                             loop.store %v, %y[%t]
    """

    arch: str = DEFAULT_TARGET

    name = "convert-loop-to-gpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limit = gpu_by_name(self.arch).max_threads_per_block
        for part in tuple(op.ops):
            if isinstance(part, KernelOp):
                Rewriter.replace_op(part, SimtConverter(part, limit).convert(), [])
            elif isinstance(part, FuncOp) and part.body.blocks:
                _check_launches(part)


def _check_launches(function: FuncOp) -> None:
    """Raise CompileError for what should be a kernel by now."""
    for op in function.body.block.ops:
        if not isinstance(op, GroupOp):
            check_outside(op)
        else:
            raise CompileError(
                f"{op.name} is no kernel yet; run --lower-to-loop before this pass",
                at=operation_text(op),
            )
