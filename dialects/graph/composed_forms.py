"""What exporters write for GELU, softmax, layer normalisation and attention.

One entry per way of writing; ``graph-recognize`` replaces what matches.
"""

from collections.abc import Sequence
from math import pi, sqrt

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.activation import GeluOp
from dlc.dialects.graph.attention import AttentionOp
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import AddOp, DivOp, MulOp, PowOp, SubOp
from dlc.dialects.graph.math import ErfOp, ExpOp, SqrtOp, TanhOp
from dlc.dialects.graph.normalization import LayerNormOp
from dlc.dialects.graph.pattern import (
    Apply,
    Bindings,
    Either,
    Form,
    Number,
    Pattern,
    Variable,
    constant_number,
)
from dlc.dialects.graph.properties import integer, number
from dlc.dialects.graph.reduction import ReduceMaxOp, ReduceMeanOp, ReduceSumOp
from dlc.dialects.graph.softmax import SoftmaxOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import broadcast_shapes, element_count, element_type, is_float, shape


def _add(*operands: Pattern) -> Apply:
    return Apply(AddOp, operands, commutes=True)


def _mul(*operands: Pattern) -> Apply:
    return Apply(MulOp, operands, commutes=True)


def _square(x: Pattern) -> Either:
    return Either((Apply(PowOp, (x, Number(2.0))), Apply(MulOp, (x, x))))


def _gelu(x: Variable, inner: Pattern, tanh: bool) -> list[Form]:
    """The orders in which ``x``, 1/2 and ``1 + inner`` are multiplied."""
    outer, half = _add(inner, Number(1.0)), Number(0.5)
    roots = (_mul(_mul(x, half), outer), _mul(x, _mul(outer, half)), _mul(_mul(x, outer), half))

    def build(found: Bindings, root: GraphOp) -> GraphOp | None:
        if found[x].type != root.results[0].type:
            return None
        return GeluOp.make(found[x], tanh=UnitAttr() if tanh else None)

    return [Form(root, build) for root in roots]


def _gelu_forms() -> list[Form]:
    x = Variable()
    scaled = Either((Apply(DivOp, (x, Number(sqrt(2)))), _mul(x, Number(sqrt(0.5)))))
    cube = Either((Apply(PowOp, (x, Number(3.0))), _mul(x, _mul(x, x))))
    sum = _add(x, _mul(cube, Number(0.044715)))
    inner = Apply(TanhOp, (_mul(sum, Number(sqrt(2 / pi))),))
    return [*_gelu(x, Apply(ErfOp, (scaled,)), False), *_gelu(x, inner, True)]


def _softmax_forms() -> list[Form]:
    x = Variable()
    largest = Apply(ReduceMaxOp, (x,))
    exponential = Apply(ExpOp, (Apply(SubOp, (x, largest)),))
    total = Apply(ReduceSumOp, (exponential,))

    def build(found: Bindings, root: GraphOp) -> GraphOp | None:
        axes = _same_axes([found[largest], found[total]])
        return None if len(axes) != 1 else SoftmaxOp.make(found[x], axis=integer(axes[0]))

    return [Form(Apply(DivOp, (exponential, total)), build)]


def _layer_norm_forms() -> list[Form]:
    x, scale, bias, epsilon = Variable(), Variable(), Variable(), Number()
    mean = Apply(ReduceMeanOp, (x,))
    centred = Apply(SubOp, (x, mean))
    variance = Apply(ReduceMeanOp, (_square(centred),))
    normal = Apply(DivOp, (centred, Apply(SqrtOp, (_add(variance, epsilon),))))

    def build(found: Bindings, root: GraphOp) -> GraphOp | None:
        axes = _same_axes([found[mean], found[variance]])
        sizes = shape(found[x])
        small = constant_number(found[epsilon])
        fits = broadcast_shapes(sizes, shape(found[scale])) == sizes
        if not axes or axes != list(range(axes[0], len(sizes))) or small is None or not fits:
            return None
        return LayerNormOp.make(
            found[x], found[scale], axis=integer(axes[0]), epsilon=number(small)
        )

    unbiased = Apply(LayerNormOp, (x, scale))

    def build_biased(found: Bindings, root: GraphOp) -> GraphOp | None:
        sizes, shift = shape(found[x]), found[bias]
        # A tensor as large as x is a residual, not a bias.
        if element_count(shift) >= element_count(found[x]):
            return None
        if broadcast_shapes(sizes, shape(shift)) != sizes:
            return None
        norm = found[unbiased].owner
        assert isinstance(norm, LayerNormOp)
        return norm.with_operands([found[x], found[scale], shift])

    return [Form(_mul(normal, scale), build), Form(_add(unbiased, bias), build_biased)]


def _attention_forms() -> list[Form]:
    query, key, value, mask, factor = Variable(), Variable(), Variable(), Variable(), Number()
    products = Apply(MatmulOp, (query, key))
    multiplied, divided = _mul(products, factor), Apply(DivOp, (products, factor))
    scaled = Either((multiplied, divided))

    def build(found: Bindings, root: GraphOp) -> GraphOp | None:
        scores = found[products].owner
        weights = root.operands[0].owner
        assert isinstance(scores, MatmulOp)
        assert isinstance(weights, SoftmaxOp)
        scale = constant_number(found[factor])
        last = weights.axis.value.data == len(shape(weights.x)) - 1
        if scale is None or not last or not _is_attention(scores, root, found.get(mask)):
            return None
        scale = 1 / scale if divided in found else scale
        operands = [found[v] for v in (query, key, value, mask) if v in found]
        return AttentionOp.make(*operands, scale=number(scale))

    return [
        Form(Apply(MatmulOp, (Apply(SoftmaxOp, (x,)), value)), build)
        for x in (_add(scaled, mask), scaled)
    ]


def _is_attention(scores: MatmulOp, root: GraphOp, mask: SSAValue | None) -> bool:
    """Return whether the factors stand as the attention op has them."""
    turned = {name for op in (scores, root) for name in op.properties}
    if mask is not None and broadcast_shapes(shape(mask), shape(scores.output)) != shape(
        scores.output
    ):
        return False
    return (
        "transpose_rhs" in scores.properties
        and "transpose_lhs" not in turned
        and "transpose_rhs" not in root.properties
        and is_float(element_type(root.results[0]))
    )


def _same_axes(reductions: Sequence[SSAValue]) -> list[int]:
    """Return the axes of reductions that all keep their axes and agree, else none."""
    found: set[tuple[int, ...]] = set()
    for value in reductions:
        op = value.owner
        assert isinstance(op, ReduceMaxOp | ReduceMeanOp | ReduceSumOp)
        found.add(op.reduced if op.keep_dims is not None else ())
    return list(found.pop()) if len(found) == 1 else []


FORMS: Sequence[Form] = (
    *_gelu_forms(),
    *_softmax_forms(),
    *_layer_norm_forms(),
    *_attention_forms(),
)
