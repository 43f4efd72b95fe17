"""What the blocks of a cluster do before they touch each other's shared memory."""

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, i64
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop.combination import ArrivalsOp, CombineOp, MeetOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.simt.thread_program import ThreadProgram


@dataclass
class ClusterStart:
    """The first operations of a kernel whose blocks send to each other: it makes the ``mbarrier``
    objects at which that arrives, and tells them that it has begun. begun: what tells them.
    """

    program: ThreadProgram

    def __post_init__(self) -> None:
        self.begun = gpu.ClusterArriveOp()

    def meet(self, op: MeetOp) -> None:
        """Write that threads wait here until all blocks have begun, which they say at their start:
        what a thread does in between is under way meanwhile.
        """
        if self.begun.parent is not None:
            raise CompileError("the blocks of a cluster meet once", at=operation_text(op))
        if any(isinstance(before, gpu.ClusterBarrierOp) for before in self.program.block.ops):
            text = "the blocks of a cluster meet before their first barrier"  # it is the same one
            raise CompileError(text, at=operation_text(op))
        first = self.program.thread.owner
        assert isinstance(first, gpu.ThreadIdOp)
        self.program.block.insert_op_after(self.begun, first)
        self.program.b.builder.insert(gpu.ClusterWaitOp())

    def arrivals(self) -> Place:
        """Write an object whose phases need one arrival; return its place."""
        program, first = self.program, AffineExpr.constant(0)
        type = MemRefType(i64, [1], memory_space=SpaceAttr(Space.SHARED))
        place = program.shared_buffer(type).output, [first], ()
        with program.writing_at(InsertPoint.before(self.begun)):
            is_first = program.b.compare("eq", program.thread, program.constant(0))
            with program.where(is_first):
                program.b.builder.insert(gpu.MbarrierInitOp(place, 1))
        return place

    def check_arrivals(self, op: ArrivalsOp | CombineOp) -> None:
        """Raise CompileError for what blocks send before they have met, and in a loop, whose next
        iteration would need a phase of its own.
        """
        if self.begun.parent is None:
            text = "the blocks of a cluster combine before they have met; put a loop.meet before it"
            raise CompileError(text, at=operation_text(op))
        block = self.program.b.builder.insertion_point.block
        while (around := block.parent_op()) is not None:
            if isinstance(around, scf.ForOp):
                text = "the blocks of a cluster do not combine in a loop"
                raise CompileError(text, at=operation_text(op))
            assert around.parent is not None
            block = around.parent
