"""Turn each kernel of mapped loops into the program of one thread."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dlc.arch import DEFAULT_TARGET, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.loop import KernelOp
from dlc.lowering._simt import SimtConverter


@dataclass(frozen=True)
class ConvertLoopToGpuPass(DlcPass):
    """Loops over the grid, threads, warps and lanes become positions, with a condition where there
    are more workers than iterations; combinations become shuffles and shared memory.

    Runs on: ``loop`` kernels. Leaves: ``gpu`` kernels. Order: before ``gpu-insert-barriers``, which
    makes the exchange through shared memory safe.

    ::

        loop.for %i = 0 to 100 map = thread {   ->  %t = gpu.thread_id x : index
          loop.store %v, %y[%i]                     scf.if %t < 100 {
        }                                             loop.store %v, %y[%t]
    """

    arch: str = DEFAULT_TARGET

    name = "convert-loop-to-gpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limit = gpu_by_name(self.arch).max_threads_per_block
        for kernel in tuple(op.ops):
            if isinstance(kernel, KernelOp):
                Rewriter.replace_op(kernel, SimtConverter(kernel, limit).convert(), [])
