"""Replace each composite op by the ops that it means."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph._structure import CompositeOp, GraphOp


class GraphDecomposePass(DlcPass):
    """A composite op (softmax, layer norm, attention) is one op so that passes can see it whole; a
    strategy without a kernel of its own for it computes the ops that it stands for.

    Runs on: ``graph``, ``fused_group``. Leaves: the same without composite ops. Order: before
    ``convert-fused-group-to-loop``.
    """

    name = "graph-decompose"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_Composite()], ctx, erase_dead=False)


class _Composite(OpRewrite[CompositeOp]):
    def rewrite(self, op: CompositeOp, rewriter: PatternRewriter) -> None:
        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        rewriter.replace(op, (), op.decompose(insert))
