"""Convolutions and transposed convolutions."""

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.transposed_convolution import ConvTransposeOp
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.window import per_axis, window_attributes
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape


@converts("Conv", since=1)
def _conv(node: NodeContext) -> SSAValue:
    x, weight = node.operand(0), node.operand(1)
    return add_channel_bias(node, convolution(node, x, weight), node.optional(2))


def convolution(node: NodeContext, x: SSAValue, weight: SSAValue) -> SSAValue:
    """Insert the convolution that the node's attributes describe."""
    _check_kernel_shape(node, shape(weight)[2:])
    window = window_attributes(node, shape(x)[2:], shape(weight)[2:])
    groups = integer(node.integer("group", 1))
    return node.insert(ConvOp.make(x, weight, groups=groups, results=1, **window.properties()))


def _check_kernel_shape(node: NodeContext, taps: tuple[int, ...]) -> None:
    stated = node.integers("kernel_shape", taps)
    if tuple(stated) != taps:
        raise CompileError(f"kernel_shape {stated} differs from that of the weight, {list(taps)}")


def add_channel_bias(node: NodeContext, y: SSAValue, bias: SSAValue | None) -> SSAValue:
    """Insert the addition of one number per channel, with the channels first."""
    if bias is None:
        return y
    g = Composer(node.insert)
    return g.add(y, g.on_axis(bias, 1, len(shape(y))))


@converts("ConvTranspose", since=1)
def _conv_transpose(node: NodeContext) -> SSAValue:
    x, weight = node.operand(0), node.operand(1)
    taps = shape(weight)[2:]
    _check_kernel_shape(node, taps)
    strides = per_axis(node, "strides", len(taps), 1)
    dilations = per_axis(node, "dilations", len(taps), 1)
    padding, growth = _result_window(node, strides, dilations)
    op = ConvTransposeOp.make(
        x,
        weight,
        strides=integers(strides),
        dilations=integers(dilations),
        padding=integers(padding),
        growth=integers(growth),
        groups=integer(node.integer("group", 1)),
    )
    return add_channel_bias(node, node.insert(op), node.optional(2))


@converts("Col2Im", since=18)
def _columns_to_image(node: NodeContext) -> SSAValue:
    """A transposed convolution of each channel, whose kernel for a tap is 1 there and 0 elsewhere.

    The columns are ``[n, channel * taps, positions]``; what falls on the same element adds up.
    """
    image, taps = (
        [int(n) for n in node.require_constant(i, what).ravel()]
        for i, what in ((1, "image shape"), (2, "block shape"))
    )
    window, count = window_attributes(node, image, taps), len(taps)
    begins, ends = window.padding[:count], window.padding[count:]
    columns = zip(image, taps, window.strides, window.dilations, begins, ends, strict=True)
    left = [n - (k - 1) * d - 1 + b + e for n, k, _, d, b, e in columns]
    positions = [n // stride + 1 for n, stride in zip(left, window.strides, strict=True)]
    batch, rows, length = node.shape(0)
    if length != prod(positions) or rows % prod(taps):
        raise CompileError(f"{[rows, length]} columns do not fit an image of {image}")
    x = node.operand(0)
    kernel = np.eye(prod(taps), dtype=numpy_dtype(element_type(x))).reshape(-1, 1, *taps)
    op = ConvTransposeOp.make(
        Composer(node.insert).reshape(x, [batch, rows, *positions]),
        node.constant_value(np.tile(kernel, (rows // prod(taps), *[1] * (count + 1)))),
        strides=integers(window.strides),
        dilations=integers(window.dilations),
        padding=integers(window.padding),
        growth=integers([n % stride for n, stride in zip(left, window.strides, strict=True)]),
        groups=integer(rows // prod(taps)),
    )
    return node.insert(op)


def _result_window(
    node: NodeContext, strides: Sequence[int], dilations: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return what is cut off at all begins and ends, and what is added at all ends."""
    count = len(strides)
    growth = per_axis(node, "output_padding", count, 0)
    mode = node.string("auto_pad", "NOTSET")
    sizes = node.integers("output_shape", [])[-count:]
    if not sizes and mode == "NOTSET":
        return node.integers("pads", [0] * (2 * count)), growth
    if not sizes and mode == "VALID":
        return [0] * (2 * count), growth
    lengths = node.shape(0)[2:]
    if DYNAMIC in lengths:
        raise OpenSizeError(node.op_type)
    if not sizes:
        sizes = [n * s for n, s in zip(lengths, strides, strict=True)]
    columns = zip(lengths, node.shape(1)[2:], strides, dilations, strict=True)
    reached = [(n - 1) * s + (k - 1) * d + 1 for n, k, s, d in columns]
    growth = [max(g, n - r) for g, n, r in zip(growth, sizes, reached, strict=True)]
    totals = [r + g - n for r, g, n in zip(reached, growth, sizes, strict=True)]
    small, large = [t // 2 for t in totals], [t - t // 2 for t in totals]
    return ([*small, *large] if mode == "SAME_UPPER" else [*large, *small]), growth
