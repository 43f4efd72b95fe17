"""Composite ops replaced by the ops that they mean."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.structure import CompositeOp, GraphOp


def decompose_composites(context: Context, module: ModuleOp) -> None:
    """Replace each composite op of ``module`` by what ``CompositeOp.decompose`` gives."""
    apply_patterns(module, [_Composite()], context, erase_dead=False)


class _Composite(OpRewrite[CompositeOp]):
    def rewrite(self, op: CompositeOp, rewriter: PatternRewriter) -> None:
        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        rewriter.replace(op, (), op.decompose(insert))
