"""Sums and lookups with the normalisation that follows, as ONNX Runtime's optimiser writes them."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, i32
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import CompareOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.normalization import LayerNormOp, RmsNormOp, inverse_deviation
from dlc.dialects.graph.properties import integer, number
from dlc.errors import OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.ir.tensor import DYNAMIC, shape

_DOMAIN = "com.microsoft"
_EPSILON = 1e-12


@converts("SkipLayerNormalization", domain=_DOMAIN)
def _skip_layer_norm(node: NodeContext) -> Sequence[SSAValue | None]:
    g, epsilon = Composer(node.insert), node.number("epsilon", _EPSILON)
    sum = _sum(node, g, node.optional(4))
    shift = [x for x in (node.optional(3),) if x is not None]
    axis = len(shape(sum)) - 1
    norm = LayerNormOp.make(
        sum, node.operand(2), *shift, axis=integer(axis), epsilon=number(epsilon)
    )
    mean = g.mean(sum, axis) if node.has_output(1) or node.has_output(2) else None
    return [node.insert(norm), mean, _inverse(node, g, sum, mean), sum]


@converts("SkipSimplifiedLayerNormalization", domain=_DOMAIN)
def _skip_rms_norm(node: NodeContext) -> Sequence[SSAValue | None]:
    g, epsilon = Composer(node.insert), number(node.number("epsilon", _EPSILON))
    sum = _sum(node, g, node.optional(3))
    axis = integer(len(shape(sum)) - 1)
    y = node.insert(RmsNormOp.make(sum, node.operand(2), axis=axis, epsilon=epsilon))
    return [y, None, None, sum]


def _sum(node: NodeContext, g: Composer, bias: SSAValue | None) -> SSAValue:
    sum = g.add(node.operand(0), node.operand(1))
    return sum if bias is None else g.add(sum, bias)


def _inverse(node: NodeContext, g: Composer, x: SSAValue, mean: SSAValue | None) -> SSAValue | None:
    if mean is None or not node.has_output(2):
        return None
    distance = g.sub(x, mean)
    variance = g.mean(g.mul(distance, distance), len(shape(x)) - 1)
    return inverse_deviation(g, variance, node.number("epsilon", _EPSILON))


@converts("EmbedLayerNormalization", domain=_DOMAIN)
def _embed_layer_norm(node: NodeContext) -> Sequence[SSAValue | None]:
    g, epsilon = Composer(node.insert), number(node.number("epsilon", _EPSILON))
    kinds, mask, places = (node.optional(i) for i in (1, 7, 8))
    if DYNAMIC in node.shape(0):
        raise OpenSizeError(node.op_type)
    node.expect(mask_index_type=0)
    if places is None:
        length = node.shape(0)[-1]
        places = g.reshape(g.positions(length), [1, length])
    sum = g.add(_looked_up(node, 2, node.operand(0)), _looked_up(node, 3, places))
    if kinds is not None and node.optional(4) is not None:
        sum = g.add(sum, _looked_up(node, 4, kinds))
    axis = integer(len(shape(sum)) - 1)
    parameters = [node.operand(5), node.operand(6)]
    y = node.insert(LayerNormOp.make(sum, *parameters, axis=axis, epsilon=epsilon))
    return [y, _count(g, mask, node.shape(0)[0]), sum]


def _looked_up(node: NodeContext, table: int, places: SSAValue) -> SSAValue:
    return node.insert(GatherOp.make(node.operand(table), places, axis=integer(0)))


def _count(g: Composer, mask: SSAValue | None, batch: int) -> SSAValue:
    """Return how many tokens of each sequence are marked by 1, 0 without a mask."""
    if mask is None:
        return g.broadcast(g.reshape(g.splat(0, i32), [1]), [batch])
    marked = g.insert(CompareOp.make(mask, g.like(1, mask), predicate=StringAttr("eq")))
    return g.reshape(g.sum(g.cast(marked, i32), 1), [batch])
