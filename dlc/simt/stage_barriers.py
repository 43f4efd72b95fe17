"""What makes the threads of a kernel wait between its stages."""

from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import BarrierScope
from dlc.dialects.loop.barrier import BarrierOp
from dlc.dialects.loop.kernel import KernelOp
from dlc.errors import CompileError
from dlc.simt.thread_program import ThreadProgram


@dataclass
class StageBarriers:
    """The barriers of a kernel."""

    program: ThreadProgram
    kernel: KernelOp

    def write(self, op: BarrierOp, moved_registers: bool) -> None:
        """Write one; raises CompileError behind roles that have moved registers, since what follows
        is compiled for what all began with.
        """
        if moved_registers:
            text = "comes behind roles that have moved registers; let these be the last stage"
            raise CompileError(text, at=operation_text(op))
        self.program.b.builder.insert(self._barrier(op))

    def _barrier(self, op: BarrierOp) -> gpu.MeetingOp:
        match op.over.data:
            case BarrierScope.GRID:
                assert op.counter is not None
                place = self.program.values[op.counter], [AffineExpr.constant(0)], ()
                return gpu.GridBarrierOp(place, op.count)
            case BarrierScope.CLUSTER if self.kernel.cluster_blocks > 1:
                return gpu.ClusterBarrierOp()
            case BarrierScope.CLUSTER | BarrierScope.BLOCK:
                return gpu.BarrierOp()
