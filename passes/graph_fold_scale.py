"""Multiply a constant scale into the weights of the contraction before it."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter

from dlc.analysis.evaluation import is_known
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.elementwise import AddOp, MulOp
from dlc.dialects.graph.layout import TransposeOp
from dlc.dialects.graph.reshape import reshape
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_count, element_type, is_float, shape


class GraphFoldScalePass(DlcPass):
    """Fold ``contraction(x, w) * s`` into ``contraction(x, w * s)`` for constants ``w`` and ``s``.

    ``s`` may vary along axes of the result that the weight has too (the output channels of a
    convolution). Together with ``(y + b) * s = y * s + b * s`` this folds batch normalisation and
    the scale of attention queries away; ``graph-fold-constants`` then computes ``w * s`` and ``b *
    s``. Each weight is rounded once more, so results change by about one unit in the last place.

    Where the rhs of a product is scaled by a number, as exporters write attention, the lhs takes
    the scale, with that which it has itself: the rhs is only moved then, which copies can do. It
    may be transposed behind its scale.

    Runs on: ``graph``. Leaves: ``graph``. Order: after batch normalisation is decomposed.

    ::

        %0 = graph.conv %x, %w …                    %0 = graph.mul %w, %s1
        %1 = graph.mul %0, %s             ->        %1 = graph.conv %x, %0 …
    """

    name = "graph-fold-scale"
    joins_nodes = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [_ScaleOfContraction(), _ScaleOfShift(), _ScaleOfRhs()], ctx)


class _ScaleOfContraction(OpRewrite[MulOp]):
    def rewrite(self, op: MulOp, rewriter: PatternRewriter) -> None:
        for y, scale in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            contraction = y.owner
            if not isinstance(contraction, ContractionOp) or not _is_only_use(y):
                continue
            if not is_known(scale) or not is_known(contraction.operands[1]):
                continue
            if element_type(scale) != element_type(contraction.operands[1]):
                continue  # 8-bit integers cannot hold the product
            if shape(y) != shape(op.output):
                continue
            sizes = _scale_shape_on_weight(contraction, scale)
            if sizes is None:
                continue
            _replace(op, contraction, scale, sizes, rewriter)
            return


def _replace(
    op: MulOp,
    contraction: ContractionOp,
    scale: SSAValue,
    sizes: Sequence[int],
    rewriter: PatternRewriter,
) -> None:
    weight = contraction.operands[1]
    aligned = reshape(scale, sizes)
    scaled = MulOp.make(weight, aligned.results[0])
    x, _, *rest = contraction.operands
    new = contraction.with_operands([x, scaled.results[0], *rest])
    rewriter.replace(op, [aligned, scaled, new], [new.results[0]])
    rewriter.erase(contraction)


def _scale_shape_on_weight(contraction: ContractionOp, scale: SSAValue) -> list[int] | None:
    """Return the shape in which ``scale`` broadcasts against the weight, or ``None``.

    scale: broadcasts to the result. Each axis of the result along which it varies must index the
    weight directly, in the same order.
    """
    _, rhs, result = contraction.indexing_maps()
    rank = len(result.results)
    sizes = (1,) * (rank - len(shape(scale))) + shape(scale)
    weight_sizes = [1] * len(rhs.results)
    last = -1
    for size, position in zip(sizes, result.results, strict=True):
        if size == 1:
            continue
        axes = [i for i, e in enumerate(rhs.results) if _uses(e, position)]
        if len(axes) != 1 or rhs.results[axes[0]] != position or axes[0] < last:
            return None
        last = axes[0]
        weight_sizes[last] = size
    return weight_sizes


def _uses(expr: AffineExpr, dim: AffineExpr) -> bool:
    return isinstance(dim, AffineDimExpr) and dim.position in expr.used_dims()


class _ScaleOfShift(OpRewrite[MulOp]):
    def rewrite(self, op: MulOp, rewriter: PatternRewriter) -> None:
        for sum, scale in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            add = sum.owner
            if not isinstance(add, AddOp) or not _is_only_use(sum) or not is_known(scale):
                continue
            for y, shift in ((add.lhs, add.rhs), (add.rhs, add.lhs)):
                if is_known(shift) and _feeds_a_foldable_product(y):
                    product, offset = MulOp.make(y, scale), MulOp.make(shift, scale)
                    new = AddOp.make(product.output, offset.output)
                    rewriter.replace(op, [product, offset, new])
                    return


def _feeds_a_foldable_product(y: SSAValue) -> bool:
    source = y.owner
    if not isinstance(source, ContractionOp) or not is_float(element_type(y)):
        return False
    return _is_only_use(y) and is_known(source.operands[1])


class _ScaleOfRhs(OpRewrite[ContractionOp]):
    def rewrite(self, op: ContractionOp, rewriter: PatternRewriter) -> None:
        x, weight, *rest = op.operands
        behind, moves = _before_transposes(weight)
        moved = None if is_known(weight) else _scaled(behind)
        if moved is None or not is_float(element_type(x)):
            return
        weight, scale = moved
        x, other = _scaled(x) or (x, None)
        ops: list[GraphOp] = [reshape(scale, shape(other) if other else [])]
        if other is not None:
            ops.append(MulOp.make(other, ops[-1].results[0]))
        ops.append(scaled := MulOp.make(x, ops[-1].results[0]))
        for move in moves:
            ops.append(move.with_operands([weight]))
            weight = ops[-1].results[0]
        new = op.with_operands([scaled.output, weight, *rest])
        rewriter.replace(op, [*ops, new], new.results)


def _before_transposes(value: SSAValue) -> tuple[SSAValue, list[TransposeOp]]:
    """Return what a value is transposed of, and these transposes, the first one first."""
    moves: list[TransposeOp] = []
    while isinstance(move := value.owner, TransposeOp) and _is_only_use(value):
        moves.insert(0, move)
        value = move.operands[0]
    return value, moves


def _scaled(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """Return the tensor and the constant number of which a value is the product."""
    mul = value.owner
    if not isinstance(mul, MulOp) or not _is_only_use(value):
        return None
    for x, scale in ((mul.lhs, mul.rhs), (mul.rhs, mul.lhs)):
        if is_known(scale) and element_count(scale) == 1 and shape(x) == shape(value):
            return x, scale
    return None


def _is_only_use(value: SSAValue) -> bool:
    return value.has_one_use()
