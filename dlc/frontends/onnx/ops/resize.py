"""Resizing of images: tables of places and weights are made when compiling, one axis at a time."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from math import floor, prod

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.interpolate import InterpolateOp
from dlc.dialects.graph.properties import integer, integers, normalized_axis
from dlc.dialects.graph.resample import ResampleOp
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.resample_table import Table
from dlc.frontends.onnx.ops.resampling import Kernel, ResizedAxis
from dlc.ir.tensor import DYNAMIC, element_type, is_float, shape

_MOST_POINTS = 8
"""Elements of a sum along several axes at once: of more, sums along one axis after the other take
so many operations less that they are worth the values in between.
"""


@converts("Upsample", since=7)
def _upsample_by_attribute(node: NodeContext) -> SSAValue:
    return _scaled(node, node.numbers("scales", []))


@converts("Upsample", since=9)
@converts("Resize", since=10)
def _upsample(node: NodeContext) -> SSAValue:
    return _scaled(node, node.require_constant(1, "scales").ravel().tolist())


def _scaled(node: NodeContext, scales: Sequence[float]) -> SSAValue:
    """Insert a resize as it was before opset 11: an axis that shrinks takes the later neighbour."""
    if len(scales) != len(node.shape(0)):
        raise CompileError(f"{len(scales)} scales do not fit {len(node.shape(0))} axes")
    scaled = {axis: scale for axis, scale in enumerate(scales) if scale != 1}
    lengths = _fixed_lengths(node, list(scaled))
    axes = {
        axis: ResizedAxis(
            n, _scaled_length(n, scale), scale, rounding="ceil" if scale < 1 else "floor"
        )
        for n, (axis, scale) in zip(lengths, scaled.items(), strict=True)
    }
    return _resized(node, axes, node.string("mode", "nearest"), "asymmetric")


def _scaled_length(length: int, scale: float) -> int:
    """Return the size of a scaled axis.

    The product is one of floats, as the frameworks that wrote the scale have it: 10 elements times
    0.7, which a float holds as 0.699999988, are 7.
    """
    return floor(np.float32(length) * np.float32(scale))


@converts("Resize", since=11)
def _resize(node: NodeContext) -> SSAValue:
    return _resized(
        node,
        _resized_axes(node),
        node.string("mode", "nearest"),
        node.string("coordinate_transformation_mode", "half_pixel"),
    )


def _fixed_lengths(node: NodeContext, axes: Sequence[int]) -> list[int]:
    """Return the sizes of the axes that are resized; they must be fixed."""
    lengths = [node.shape(0)[axis] for axis in axes]
    if DYNAMIC in lengths:
        raise OpenSizeError(node.op_type)
    return lengths


def _resized_axes(node: NodeContext) -> dict[int, ResizedAxis]:
    """Return the axes that scales or sizes name."""
    rank = len(node.shape(0))
    axes = [normalized_axis(axis, rank) for axis in node.integers("axes", range(rank))]
    scales = _stated(node, 2, "scales")
    policy = node.string("keep_aspect_ratio_policy", "stretch")
    if scales is not None and _stated(node, 1, "roi") is None:
        if len(scales) != len(axes):
            raise CompileError(f"{len(scales)} scales do not fit {len(axes)} axes")
        kept = [(axis, scale) for axis, scale in zip(axes, scales, strict=True) if scale != 1]
        axes, scales = [axis for axis, _ in kept], [scale for _, scale in kept]
    lengths = _fixed_lengths(node, axes)
    if scales is not None:
        results = list(map(_scaled_length, lengths, scales))
    else:
        wanted = _stated(node, 3, "sizes")
        if wanted is None:
            raise CompileError("Resize needs scales or sizes")
        results, scales = _fitted(lengths, [int(n) for n in wanted], policy)
    region = _stated(node, 1, "roi") or [0.0] * len(axes) + [1.0] * len(axes)
    regions = zip(region[: len(axes)], region[len(axes) :], strict=True)
    rounding = repeat(node.string("nearest_mode", "round_prefer_floor"))
    resized = map(ResizedAxis, lengths, results, scales, regions, rounding)
    return dict(zip(axes, resized, strict=True))


def _stated(node: NodeContext, i: int, what: str) -> list[float] | None:
    """Return the numbers of an input; ``None`` when it is absent or empty."""
    if node.optional(i) is None:
        return None
    return [float(x) for x in node.require_constant(i, what).ravel()] or None


def _fitted(
    lengths: Sequence[int], wanted: Sequence[int], policy: str
) -> tuple[list[int], list[float]]:
    """Return sizes and scales that keep the aspect ratio as ``policy`` says."""
    if len(lengths) != len(wanted):
        raise CompileError(f"{len(wanted)} sizes do not fit {len(lengths)} axes")
    scales = [size / n for size, n in zip(wanted, lengths, strict=True)]
    if policy == "stretch":
        return list(wanted), scales
    if policy not in ("not_larger", "not_smaller"):
        raise CompileError(f"keep_aspect_ratio_policy {policy} is not known")
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [floor(scale * n + 0.5) for n in lengths], [scale] * len(lengths)


def _resized(
    node: NodeContext, axes: dict[int, ResizedAxis], mode: str, coordinates: str
) -> SSAValue:
    """Insert the resize of every axis that changes."""
    x = node.operand(0)
    extrapolated = coordinates == "tf_crop_and_resize"
    value = node.number("extrapolation_value", 0.0)
    kernel = _kernel(node, mode)
    antialias = bool(node.integer("antialias", 0))
    y = x if kernel is None or is_float(element_type(x)) else Composer(node.insert).cast(x, f32)
    outside, tables = dict[int, np.ndarray](), dict[int, Table]()
    for axis, resized in axes.items():
        precise = np.float32 if kernel is None else np.float64
        positions = resized.coordinates(coordinates, precise)
        if extrapolated:
            outside[axis] = (positions < 0) | (positions > resized.length - 1)
        if kernel is None:
            y = _taken(node, y, axis, resized.nearest(positions))
        else:
            stretch = max(1.0, 1 / resized.scale) if antialias else 1.0
            table = kernel.table(positions, resized.length, stretch)
            tables[axis] = Table(resized.length, *table)
    y = Composer(node.insert).cast(_interpolated(node, y, tables), element_type(x))
    for axis, mask in outside.items():
        y = _extrapolated(node, y, axis, mask, value)
    return y


def _kernel(node: NodeContext, mode: str) -> Kernel | None:
    """Return the kernel of an interpolation mode, ``None`` for the nearest element."""
    exclude = bool(node.integer("exclude_outside", 0))
    sharpness = node.number("cubic_coeff_a", -0.75)
    match mode:
        case "nearest":
            return None
        case "linear" | "bilinear":
            return Kernel(1, exclude_outside=exclude)
        case "cubic":
            return Kernel(2, sharpness, exclude)
        case _:
            raise CompileError(f"the mode {mode} of {node.op_type} is not known")


def _taken(node: NodeContext, x: SSAValue, axis: int, places: np.ndarray) -> SSAValue:
    """Insert the elements at known places along an axis."""
    g, sizes = Composer(node.insert), shape(x)
    length = sizes[axis]
    if np.array_equal(places, np.arange(length)):
        return x
    times = len(places) // length
    if np.array_equal(places, np.repeat(np.arange(length), times)):
        apart = g.reshape(x, [*sizes[: axis + 1], 1, *sizes[axis + 1 :]])
        apart = g.broadcast(apart, [*sizes[: axis + 1], times, *sizes[axis + 1 :]])
        return g.reshape(apart, [*sizes[:axis], length * times, *sizes[axis + 1 :]])
    return node.insert(GatherOp.make(x, node.constant_value(places), axis=integer(axis)))


def _interpolated(node: NodeContext, x: SSAValue, tables: Mapping[int, Table]) -> SSAValue:
    """Insert weighted sums of elements along axes; a copy where every sum has one element. Where
    places follow a line, no table of them is read, and several axes are resized at once.
    """
    y, together = x, dict[int, Table]()
    for axis, table in tables.items():
        if table.weights.shape[1] == 1:
            y = _taken(node, y, axis, table.places[:, 0])
        elif table.line and _points([*together.values(), table]) <= _MOST_POINTS:
            together[axis] = table
        else:
            y = _along_tables(node, y, axis, table)
    return _resampled(node, y, together) if together else y


def _points(tables: Iterable[Table]) -> int:
    return prod(table.weights.shape[1] for table in tables)


def _resampled(node: NodeContext, x: SSAValue, tables: Mapping[int, Table]) -> SSAValue:
    weights = [node.constant_value(table.rows(element_type(x))) for table in tables.values()]
    sizes = [len(table.places) for table in tables.values()]
    lines = [number for table in tables.values() for number in table.line or ()]
    return node.insert(
        ResampleOp.make(
            x, *weights, axes=integers(list(tables)), sizes=integers(sizes), lines=integers(lines)
        )
    )


def _along_tables(node: NodeContext, x: SSAValue, axis: int, table: Table) -> SSAValue:
    if table.line:
        return _resampled(node, x, {axis: table})
    rows = table.rows(element_type(x))
    tables = node.constant_value(table.places), node.constant_value(rows)
    return node.insert(InterpolateOp.make(x, *tables, axis=integer(axis)))


def _extrapolated(
    node: NodeContext, y: SSAValue, axis: int, outside: np.ndarray, value: float
) -> SSAValue:
    """Insert ``value`` at the places of an axis that lie outside the operand."""
    if not outside.any():
        return y
    g = Composer(node.insert)
    mask = g.on_axis(node.constant_value(outside), axis, len(shape(y)))
    return node.insert(WhereOp.make(mask, g.like(value, y), y))
