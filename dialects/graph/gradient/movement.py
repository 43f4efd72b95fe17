"""Ops that move elements: the way back."""

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.generate import TriluOp
from dlc.dialects.graph.gradient.rules import NoRuleError, gradient_of
from dlc.dialects.graph.layout import (
    BroadcastOp,
    ConcatOp,
    SliceOp,
    TileOp,
    TransposeOp,
    inverse_permutation,
)
from dlc.dialects.graph.pad import PadOp
from dlc.dialects.graph.reshape import ReshapeOp
from dlc.dialects.graph.scatter import ScatterNdOp
from dlc.ir.tensor import element_type, shape


@gradient_of(TransposeOp)
def _transpose(op: TransposeOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.transpose(dy, inverse_permutation(op.axes()))


@gradient_of(ReshapeOp)
def _reshape(op: ReshapeOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.reshape(dy, shape(op.x))


@gradient_of(BroadcastOp)
def _broadcast(op: BroadcastOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return dy


@gradient_of(TileOp)
def _tile(op: TileOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """The sum over the copies."""
    repeats = op.repeats.get_values()
    apart = [n for pair in zip(repeats, shape(op.x), strict=True) for n in pair]
    return g.reshape(g.sum(g.reshape(dy, apart), *range(0, len(apart), 2)), shape(op.x))


@gradient_of(ConcatOp)
def _concat(op: ConcatOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    axis = op.axis.value.data
    sizes = [shape(x)[axis] for x in op.operands]
    start = sum(sizes[:number])
    return g.part(dy, axis, start, start + sizes[number])


@gradient_of(PadOp)
def _pad(op: PadOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """What was put between the margins; zeros for what was cut off."""
    if op.value is None:
        raise NoRuleError(f"{op.name} of mode {op.mode.data}")
    margins, sizes = op.margins(), shape(dy)
    kept = {
        axis: (max(low, 0), sizes[axis] - max(high, 0)) for axis, (low, high) in enumerate(margins)
    }
    back = [[max(-each, 0) for each in side] for side in zip(*margins, strict=True)]
    inner = g.window(dy, kept) if any(each > 0 for pair in margins for each in pair) else dy
    return g.pad(inner, back[0], back[1])


@gradient_of(SliceOp)
def _slice(op: SliceOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """Zeros for what was not taken."""
    taken = op.ranges()
    backwards = [axis for axis, each in enumerate(taken) if each.step < 0]
    x = g.reverse(dy, backwards) if backwards else dy
    for axis, each in enumerate(taken):
        x = spread(g, x, axis, abs(each.step))
    low = [min(each, default=0) for each in taken]
    high = [size - first - now for size, first, now in zip(shape(op.x), low, shape(x), strict=True)]
    return g.pad(x, low, high)


def spread(g: Composer, x: SSAValue, axis: int, step: int) -> SSAValue:
    """Write ``x`` with ``step - 1`` zeros between neighbours along an axis."""
    sizes = [*shape(x)]
    length = sizes[axis]
    if step == 1 or length < 2:
        return x
    apart = g.reshape(x, [*sizes[: axis + 1], 1, *sizes[axis + 1 :]])
    high = [step - 1 if a == axis + 1 else 0 for a in range(len(sizes) + 1)]
    apart = g.pad(apart, [0] * (len(sizes) + 1), high)
    joined = g.reshape(apart, [*sizes[:axis], length * step, *sizes[axis + 1 :]])
    return g.part(joined, axis, 0, (length - 1) * step + 1)


@gradient_of(GatherOp)
def _gather(op: GatherOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """The sum of what was looked up at each place."""
    if op.axis.value.data:
        raise NoRuleError(f"{op.name} along axis {op.axis.value.data}")
    zeros = g.splat(0, element_type(op.data), shape(op.data))
    places = g.reshape(op.indices, [*shape(op.indices), 1])
    return g.insert(ScatterNdOp.make(zeros, places, dy, reduction=StringAttr("add")))


@gradient_of(TriluOp)
def _trilu(op: TriluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.insert(op.with_operands([dy, *op.operands[1:]]))
