"""Give each part that a step gives to the results of a loop an operation of its own."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.dataflow import is_free, origin
from dlc.core.passes import DlcPass
from dlc.core.rewrite import inherit_location
from dlc.dialects.graph.copy import CopyOp
from dlc.dialects.graph.step_loop import StepLoopOp, step_loops
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_count


class GraphSplitPartsPass(DlcPass):
    """What a step gives to the results of all steps is written where it stands in them. So it is
    copied where it stands elsewhere, too: an argument of the body, a constant, a piece of a larger
    tensor, a part of a concatenation, or what is given twice.

    Runs on: ``graph``. Leaves: ``graph``. Order: after the last ``cse``, before ``fuse``.

    ::

        ^bb0(%state: …):                   ^bb0(%state: …):
          %0 = graph.tanh %state             %0 = graph.tanh %state
          graph.yield %0, %state     ->      %1 = graph.copy %state
                                             graph.yield %0, %1
    """

    name = "graph-split-parts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in step_loops(op):
            _split(loop)


def _split(loop: StepLoopOp) -> None:
    end, count = loop.body.block.last_op, len(loop.initial)
    assert end is not None
    taken = _placed(loop.body.block)
    for number, value in enumerate(end.operands[count:], count):
        if not _is_own(value) or origin(value) in taken:
            copy = CopyOp.make(value)
            inherit_location(copy, loop.location)
            Rewriter.insert_op(copy, InsertPoint.before(end))
            end.operands[number] = copy.output
        taken.add(origin(end.operands[number]))


def _placed(body: Block) -> set[SSAValue]:
    """Return what stands in a concatenation."""
    ops = [op for op in body.ops if isinstance(op, GraphOp) and op.operand_offsets is not None]
    return {origin(value) for op in ops for value in op.operands}


def _is_own(value: SSAValue) -> bool:
    """Whether a value is all that an op of the body computes."""
    source = origin(value)
    maker = source.owner
    if isinstance(maker, Block | StepLoopOp) or not isinstance(maker, GraphOp) or is_free(maker):
        return False
    return maker.operand_offsets is None and element_count(value) == element_count(source)
