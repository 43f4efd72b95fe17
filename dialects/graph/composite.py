"""Composite ops replaced by the ops that they mean."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.structure import CompositeOp, GraphOp


def decompose_composites(
    context: Context, module: ModuleOp, is_chosen: Callable[[CompositeOp], bool] = lambda _: True
) -> None:
    """Replace each composite op of ``module`` by what ``CompositeOp.decompose`` gives.

    is_chosen: whether one is to be replaced; by default each is.
    """
    apply_patterns(module, [_Composite(is_chosen)], context, erase_dead=False)


@dataclass
class _Composite(OpRewrite[CompositeOp]):
    is_chosen: Callable[[CompositeOp], bool]

    def rewrite(self, op: CompositeOp, rewriter: PatternRewriter) -> None:
        if not self.is_chosen(op):
            return

        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        rewriter.replace(op, (), op.decompose(insert))
