"""Store each weight in the order in which its contraction reads it."""

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter

from dlc.analysis.evaluation import is_known
from dlc.analysis.weight_order import Inner, inner_axis
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.layout import transpose


@dataclass(frozen=True)
class GraphOrderWeightsPass(DlcPass):
    """Transpose constant right-hand sides, at compile time, so that one axis is consecutive.

    ``inner=n``: the axis of the result (vectors of outputs, as CPU kernels load them). ``inner=k``:
    the axis of the reduction (what ``ldmatrix`` reads without transposing). ``inner=gpu``: ``n``
    where threads of a GPU multiply-add, which load four columns of a line at once: in fp32, with
    columns that fill copies of 16 bytes and enough rows for tiles; ``k`` elsewhere.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-fold-constants``.

    ::

        graph.conv %x, %w …  ->  %0 = graph.transpose %w {permutation = array<i64: 2, 3, 1, 0>}
                                 graph.conv %x, %0 … weight_layout hwio
    """

    name = "graph-order-weights"

    inner: Literal["n", "k", "gpu"] = "n"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_OtherOrder(self.inner)], ctx)


@dataclass
class _OtherOrder(OpRewrite[ContractionOp]):
    inner: Inner

    def rewrite(self, op: ContractionOp, rewriter: PatternRewriter) -> None:
        x, weight, *rest = op.operands
        if not is_known(weight):
            return
        order = op.weight_order(inner_axis(op, self.inner))
        if order is None:
            return
        ordered = transpose(weight, order.permutation)
        new = op.with_operands([x, ordered.output, *rest], **order.properties)
        rewriter.replace(op, [ordered, new], new.results)
