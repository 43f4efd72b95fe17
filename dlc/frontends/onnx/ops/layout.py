"""Data movement: transpose, broadcast, tile, slice, split, concatenation, padding."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.layout import BroadcastOp, ConcatOp, SliceOp, TileOp, TransposeOp
from dlc.dialects.graph.pad import PadOp
from dlc.dialects.graph.properties import element_attribute, integer, integers, normalized_axis
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.shape import reshape
from dlc.ir.tensor import DYNAMIC, element_type, shape

_END = np.iinfo(np.int64).max


def transpose(node: NodeContext, x: SSAValue, permutation: Sequence[int]) -> SSAValue:
    """Insert a transpose whose axis ``i`` is the operand's axis ``permutation[i]``."""
    return node.insert(TransposeOp.make(x, permutation=integers(permutation)))


def slice_axes(node: NodeContext, x: SSAValue, slices: dict[int, slice]) -> SSAValue:
    """Insert a slice by Python's rules along some axes."""
    sizes = shape(x)
    each = [_plain(slices[a], n) if a in slices else slice(0, n, 1) for a, n in enumerate(sizes)]
    each = [slice(0, _END, 1) if s.stop == DYNAMIC and s.step == 1 else s for s in each]
    op = SliceOp.make(
        x,
        starts=integers([s.start for s in each]),
        stops=integers([s.stop for s in each]),
        steps=integers([s.step for s in each]),
    )
    return node.insert(op)


def _plain(part: slice, size: int) -> slice:
    """Return a slice with its positions counted from the front, where the size is fixed."""
    if size == DYNAMIC:
        return part
    start, stop, step = part.indices(size)
    # A position before the first element counts from the end, or it would be the last one.
    return slice(start, stop if stop >= 0 else -size - 1, step)


@converts("Transpose", since=1)
def _transpose(node: NodeContext) -> SSAValue:
    rank = len(node.shape(0))
    permutation = node.integers("perm", list(range(rank))[::-1])
    return transpose(node, node.operand(0), permutation)


@converts("Expand", since=8)
def _expand(node: NodeContext) -> SSAValue:
    sizes = [int(n) for n in node.require_constant(1, "shape").ravel()]
    op = BroadcastOp.make(node.operand(0), sizes=integers(sizes))
    same = op.forwarded()
    if same is None:
        return node.insert(op)
    op.erase()  # else it would stay a user of its operand
    return same


@converts("Tile", since=6)
def _tile(node: NodeContext) -> SSAValue:
    repeats = [int(n) for n in node.require_constant(1, "repeats").ravel()]
    return node.insert(TileOp.make(node.operand(0), repeats=integers(repeats)))


@converts("Concat", since=4)
def _concat(node: NodeContext) -> SSAValue:
    operands = node.operands()
    if not operands:
        raise CompileError("Concat needs at least one input")
    axis = normalized_axis(node.integer("axis"), len(node.shape(0)))
    return operands[0] if len(operands) == 1 else concat(node, operands, axis)


def concat(node: NodeContext, operands: Sequence[SSAValue], axis: int) -> SSAValue:
    """Insert the concatenation of values along an axis counted from the front."""
    return node.insert(ConcatOp.make(*operands, axis=integer(axis)))


@converts("Split", since=2)
def _split(node: NodeContext) -> Sequence[SSAValue]:
    x, sizes = node.operand(0), node.shape(0)
    axis = normalized_axis(node.integer("axis", 0), len(sizes))
    parts = _parts(node, sizes[axis])
    starts = np.cumsum([0, *parts[:-1]])
    return [
        slice_axes(node, x, {axis: slice(int(start), int(start) + part, 1)})
        for start, part in zip(starts, parts, strict=True)
    ]


def _parts(node: NodeContext, size: int) -> list[int]:
    """Return the size of each output of Split."""
    if node.attribute("split") is not None:
        parts = node.integers("split")
    elif node.optional(1) is not None:
        parts = [int(n) for n in node.require_constant(1, "split").ravel()]
    else:
        count = node.integer("num_outputs", node.output_count)
        if count != node.output_count:
            raise CompileError(f"Split into {count} parts has {node.output_count} outputs")
        return _equal_parts(size, count)
    if size != DYNAMIC and sum(parts) != size:
        raise CompileError(f"parts of sizes {parts} do not add up to {size}")
    return parts


