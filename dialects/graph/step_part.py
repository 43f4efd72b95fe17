"""The parts of tensors that belong to single steps, laid out so that each is a view.

A view begins at a multiple of ``VIEW_ALIGNMENT_BYTES``, in any precision. Where parts have other
sizes, they are flat and end in zeros.
"""

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.layout import SliceOp
from dlc.dialects.graph.pad import PadOp
from dlc.dialects.graph.reshape import ReshapeOp
from dlc.dialects.graph.structure import VIEW_ALIGNMENT_BYTES, GraphOp
from dlc.ir.tensor import element_bytes, element_type, is_float, shape

NARROWEST_FLOAT_BYTES = 2
"""What floats are stored in is chosen after loops are written."""


def with_room(g: Composer, x: SSAValue, steps: Sequence[int] = ()) -> SSAValue:
    """Return a part, or with ``steps`` the parts ``[*steps, ...]``, in whole units of a view's."""
    sizes = shape(x)[len(steps) :]
    room = -prod(sizes) % _unit(x)
    if not room:
        return x
    flat = g.reshape(x, [*steps, prod(sizes)])
    none = [0] * len(steps)
    return g.pad(flat, [*none, 0], [*none, room])


def without_room(
    g: Composer, x: SSAValue, sizes: Sequence[int], steps: Sequence[int] = ()
) -> SSAValue:
    """Return the part, or the parts, of shape ``[*steps, *sizes]`` that ``with_room`` laid out."""
    axis = len(steps)
    whole = [*steps, *sizes]
    if shape(x) == tuple(whole):
        return x
    return g.reshape(g.part(x, axis, 0, prod(sizes)), whole)


def laid_out(x: SSAValue) -> SSAValue:
    """Return the part that ``with_room`` laid out as ``x``; itself where that did nothing."""
    op = x.owner
    if not isinstance(op, PadOp) or any(op.low.get_values()) or len(shape(x)) > 1:
        return x
    if op.value is None or op.value.value.data != 0:
        return x
    inner = op.x.owner
    return inner.operands[0] if isinstance(inner, ReshapeOp) else op.x


def is_room(op: GraphOp, steps: int) -> bool:
    """Whether an op adds or takes away what ``with_room`` adds behind the parts of steps."""
    if not isinstance(op, PadOp | SliceOp) or len(shape(op.x)) != 2:
        return False
    (count, size), (own_count, own_size) = shape(op.x), shape(op.output)
    if (count, own_count) != (steps, steps) or abs(size - own_size) >= _unit(op.x):
        return False
    if isinstance(op, SliceOp):
        return [*op.ranges()] == [range(steps), range(own_size)]
    return not any(op.low.get_values()) and op.value is not None and op.value.value.data == 0


def _unit(x: SSAValue) -> int:
    """Return of how many elements a part must be a multiple."""
    element = element_type(x)
    narrowest = NARROWEST_FLOAT_BYTES if is_float(element) else element_bytes(element)
    return VIEW_ALIGNMENT_BYTES // narrowest
