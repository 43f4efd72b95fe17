"""Put constants into the bodies of loops that read them."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.passes import DlcPass
from dlc.dialects.graph.step_loop import StepLoopOp, step_loops
from dlc.dialects.graph.structure import GraphOp


class GraphSinkConstantsPass(DlcPass):
    """A weight that every step of a loop reads is known to be one where it stands in the body: so
    products of a step get their weights in the order, precision and packing that kernels want.

    What a loop only carries or slices stays outside, and so does what is no constant.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-fold-constants``, before the passes
    that change weights.

    ::

        %w = graph.weight @w : …                  ->  graph.step_loop … read () … {
        graph.step_loop … read (%w) … {                 %m = graph.weight @w : …
        ^bb0(…, %m: …):                                 …
          …
    """

    name = "graph-sink-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in reversed(step_loops(op)):  # what an outer body holds is what an inner one reads
            _sink(loop)


def _sink(loop: StepLoopOp) -> None:
    body = loop.body.block
    first = len(loop.initial) + len(loop.sliced)
    moved: list[SSAValue] = []
    for argument, value in zip(tuple(body.args[first:]), tuple(loop.shared), strict=True):
        if isinstance(value.owner, GraphOp) and value.owner.is_constant:
            copy = value.owner.clone()
            Rewriter.insert_op(copy, InsertPoint.at_start(body))
            argument.replace_all_uses_with(copy.results[0])
            body.erase_arg(argument)
            moved.append(value)
    if moved:
        kept = [value for value in loop.shared if value not in moved]
        new = loop.reading(kept)
        Rewriter.replace_op(loop, new)
