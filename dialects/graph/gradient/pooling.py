"""Poolings: each window gives back to the elements that it read."""

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.data_layout import CHANNELS_FIRST
from dlc.dialects.graph.gradient.convolution import back_through_windows
from dlc.dialects.graph.gradient.rules import NoRuleError, gradient_of
from dlc.dialects.graph.max_pool import MaxPoolIndexOp, MaxPoolOp
from dlc.dialects.graph.pooling import PoolOp
from dlc.dialects.graph.properties import flag, integer, integers, number
from dlc.dialects.graph.sum_pool import AveragePoolOp, LpPoolOp
from dlc.dialects.graph.unpooling import MaxUnpoolOp
from dlc.ir.tensor import element_type, shape


def _check(op: PoolOp) -> None:
    if op.data_layout != CHANNELS_FIRST:
        raise NoRuleError(f"{op.name} with other layouts than channels first")


@gradient_of(MaxPoolOp)
def _max_pool(op: MaxPoolOp, g: Composer, dy: SSAValue, _: int) -> SSAValue:
    """All of it to the first largest element of each window."""
    _check(op)
    windows = op.windows
    places = g.insert(MaxPoolIndexOp.make(op.x, results=1, **op.properties))
    ends = [
        (p - 1) * w.stride + w.extent - w.begin - n
        for w, p, n in zip(windows, shape(dy)[2:], shape(op.x)[2:], strict=True)
    ]
    return g.insert(
        MaxUnpoolOp.make(
            dy,
            places,
            window=integers([w.extent for w in windows]),
            strides=op.strides,
            padding=integers([*(w.begin for w in windows), *ends]),
            add=flag(True),
        )
    )


@gradient_of(AveragePoolOp)
def _average_pool(op: AveragePoolOp, g: Composer, dy: SSAValue, _: int) -> SSAValue:
    """Each window gives every element that counts the same share."""
    _check(op)
    windows, channels = op.windows, shape(op.x)[1]
    share = g.div(dy, _counts(op, g))
    ones = g.splat(1, element_type(op.x), [channels, 1, *(w.size for w in windows)])
    groups = integer(channels)
    return back_through_windows(g, share, ones, windows, shape(op.x)[2:], groups)


def _counts(op: AveragePoolOp, g: Composer) -> SSAValue:
    """Write how many elements each mean is of: a sum of ones over the same windows."""
    count = len(op.windows)
    ones = g.splat(1, element_type(op.x), [1, 1, *shape(op.x)[2:]])
    properties = {k: v for k, v in op.properties.items() if k != "count_include_pad"}
    if op.count_include_pad is not None:
        padding = op.padding.get_values()
        sizes = [
            n + padding[axis] + padding[count + axis] for axis, n in enumerate(shape(op.x)[2:])
        ]
        ones = g.splat(1, element_type(op.x), [1, 1, *sizes])
        properties["padding"] = integers([0] * (2 * count))
    return g.insert(LpPoolOp.make(ones, results=1, exponent=number(1), **properties))
