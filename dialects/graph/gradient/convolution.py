"""Convolutions: the gradient of the data is a transposed convolution, that of the weight one whose
window is the gradient of the result.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.data_layout import CHANNELS_FIRST, OHWI, OIHW
from dlc.dialects.graph.gradient.rules import NoRuleError, gradient_of
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.transposed_convolution import ConvTransposeOp
from dlc.dialects.graph.window import Window
from dlc.ir.tensor import shape


@gradient_of(ConvOp)
def _conv(op: ConvOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    if (op.data_layout, op.weight_layout) != (CHANNELS_FIRST, OIHW):
        raise NoRuleError(f"{op.name} with other layouts than channels first")
    if number == 0:
        return back_through_windows(g, dy, op.weight, op.windows, shape(op.x)[2:], op.groups)
    return _of_weight(g, op.x, dy, op.windows, op.groups.value.data)


@gradient_of(ConvTransposeOp)
def _conv_transpose(op: ConvTransposeOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """A transposed convolution is the gradient of a convolution, whose roles it gives back."""
    windows = [Window(a.taps, a.stride, a.begin, a.end, a.dilation) for a in op.axes]
    if number:
        return _of_weight(g, dy, op.x, windows, op.groups.value.data)
    strides, dilations = op.strides, op.dilations
    y = g.insert(
        ConvOp.make(
            dy,
            op.weight,
            strides=strides,
            padding=op.padding,
            dilations=dilations,
            groups=op.groups,
        )
    )
    return g.window(y, {a: (0, n) for a, n in enumerate(shape(op.x))}) if y.type != op.x.type else y


def back_through_windows(
    g: Composer,
    dy: SSAValue,
    weight: SSAValue,
    windows: Sequence[Window],
    lengths: Sequence[int],
    groups: IntegerAttr,
) -> SSAValue:
    """Write the sum of what each window gives back: ``dy[n, o, p] * weight[o, i, t]`` to element
    ``p * stride + t * dilation - begin`` of spatial axes of these lengths.
    """
    positions = shape(dy)[2:]
    over = [
        (p - 1) * w.stride + w.extent - w.begin - n
        for p, w, n in zip(positions, windows, lengths, strict=True)
    ]
    return g.insert(
        ConvTransposeOp.make(
            dy,
            weight,
            strides=integers([w.stride for w in windows]),
            padding=integers([*(w.begin for w in windows), *(max(n, 0) for n in over)]),
            dilations=integers([w.dilation for w in windows]),
            growth=integers([max(-n, 0) for n in over]),
            groups=groups,
        )
    )


def _of_weight(
    g: Composer, x: SSAValue, dy: SSAValue, windows: Sequence[Window], groups: int
) -> SSAValue:
    """Write ``dw[o, i, t]``, the sum over ``n, p`` of ``x[n, i, p * stride + t * dilation - begin]
    * dy[n, o, p]``: batch and channels change places, strides and dilations too.
    """
    batch, channels, *lengths = shape(x)
    if shape(dy)[2:] == tuple(lengths) and _is_product(windows, groups):
        return _as_product(g, x, dy)
    ends = [
        (w.size - 1) * w.dilation + (p - 1) * w.stride + 1 - n - w.begin
        for w, p, n in zip(windows, shape(dy)[2:], lengths, strict=True)
    ]
    part, spatial = channels // groups, range(3, 3 + len(windows))
    reached = [n + end for n, end in zip(lengths, ends, strict=True)]
    if min(reached) <= 0:  # windows read padding only
        return g.broadcast(g.like(0, dy), [shape(dy)[1], part, *(w.size for w in windows)])
    cut = {axis: (0, n) for axis, n in enumerate(reached, 2) if n < lengths[axis - 2]}
    x = g.window(x, cut) if cut else x  # what no window reaches
    x = g.reshape(x, [batch, groups, part, *shape(x)[2:]])
    x = g.transpose(x, [2, 1, 0, *spatial])
    x = g.reshape(x, [part, groups * batch, *shape(x)[3:]])
    order = [1, 0, *range(2, 2 + len(windows))]
    y = g.insert(
        ConvOp.make(
            x,
            g.transpose(dy, [1, *range(2, 2 + len(windows)), 0]),
            weight_layout=OHWI,
            strides=integers([w.dilation for w in windows]),
            padding=integers([*(w.begin for w in windows), *(max(end, 0) for end in ends)]),
            dilations=integers([w.stride for w in windows]),
            groups=integer(groups),
        )
    )
    return g.transpose(y, order)


def _is_product(windows: Sequence[Window], groups: int) -> bool:
    """Whether a convolution is a product of matrices: each result reads one place."""
    return groups == 1 and all((w.size, w.stride, w.begin, w.end) == (1, 1, 0, 0) for w in windows)


def _as_product(g: Composer, x: SSAValue, dy: SSAValue) -> SSAValue:
    """Write ``dw[o, i]``, with the channels last, so that places are the rows of both factors."""
    spatial = range(2, len(shape(x)))
    outputs, channels = shape(dy)[1], shape(x)[1]
    rows = prod(shape(x)) // channels
    a, b = (g.transpose(v, [0, *spatial, 1]) for v in (dy, x))
    y = g.matmul(g.reshape(a, [rows, outputs]), g.reshape(b, [rows, channels]), transpose_lhs=True)
    return g.reshape(y, [outputs, channels, *(1 for _ in spatial)])
