"""Elements put at places that a tensor of indices names.

An update to a place outside is lost, and refused where it is known when compiling;
``dlc-run --check-indices`` refuses it in a run (docs/artifact.md).
"""

from math import prod

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import AndOp, CompareOp, WhereOp
from dlc.dialects.graph.elementwise import MaxOp, MinOp, ModOp, SubOp
from dlc.dialects.graph.gather import GatherElementsOp, GatherOp
from dlc.dialects.graph.layout import BroadcastOp
from dlc.dialects.graph.properties import integer, integers, normalized_axis
from dlc.dialects.graph.scatter import ScatterElementsOp, ScatterNdOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.known_indices import check_known_indices
from dlc.frontends.onnx.ops.shape import reshape
from dlc.ir.tensor import DYNAMIC, shape


@converts("Scatter", since=9)
@converts("ScatterElements", since=11)
def _scatter_elements(node: NodeContext) -> SSAValue:
    sizes = node.shape(0)
    axis = normalized_axis(node.integer("axis", 0), len(sizes))
    reduction = node.string("reduction", "none")
    operands = [node.operand(i) for i in range(3)]
    op = ScatterElementsOp.make(*operands, axis=integer(axis), reduction=StringAttr(reduction))
    known = _known_indices(node, op, reduction)
    if known is None:
        return node.insert(op)
    op.erase()  # it has checked the operands
    places: list[Array] = list(np.indices(known.shape, sparse=True))
    places[axis] = known
    return _gathered(node, _flat_places(places, sizes), 1)


@converts("ScatterND", since=11)
def _scatter_nd(node: NodeContext) -> SSAValue:
    sizes, reduction = node.shape(0), node.string("reduction", "none")
    operands = [node.operand(i) for i in range(3)]
    op = ScatterNdOp.make(*operands, reduction=StringAttr(reduction))
    known = _known_indices(node, op, reduction)
    if known is None:
        return node.insert(op)
    op.erase()  # as above
    depth = known.shape[-1]
    places = [known[..., axis] for axis in range(depth)]
    return _gathered(node, _flat_places(places, sizes[:depth]), prod(sizes[depth:]))


def _known_indices(node: NodeContext, op: GraphOp, reduction: str) -> Array | None:
    """Return the indices of ``op`` and erase it where each result element can be traced to its
    source when compiling.
    """
    known = node.constant(1)
    if known is None or not _is_gather(node, reduction):
        return None
    check_known_indices(op, node.known)
    op.erase()
    return known


def _is_gather(node: NodeContext, reduction: str) -> bool:
    """Return whether the places are known once the indices are."""
    fixed = DYNAMIC not in (*node.shape(0), *node.shape(2))
    return fixed and reduction == "none" and 0 not in (*node.shape(0), *node.shape(2))


def _flat_places(places: list[Array], sizes: tuple[int, ...]) -> Array:
    """Return for each place of ``sizes`` the number of the last update meant for it, or -1."""
    broadcast = np.broadcast_arrays(np.zeros(1, np.int64), *places)[1:]
    flat, inside = np.zeros(1, np.int64), np.array([True])
    for place, size in zip(broadcast, sizes, strict=True):
        from_front = np.where(place < 0, place + size, place).ravel()
        inside = inside & (from_front >= 0) & (from_front < size)
        flat = flat * size + from_front
    sources = np.full(prod(sizes), -1)
    numbers = np.arange(flat.size)[np.broadcast_to(inside, flat.shape)]
    sources[flat[numbers]] = numbers
    return sources


def _gathered(node: NodeContext, sources: Array, length: int) -> SSAValue:
    """Insert the scatter as a choice between gathered updates and the data, in rows of a length."""
    data, updates = node.operand(0), node.operand(2)
    rows = reshape(node, updates, [prod(node.shape(2)) // length, length])
    places = node.constant_value(np.maximum(sources, 0))
    taken = node.insert(GatherOp.make(rows, places, axis=integer(0)))
    if (sources < 0).any():
        is_updated = node.constant_value((sources >= 0)[:, None])
        old = reshape(node, data, [sources.size, length])
        taken = node.insert(WhereOp.make(is_updated, taken, old))
    return reshape(node, taken, shape(data))


@converts("TensorScatter", since=24)
def _tensor_scatter(node: NodeContext) -> SSAValue:
    """Write the update of a cache: from a start for each batch element on, along one axis."""
    cache, update = node.operand(0), node.operand(1)
    sizes, rank = shape(cache), len(shape(cache))
    axis = normalized_axis(node.integer("axis", -2), rank)
    if axis == 0 or DYNAMIC in sizes:
        raise CompileError("TensorScatter needs fixed sizes and another axis than the batch's")
    along = [sizes[axis] if a == axis else 1 for a in range(rank)]
    step = node.constant_value(np.arange(sizes[axis]).reshape(along))
    if node.optional(2) is not None:
        per_batch = [sizes[0] if a == 0 else 1 for a in range(rank)]
        step = node.insert(SubOp.make(step, reshape(node, node.operand(2), per_batch)))
    if node.string("mode", "linear") == "circular":
        length = node.constant_value(np.array(sizes[axis]))
        step = node.insert(ModOp.make(step, length))
    size = shape(update)[axis]
    zero, last, count = (node.constant_value(np.array(n)) for n in (0, size - 1, size))
    started = node.insert(CompareOp.make(step, zero, predicate=StringAttr("ge")))
    unfinished = node.insert(CompareOp.make(step, count, predicate=StringAttr("lt")))
    is_updated = node.insert(AndOp.make(started, unfinished))
    inside = node.insert(MaxOp.make(zero, node.insert(MinOp.make(step, last))))
    places = node.insert(BroadcastOp.make(inside, sizes=integers(sizes)))
    taken = node.insert(GatherElementsOp.make(update, places, axis=integer(axis)))
    return node.insert(WhereOp.make(is_updated, taken, cache))
