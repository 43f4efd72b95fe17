"""Sizes as values, and the same elements under another shape."""

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dlc.dialects.graph.properties import integers, normalized_axis
from dlc.dialects.graph.reshape import ReshapeOp
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.ir.tensor import DYNAMIC, shape


def reshape(node: NodeContext, x: SSAValue, sizes: Sequence[int]) -> SSAValue:
    """Insert a reshape to ``sizes`` as ``graph.reshape`` has them, unless it changes nothing."""
    if DYNAMIC not in shape(x) and tuple(sizes) == shape(x):
        return x
    return node.insert(ReshapeOp.make(x, sizes=integers(sizes)))


def sizes_kept(x: SSAValue) -> list[int]:
    """Return the sizes of ``x`` for a reshape of it; a size not fixed says where it is from."""
    return [-2 - axis if n == DYNAMIC else n for axis, n in enumerate(shape(x))]


def _check_fixed(node: NodeContext, sizes: Sequence[int]) -> None:
    if DYNAMIC in sizes:
        raise OpenSizeError(f"{node.op_type} reads the size along axis {sizes.index(DYNAMIC)}")


@converts("Shape", since=1)
def _shape(node: NodeContext) -> SSAValue:
    rank = len(node.shape(0))
    sizes = node.shape(0)[node.integer("start", 0) : node.integer("end", rank)]
    _check_fixed(node, sizes)
    return node.constant_value(np.array(sizes, np.int64))


@converts("Size", since=1)
def _size(node: NodeContext) -> SSAValue:
    _check_fixed(node, node.shape(0))
    return node.constant_value(np.array(prod(node.shape(0)), np.int64))


@converts("Reshape", since=5)
def _reshape(node: NodeContext) -> SSAValue:
    old = node.shape(0)
    requested = [int(n) for n in node.require_constant(1, "shape").ravel()]
    if min(requested, default=0) < -1:
        raise CompileError(f"shape {requested} has a negative size other than -1")
    if not node.integer("allowzero", 0):
        if any(n == 0 and axis >= len(old) for axis, n in enumerate(requested)):
            raise CompileError(f"shape {requested} copies an axis that the operand does not have")
        kept = sizes_kept(node.operand(0))
        requested = [kept[axis] if n == 0 else n for axis, n in enumerate(requested)]
    return reshape(node, node.operand(0), _without_unknown(old, requested))


def _without_unknown(old: Sequence[int], requested: list[int]) -> list[int]:
    """Return the sizes with the -1 computed where all others are fixed."""
    known = prod(n for n in requested if n >= 0)
    if requested.count(-1) != 1 or min(requested) < -1 or DYNAMIC in old or not known:
        return requested
    return [prod(old) // known if n == -1 else n for n in requested]


@converts("Flatten", since=1)
def _flatten(node: NodeContext) -> SSAValue:
    sizes, axis = node.shape(0), node.integer("axis", 1)
    if not -len(sizes) <= axis <= len(sizes):
        raise CompileError(f"axis {axis} is outside a tensor of {len(sizes)} axes")
    axis = axis + len(sizes) if axis < 0 else axis
    flat = [-1 if DYNAMIC in part else prod(part) for part in (sizes[:axis], sizes[axis:])]
    if flat == [-1, -1] and axis == 1:
        flat[0] = sizes_kept(node.operand(0))[0]
    return reshape(node, node.operand(0), flat)


def _axes(node: NodeContext, input_since: int, rank: int) -> list[int] | None:
    """Return the axes from the attribute, or from input 1 since an opset version; sorted."""
    if node.opset < input_since:
        stated = node.attribute("axes")
        axes = None if stated is None else node.integers("axes")
    else:
        given = node.optional(1) is not None
        axes = [int(a) for a in node.require_constant(1, "axes").ravel()] if given else None
    return None if axes is None else sorted(normalized_axis(a, rank) for a in axes)


@converts("Squeeze", since=1)
def _squeeze(node: NodeContext) -> SSAValue:
    sizes = node.shape(0)
    axes = _axes(node, 13, len(sizes))
    if axes is None:
        axes = [axis for axis, n in enumerate(sizes) if n == 1]
    wrong = [axis for axis in axes if sizes[axis] not in (1, DYNAMIC)]
    if wrong:
        raise CompileError(f"cannot squeeze axis {wrong[0]} of size {sizes[wrong[0]]}")
    x = node.operand(0)
    return reshape(node, x, [n for axis, n in enumerate(sizes_kept(x)) if axis not in axes])


@converts("Unsqueeze", since=1)
def _unsqueeze(node: NodeContext) -> SSAValue:
    sizes = node.shape(0)
    count = len(node.integers("axes")) if node.opset < 13 else node.require_constant(1, "axes").size
    axes = _axes(node, 13, len(sizes) + count)
    if axes is None or len(set(axes)) != count:
        raise CompileError(f"axes {axes} of Unsqueeze are not distinct")
    old = iter(sizes_kept(node.operand(0)))
    new = [1 if axis in axes else next(old) for axis in range(len(sizes) + count)]
    return reshape(node, node.operand(0), new)
