"""Elements at places that a tensor of indices names.

An index outside of its axis is taken to the nearest element; ``dlc-run --check-indices`` refuses it
(docs/artifact.md).
"""

import numpy as np
from xdsl.dialects.builtin import StringAttr, i64
from xdsl.ir import SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.comparison import CompareOp, WhereOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.gather import (
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    ReverseSequenceOp,
)
from dlc.dialects.graph.properties import integer, normalized_axis
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.limits import MOST_COMPUTED, check_sizes
from dlc.frontends.onnx.ops.elementwise import scalar_like
from dlc.frontends.onnx.ops.layout import slice_axes
from dlc.frontends.onnx.ops.shape import reshape, sizes_kept
from dlc.ir.tensor import shape


def _axis(node: NodeContext, default: int = 0) -> int:
    return normalized_axis(node.integer("axis", default), len(node.shape(0)))


@converts("Gather", since=1)
def _gather(node: NodeContext) -> SSAValue:
    data, sizes, axis = node.operand(0), node.shape(0), _axis(node)
    known = node.constant(1)
    if known is not None and known.ndim == 0 and -sizes[axis] <= known < sizes[axis]:
        # One known element is a slice: its place can be computed when compiling.
        place = int(known) % sizes[axis]
        part = slice_axes(node, data, {axis: slice(place, place + 1, 1)})
        return reshape(node, part, [n for a, n in enumerate(sizes_kept(part)) if a != axis])
    return node.insert(GatherOp.make(data, node.operand(1), axis=integer(axis)))


@converts("GatherElements", since=11)
def _gather_elements(node: NodeContext) -> SSAValue:
    op = GatherElementsOp.make(node.operand(0), node.operand(1), axis=integer(_axis(node)))
    return node.insert(op)


@converts("GatherND", since=11)
def _gather_nd(node: NodeContext) -> SSAValue:
    batch_axes = integer(node.integer("batch_dims", 0))
    return node.insert(GatherNdOp.make(node.operand(0), node.operand(1), batch_axes=batch_axes))


@converts("ReverseSequence", since=10)
def _reverse_sequence(node: NodeContext) -> SSAValue:
    op = ReverseSequenceOp.make(
        node.operand(0),
        node.operand(1),
        batch_axis=integer(node.integer("batch_axis", 1)),
        time_axis=integer(node.integer("time_axis", 0)),
    )
    return node.insert(op)


@converts("Compress", since=9)
def _compress(node: NodeContext) -> SSAValue:
    data = node.operand(0)
    taken = np.flatnonzero(node.require_constant(1, "condition"))
    if node.attribute("axis") is None:
        data, axis = reshape(node, data, [-1]), 0
    else:
        axis = _axis(node)
    return node.insert(GatherOp.make(data, node.constant_value(taken), axis=integer(axis)))


@converts("OneHot", since=9)
def _one_hot(node: NodeContext) -> SSAValue:
    depth = int(node.require_constant(1, "depth").item())
    check_sizes([depth], MOST_COMPUTED)
    values = node.operand(2)
    indices = node.insert(CastOp.make(node.operand(0), to=i64))
    rank = len(shape(indices))
    axis = normalized_axis(node.integer("axis", -1), rank + 1)
    indices = _from_front(node, indices, depth)
    hot = reshape(node, indices, _with_axis(sizes_kept(indices), axis, 1))
    places = node.constant_value(np.arange(depth).reshape(_with_axis([1] * rank, axis, depth)))
    is_hot = node.insert(CompareOp.make(hot, places, predicate=StringAttr("eq")))
    off, on = (slice_axes(node, values, {0: slice(i, i + 1, 1)}) for i in range(2))
    return node.insert(WhereOp.make(is_hot, on, off))


def _with_axis(sizes: list[int], axis: int, size: int) -> list[int]:
    return [*sizes[:axis], size, *sizes[axis:]]


def _from_front(node: NodeContext, indices: SSAValue, size: int) -> SSAValue:
    """Write indices counted from the front."""
    is_negative = node.insert(
        CompareOp.make(indices, scalar_like(node, 0, indices), predicate=StringAttr("lt"))
    )
    wrapped = node.insert(AddOp.make(indices, scalar_like(node, size, indices)))
    return node.insert(WhereOp.make(is_negative, wrapped, indices))
