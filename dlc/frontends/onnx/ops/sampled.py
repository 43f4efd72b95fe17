"""Convolution and pooling at places between elements, which other inputs name."""

from math import prod

import numpy as np
from xdsl.dialects.builtin import StringAttr, UnitAttr, f32
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import AndOp, CompareOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.elementwise import MaxOp
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.grid_sample import GridSampleOp
from dlc.dialects.graph.properties import integer
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.convolution import add_channel_bias
from dlc.frontends.onnx.ops.window import WindowAttributes, window_attributes
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape


def _sample(node: NodeContext, x: SSAValue, places: SSAValue, padding: str) -> SSAValue:
    """Insert the elements of ``x[n, c, axes...]``, interpolated at ``places[n, ..., axis]``.

    places: indices along the spatial axes, in their order.
    """
    grid = Composer(node.insert).reverse(places, [len(shape(places)) - 1])  # the last axis first
    mode, edges = StringAttr("linear"), StringAttr(padding)
    op = GridSampleOp.make(x, grid, mode=mode, padding=edges, unnormalized=UnitAttr())
    return node.insert(op)


@converts("DeformConv", since=19)
def _deformable_convolution(node: NodeContext) -> SSAValue:
    """Each tap of the kernel reads at its place plus an offset; then it is a matrix product."""
    g, x, weight, offset = Composer(node.insert), *(node.operand(i) for i in range(3))
    if DYNAMIC in (*shape(x), *shape(offset)):
        raise OpenSizeError(node.op_type)
    (batch, channels, *sizes), (results, _, *taps) = shape(x), shape(weight)
    node.disregard("kernel_shape")
    groups, offset_groups = node.integer("group", 1), node.integer("offset_group", 1)
    window, (_, _, *positions) = window_attributes(node, sizes, taps), shape(offset)
    axes, points = len(taps), prod(positions)
    apart = g.reshape(offset, [batch * offset_groups, prod(taps), axes, *positions])
    order = [0, 1, *range(3, 3 + axes), 2]
    fixed = node.constant_value(_tap_places(window, taps, positions))
    places = g.add(g.cast(g.transpose(apart, order), f32), fixed)
    rows = [prod(taps) * positions[0], *positions[1:]]
    places = g.reshape(places, [batch * offset_groups, *rows, axes])
    image = g.reshape(x, [batch * offset_groups, channels // offset_groups, *sizes])
    read = _sample(node, image, places, "zeros")
    split = [batch, offset_groups, channels // offset_groups, prod(taps), points]
    read, mask = g.reshape(read, split), node.optional(4)
    if mask is not None:
        read = g.mul(read, g.reshape(mask, [batch, offset_groups, 1, prod(taps), points]))
    depth = channels // groups * prod(taps)
    y = g.matmul(
        g.reshape(weight, [groups, results // groups, depth]),
        g.reshape(read, [batch, groups, depth, points]),
    )
    return add_channel_bias(node, g.reshape(y, [batch, results, *positions]), node.optional(3))


def _tap_places(window: WindowAttributes, taps: list[int], positions: list[int]) -> np.ndarray:
    """Return ``[tap, positions..., axis]``: where each tap of each position reads, by axis."""
    tap = np.moveaxis(np.indices(taps), 0, -1).reshape(-1, *[1] * len(taps), len(taps))
    position = np.moveaxis(np.indices(positions), 0, -1)
    start = position * window.strides - np.array(window.padding[: len(taps)])
    return (start + tap * np.array(window.dilations)).astype(np.float32)


@converts("RoiAlign", since=10)
def _roi_align_at_corners(node: NodeContext) -> SSAValue:
    return _roi_align(node, half_pixel=False)


@converts("RoiAlign", since=16)
def _roi_align_at_middles(node: NodeContext) -> SSAValue:
    mode = node.string("coordinate_transformation_mode", "half_pixel")
    return _roi_align(node, half_pixel=mode == "half_pixel")


def _roi_align(node: NodeContext, half_pixel: bool) -> SSAValue:
    """The mean over samples that are spread evenly over each cell of each region."""
    samples = node.integer("sampling_ratio", 0)
    if samples < 1 or node.string("mode", "avg") != "avg":
        raise CompileError("RoiAlign needs mode = avg and a sampling_ratio above 0")
    g, x = Composer(node.insert), node.operand(0)
    (_, channels, *sizes), (count, _) = shape(x), shape(node.operand(1))
    cells = [node.integer("output_height", 1), node.integer("output_width", 1)]
    rows, columns = (
        _region_places(node, axis, cells[axis] * samples, half_pixel) for axis in (0, 1)
    )
    counts = [cell * samples for cell in cells]
    along = [g.reshape(rows, [count, -1, 1, 1]), g.reshape(columns, [count, 1, -1, 1])]
    places = g.concat([g.broadcast(p, [count, *counts, 1]) for p in along], 3)
    images = node.insert(GatherOp.make(x, node.operand(2), axis=integer(0)))
    y = _sample(node, images, places, "border")
    for axis, place in enumerate(along):
        inside = _within(node, place, -1, sizes[axis])
        y = g.mul(y, g.cast(g.reshape(inside, [count, 1, *shape(place)[1:3]]), element_type(x)))
    apart = g.reshape(y, [count, channels, cells[0], samples, cells[1], samples])
    return g.reshape(g.mean(apart, 3, 5), [count, channels, *cells])


def _region_places(node: NodeContext, axis: int, count: int, half_pixel: bool) -> SSAValue:
    """Return ``[region, i]``: ``count`` places spread evenly over each region along an axis.

    A region is ``x1, y1, x2, y2``. Without ``half_pixel`` it is at least one element long.
    """
    g, regions, scale = Composer(node.insert), node.operand(1), node.number("spatial_scale", 1.0)
    shift = g.like(0.5 if half_pixel else 0.0, regions)
    start, end = (
        g.sub(g.mul(g.part(regions, 1, column, column + 1), g.like(scale, regions)), shift)
        for column in (1 - axis, 3 - axis)
    )
    extent = g.sub(end, start)
    if not half_pixel:
        extent = node.insert(MaxOp.make(extent, g.like(1, extent)))
    share = (np.arange(count) + 0.5) / count
    fixed = node.constant_value(share.astype(numpy_dtype(element_type(regions))))
    return g.add(start, g.mul(extent, fixed))


def _within(node: NodeContext, x: SSAValue, low: float, high: float) -> SSAValue:
    """Return whether ``low <= x <= high``."""
    g = Composer(node.insert)
    above, below = (
        node.insert(CompareOp.make(x, g.like(limit, x), predicate=StringAttr(predicate)))
        for limit, predicate in ((low, "ge"), (high, "le"))
    )
    return node.insert(AndOp.make(above, below))
