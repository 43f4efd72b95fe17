"""Bring graph ops into the simplest of their equal forms."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.properties import element_attribute
from dlc.dialects.graph.reshape import ReshapeOp, reshape
from dlc.dialects.graph.source import SplatOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import DYNAMIC, element_type, is_empty, shape, tensor_type


class GraphCanonicalizePass(DlcPass):
    """Remove ops that change nothing, join reshapes, drop what nobody reads.

    An op says itself when its result equals an operand (``GraphOp.forwarded``): a cast to the same
    type, a slice of everything, a concatenation of one tensor. A result without elements becomes a
    splat, whatever its op.

    Runs on: ``graph``. Leaves: ``graph``. Order: any.

    ::

        %0 = graph.reshape %x {sizes = array<i64: 6>} : …   ->  %1 = graph.reshape %x {…}
        %1 = graph.reshape %0 {sizes = array<i64: 3, 2>}
    """

    name = "graph-canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_Identity(), _Empty(), _ReshapeOfReshape()], ctx)


class _Identity(OpRewrite[GraphOp]):
    def rewrite(self, op: GraphOp, rewriter: PatternRewriter) -> None:
        operand = op.forwarded()
        if operand is not None:
            rewriter.replace(op, [], [operand])


class _Empty(OpRewrite[GraphOp]):
    """A tensor without elements is computed from nothing."""

    def rewrite(self, op: GraphOp, rewriter: PatternRewriter) -> None:
        for result in op.results:
            if not op.is_constant and is_empty(result):
                zero = element_attribute(0, element_type(result))
                splat = SplatOp(zero, tensor_type(result))
                rewriter.insert(splat)
                rewriter.replace_all_uses_with(result, splat.output)
        if is_trivially_dead(op):
            rewriter.erase(op)


class _ReshapeOfReshape(OpRewrite[ReshapeOp]):
    def rewrite(self, op: ReshapeOp, rewriter: PatternRewriter) -> None:
        inner = op.x.owner
        sizes = shape(op.output)
        if isinstance(inner, ReshapeOp) and DYNAMIC not in sizes:
            rewriter.replace(op, reshape(inner.x, sizes))
