"""What is done with the scores of attention before the softmax, and what that does itself."""

from dataclasses import dataclass
from math import inf

from xdsl.ir import Operation, SSAValue

from dlc.analysis.attention import Attention
from dlc.dialects.graph.comparison import WhereOp
from dlc.dialects.graph.elementwise import MulOp
from dlc.dialects.graph.pattern import constant_number
from dlc.ir.tensor import shape
from dlc.lowering.seen_columns import last_seen


@dataclass(frozen=True)
class Logits:
    """value: what is computed of each score. scale: what it is multiplied by then. last: the last
    key that the first row sees, where each row sees one more than the row before; ``None`` where
    all are seen. by_softmax: the ops of these two.
    """

    value: SSAValue
    scale: float
    last: int | None
    by_softmax: frozenset[Operation]


def logits_of(found: Attention) -> Logits:
    """Return the logits of attention: a factor that is the last thing that is done, and hiding
    later keys after it, are left to the softmax.
    """
    value, last, scale = found.logits, None, 1.0
    ops: list[Operation] = []
    if (seen := _seen(found, value)) is not None:
        ops += [op for op in found.between if op.results[0] is value]
        value, last = seen
    if (scaled := _scaled(found, value)) is not None:
        ops += [op for op in found.between if op.results[0] is value]
        value, scale = scaled
    return Logits(value, scale, last, frozenset(ops))


def _seen(found: Attention, value: SSAValue) -> tuple[SSAValue, int] | None:
    """Return what is hidden where it comes later, and the last key that the first row sees."""
    op, root = value.owner, found.scores.results[0]
    if op not in found.between or not isinstance(op, WhereOp):
        return None
    condition, seen, hidden = op.operands
    rows, keys = shape(root)[-2:]
    if constant_number(hidden) != -inf or shape(condition)[-2:] != (rows, keys):
        return None
    if len(found.loops[0].m) != 1 or found.loops[0].m_size != rows:
        return None  # a row of the kernel is none of a sequence
    last = last_seen(condition)
    return (seen, last) if last is not None and 0 <= last < keys - 1 else None


def _scaled(found: Attention, value: SSAValue) -> tuple[SSAValue, float] | None:
    """Return what is multiplied by a positive number, and that."""
    op = value.owner
    if op not in found.between or not isinstance(op, MulOp):
        return None
    for x, other in (op.operands, op.operands[::-1]):
        number = constant_number(other)
        if number is not None and 0 < number < inf:
            return x, number
    return None
