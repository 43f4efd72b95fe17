"""What makes the threads of a kernel wait between its stages."""

from dataclasses import dataclass, field

from xdsl.ir import SSAValue
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
    """The barriers of a kernel, in the order of its text. of_grid: how many were over the grid, by
    their counter.
    """

    program: ThreadProgram
    kernel: KernelOp
    of_grid: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def write(self, op: BarrierOp, moved_registers: bool) -> None:
        """Write one; raises CompileError where not all threads come to it, and all once; and behind
        roles that have moved registers, since what follows is compiled for what all began with.
        """
        if moved_registers:
            text = "comes behind roles that have moved registers; let these be the last stage"
            raise CompileError(text, at=operation_text(op))
        if op.parent_op() is not self.kernel:
            text = "a barrier between stages stands in no loop; end the loops before it"
            raise CompileError(text, at=operation_text(op))
        self.program.b.builder.insert(self._barrier(op))

    def _barrier(self, op: BarrierOp) -> gpu.MeetingOp:
        match op.over.data:
            case BarrierScope.GRID:
                return self._of_grid(op)
            case BarrierScope.CLUSTER if self.kernel.cluster_blocks > 1:
                return gpu.ClusterBarrierOp()
            case BarrierScope.CLUSTER | BarrierScope.BLOCK:
                return gpu.BarrierOp()

    def _of_grid(self, op: BarrierOp) -> gpu.GridBarrierOp:
        assert op.counter is not None
        number = self.of_grid[op.counter] = self.of_grid.get(op.counter, 0) + 1
        if op.count != number:
            text = (
                f"is barrier {number} over the grid of its counter, and has the number {op.count}"
            )
            raise CompileError(text, at=operation_text(op))
        place = self.program.values[op.counter], [AffineExpr.constant(0)], ()
        return gpu.GridBarrierOp(place, op.count)