def _equal_parts(size: int, count: int) -> list[int]:
    if size == DYNAMIC:
        raise OpenSizeError("a split into equal parts")
    part = -(-size // count)
    return [max(0, min(part, size - number * part)) for number in range(count)]


@converts("Slice", since=1)
def _slice_by_attributes(node: NodeContext) -> SSAValue:
    starts, ends = node.integers("starts"), node.integers("ends")
    axes = node.integers("axes", list(range(len(starts))))
    return _slice(node, starts, ends, axes, [1] * len(starts))


@converts("Slice", since=10)
def _slice_by_inputs(node: NodeContext) -> SSAValue:
    starts, ends = (
        [int(n) for n in node.require_constant(number, what).ravel()]
        for number, what in ((1, "starts"), (2, "ends"))
    )
    axes, steps = list(range(len(starts))), [1] * len(starts)
    if node.optional(3) is not None:
        axes = [int(n) for n in node.require_constant(3, "axes").ravel()]
    if node.optional(4) is not None:
        steps = [int(n) for n in node.require_constant(4, "steps").ravel()]
    return _slice(node, starts, ends, axes, steps)


def _slice(
    node: NodeContext,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[int],
) -> SSAValue:
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise CompileError("starts, ends, axes and steps of Slice differ in length")
    if 0 in steps:
        raise CompileError("a step of Slice is 0")
    rank = len(node.shape(0))
    slices = {
        normalized_axis(axis, rank): slice(start, end, step)
        for axis, start, end, step in zip(axes, starts, ends, steps, strict=True)
    }
    return slice_axes(node, node.operand(0), slices)


@converts("Pad", since=2)
def _pad_by_attributes(node: NodeContext) -> SSAValue:
    return _pad(node, node.integers("pads"), node.number("value", 0.0))


@converts("Pad", since=11)
def _pad_by_inputs(node: NodeContext) -> SSAValue:
    rank = len(node.shape(0))
    pads = [int(n) for n in node.require_constant(1, "pads").ravel()]
    value = 0.0
    if node.optional(2) is not None:
        value = node.require_constant(2, "value").item()
    if node.optional(3) is not None:
        axes = [normalized_axis(int(a), rank) for a in node.require_constant(3, "axes").ravel()]
        if len(pads) != 2 * len(axes):
            raise CompileError(f"{len(pads)} pads do not fit {len(axes)} axes")
        low, high = (dict(zip(axes, half, strict=True)) for half in _halves(pads))
        pads = [side.get(axis, 0) for side in (low, high) for axis in range(rank)]
    return _pad(node, pads, value)


def _halves(pads: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    return pads[: len(pads) // 2], pads[len(pads) // 2 :]


def _pad(node: NodeContext, pads: Sequence[int], value: float) -> SSAValue:
    x, mode = node.operand(0), node.string("mode", "constant")
    low, high = _halves(pads)
    constant = element_attribute(value, element_type(x)) if mode == "constant" else None
    op = PadOp.make(
        x, low=integers(low), high=integers(high), mode=StringAttr(mode), value=constant
    )
    return node.insert(op)


@converts("DepthToSpace", since=1)
def _depth_to_space(node: NodeContext) -> SSAValue:
    batch, channels, height, width = _image(node)
    block = node.integer("blocksize")
    if channels % block**2:
        raise CompileError(f"{channels} channels do not divide into blocks of {block} x {block}")
    depth = channels // block**2
    if _is_depth_first(node):
        sizes, permutation = (batch, block, block, depth, height, width), (0, 3, 4, 1, 5, 2)
    else:
        sizes, permutation = (batch, depth, block, block, height, width), (0, 1, 4, 2, 5, 3)
    blocks = transpose(node, reshape(node, node.operand(0), sizes), permutation)
    return reshape(node, blocks, (batch, depth, height * block, width * block))


@converts("SpaceToDepth", since=1)
def _space_to_depth(node: NodeContext) -> SSAValue:
    batch, channels, height, width = _image(node)
    block = node.integer("blocksize")
    if height % block or width % block:
        raise CompileError(f"{height} x {width} does not divide into blocks of {block} x {block}")
    rows, columns = height // block, width // block
    sizes = (batch, channels, rows, block, columns, block)
    permutation = (0, 3, 5, 1, 2, 4) if _is_depth_first(node) else (0, 1, 3, 5, 2, 4)
    blocks = transpose(node, reshape(node, node.operand(0), sizes), permutation)
    return reshape(node, blocks, (batch, channels * block**2, rows, columns))


def _is_depth_first(node: NodeContext) -> bool:
    """Return whether the place in a block varies slower than the depth (DCR), or faster (CRD)."""
    mode = node.string("mode", "DCR")
    if mode not in ("DCR", "CRD"):
        raise CompileError(f"{node.op_type} has no mode {mode!r}; use DCR or CRD")
    return mode == "DCR"


def _image(node: NodeContext) -> tuple[int, ...]:
    sizes = node.shape(0)
    if len(sizes) != 4 or DYNAMIC in sizes:
        raise CompileError(f"{node.op_type} needs 4 axes of fixed size, got {list(sizes)}")
    return sizes


@converts("CenterCropPad", since=18)
def _center_crop_pad(node: NodeContext) -> SSAValue:
    x, sizes = node.operand(0), node.shape(0)
    axes = node.integers("axes", list(range(len(sizes))))
    wanted = [int(n) for n in node.require_constant(1, "shape").ravel()]
    low, high = [0] * len(sizes), [0] * len(sizes)
    for axis, size in zip(axes, wanted, strict=True):
        missing = size - sizes[axis]
        # The odd element is added at the end, and cut off there too.
        low[axis] = missing // 2 if missing > 0 else -(-missing // 2)
        high[axis] = missing - low[axis]
    zero = element_attribute(0, element_type(x))
    mode = StringAttr("constant")
    return node.insert(PadOp.make(x, low=integers(low), high=integers(high), mode=mode, value=zero))
