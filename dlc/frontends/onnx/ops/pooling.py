"""Pooling over windows and over whole images."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.max_pool import MaxPoolIndexOp, MaxPoolOp
from dlc.dialects.graph.pooling import PoolOp
from dlc.dialects.graph.properties import flag, integer, integers, number
from dlc.dialects.graph.reduction import ReduceL1Op, ReduceL2Op, ReduceMaxOp, ReduceMeanOp
from dlc.dialects.graph.scatter import ScatterElementsOp
from dlc.dialects.graph.sum_pool import AveragePoolOp, LpPoolOp
from dlc.dialects.graph.unpooling import MaxUnpoolOp
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.window import window_attributes
from dlc.ir.tensor import element_type, shape

MOST_SEARCHED = 1 << 28
"""A search for the element that is meant for a place may compare so many pairs of both."""


def _pool(node: NodeContext, op: type[PoolOp], **properties: Attribute | None) -> SSAValue:
    x = node.operand(0)
    sizes, taps = shape(x)[2:], node.integers("kernel_shape")
    if len(sizes) != len(taps):
        raise CompileError(f"kernel_shape {taps} does not fit {len(sizes)} spatial axes")
    window = window_attributes(node, sizes, taps)
    ceil = flag(bool(node.integer("ceil_mode", 0)))
    shared = {"window": integers(taps), "ceil_mode": ceil, **window.properties()}
    return node.insert(op.make(x, results=1, **shared, **properties))


@converts("MaxPool", since=1)
def _max_pool(node: NodeContext) -> Sequence[SSAValue]:
    values = [_pool(node, MaxPoolOp)]
    column_major = flag(bool(node.integer("storage_order", 0)))
    if node.has_output(1):
        values.append(_pool(node, MaxPoolIndexOp, column_major=column_major))
    return values


@converts("MaxUnpool", since=9)
def _max_unpool(node: NodeContext) -> SSAValue:
    """Put elements where the places say: numbers of the elements of the result that the attributes
    give, which is padded to ``output_shape``.

    ONNX Runtime and PyTorch number the elements of ``output_shape`` instead. So is it read where
    the places are those of a pooling of a tensor of that shape.
    """
    x, places, taps = node.operand(0), node.operand(1), node.integers("kernel_shape")
    window = window_attributes(node, shape(x)[2:], taps)

    def unpool(padding: Sequence[int]) -> MaxUnpoolOp:
        attributes = [integers(n) for n in (taps, window.strides, padding)]
        named = dict(zip(("window", "strides", "padding"), attributes, strict=True))
        return MaxUnpoolOp.make(x, places, results=1, **named)

    op = unpool(window.padding)
    sizes = list(shape(op.output))
    wanted = _unpooled_sizes(node, sizes)
    if len(wanted) != len(sizes):
        raise CompileError(f"output_shape {wanted} should have {len(sizes)} sizes")
    if _is_inverse(op, wanted):
        ends = [n - m for n, m in zip(sizes[2:], wanted[2:], strict=True)]
        begins, given = window.padding[: len(ends)], window.padding[len(ends) :]
        op.erase()
        return node.insert(unpool([*begins, *(n + m for n, m in zip(given, ends, strict=True))]))
    op.erase()
    added = [new - old for new, old in zip(wanted, sizes, strict=True)]
    if min(added) < 0:
        raise CompileError(f"output_shape {wanted} is smaller than the result, {sizes}")
    if (pairs := prod(sizes) * prod(shape(x))) > MOST_SEARCHED:
        raise CompileError(
            "its places are not those of a MaxPool of the same windows in this model, and to "
            f"search {pairs} pairs of elements and places takes too long; give it a model that "
            "has the MaxPool, too"
        )
    g = Composer(node.insert)
    flat = g.splat(0, element_type(x), [prod(sizes)])
    updates, indices = (g.reshape(t, [-1]) for t in (x, places))
    none = StringAttr("none")
    put = ScatterElementsOp.make(flat, indices, updates, axis=integer(0), reduction=none)
    return g.pad(g.reshape(node.insert(put), sizes), [0] * len(added), added)


def _unpooled_sizes(node: NodeContext, sizes: Sequence[int]) -> list[int]:
    if node.optional(2) is None:
        return list(sizes)
    return [int(n) for n in node.require_constant(2, "output shape").ravel()]


def _is_inverse(op: MaxUnpoolOp, sizes: Sequence[int]) -> bool:
    """Return whether the places are those of a pooling of ``sizes`` by the same windows."""
    pool = op.places.owner
    if not isinstance(pool, MaxPoolIndexOp) or list(shape(pool.x)) != list(sizes):
        return False
    begins = [p.padding.get_values()[: len(sizes) - 2] for p in (op, pool)]
    return (
        begins[0] == begins[1]
        and (op.window, op.strides) == (pool.window, pool.strides)
        and set(pool.dilations.get_values()) == {1}
        and pool.column_major is None
        and shape(op.x) == shape(pool.output)
    )


@converts("AveragePool", since=1)
def _average_pool(node: NodeContext) -> SSAValue:
    include = flag(bool(node.integer("count_include_pad", 0)))
    return _pool(node, AveragePoolOp, count_include_pad=include)


@converts("LpPool", since=2)
def _lp_pool(node: NodeContext) -> SSAValue:
    return _pool(node, LpPoolOp, exponent=number(node.integer("p", 2)))


def _spatial_axes(node: NodeContext) -> range:
    return range(2, len(node.shape(0)))


@converts("GlobalAveragePool", since=1)
def _global_average_pool(node: NodeContext) -> SSAValue:
    return Composer(node.insert).reduce(ReduceMeanOp, node.operand(0), _spatial_axes(node))


@converts("GlobalMaxPool", since=1)
def _global_max_pool(node: NodeContext) -> SSAValue:
    return Composer(node.insert).reduce(ReduceMaxOp, node.operand(0), _spatial_axes(node))


@converts("GlobalLpPool", since=2)
def _global_lp_pool(node: NodeContext) -> SSAValue:
    g, x, exponent = Composer(node.insert), node.operand(0), node.integer("p", 2)
    if exponent in (1, 2):
        op = ReduceL1Op if exponent == 1 else ReduceL2Op
        return g.reduce(op, x, _spatial_axes(node))
    total = g.sum(g.pow(g.absolute(x), g.like(exponent, x)), *_spatial_axes(node))
    return g.pow(total, g.like(1 / exponent, x))
