"""Let matrix products share a factor that is repeated for them."""

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.layout import BroadcastOp
from dlc.dialects.graph.reshape import ReshapeOp, reshape
from dlc.ir.tensor import shape

_BLOCK_ROWS, _FEW = 64, 4
"""Queries of one head that fill a block; so many times as many keys as queries are many keys. By
the rating of 32 heads on 8 of 128 elements: 2048 causal queries take 183 us shared, 87 apart, not
causal 161 both ways.
"""


class GraphShareFactorsPass(DlcPass):
    """Take a repetition of the rhs along the last batch axis into the product.

    Heads that share keys and values (grouped-query attention) are written by exporters as keys and
    values that are repeated for each head of a group: ``repeat_kv``, or ``Expand`` and ``Reshape``.
    A product that knows of it reads them once for all heads of a group, whose queries are its rows.
    Where queries of a head fill blocks alone, and are many beside the keys, the repetition stays:
    reading keys once saves nothing then, and rows of several sequences cannot leave out the keys
    that a causal mask hides, half of all.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-sink-transposes``, which moves
    transposes of repeated keys into products.

    ::

        %0 = graph.reshape %k {sizes = [1, 8, 1, 512, 64]}    ->  %s = graph.matmul %q, %k
        %1 = graph.broadcast %0 {sizes = [1, 8, 4, 512, 64]}          transpose_rhs shared 4
        %2 = graph.reshape %1 {sizes = [1, 32, 512, 64]}
        %s = graph.matmul %q, %2 transpose_rhs
    """

    name = "graph-share-factors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_Shared()], ctx)


class _Shared(OpRewrite[MatmulOp]):
    """A rhs that is repeated for neighbours in the batch."""

    def rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        repeated = None if op.shared else _repeated(op.rhs)
        batch = shape(op.rhs)[:-2]
        if repeated is None or shape(op.lhs)[-3:-2] != batch[-1:]:
            return
        rows, longest = shape(op.lhs)[-2], max(shape(op.rhs)[-2:])
        if rows >= _BLOCK_ROWS and rows * _FEW > longest:
            return
        places = shape(repeated)[-4]
        single = reshape(repeated, [*batch[:-1], places, *shape(repeated)[-2:]])
        shared = None if places == 1 else IntegerAttr(batch[-1] // places, i64)
        product = op.with_operands([op.lhs, single.results[0]], shared=shared)
        rewriter.replace(op, [single, product], product.results)


def _repeated(value: SSAValue) -> SSAValue | None:
    """Return the tensor ``[.., n, 1, t, d]`` that a value ``[.., n * g, t, d]`` repeats ``g`` times
    along the axis of size 1; ``None`` where it is no such value.
    """
    joined = value.owner
    if not isinstance(joined, ReshapeOp) or not isinstance(
        copies := joined.operands[0].owner, BroadcastOp
    ):
        return None
    source = copies.operands[0]
    one, many, sizes = shape(source), shape(joined.operands[0]), shape(value)
    if len(one) != len(many) or len(one) < 4 or one[-3] != 1 or many[-3] < 2:
        return None
    alike = (*many[:-3], 1, *many[-2:]) == one
    return source if alike and sizes == _joined(many) else None


def _joined(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes with the copies beside each other along the axis before them."""
    return (*sizes[:-4], sizes[-4] * sizes[-3], *sizes[-2:])
