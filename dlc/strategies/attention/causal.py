"""Attention whose rows see the keys up to one that moves by one from row to row."""

from dataclasses import dataclass
from math import inf

from xdsl.ir import SSAValue

from dlc.analysis.attention import Attention
from dlc.dialects.graph.comparison import WhereOp
from dlc.dialects.graph.pattern import constant_number
from dlc.ir.tensor import shape
from dlc.lowering.seen_columns import last_seen


@dataclass(frozen=True)
class Causal:
    """logits: what is computed of each score that is seen. last: the last key that the first row
    sees; each row sees one more than the row before.
    """

    logits: SSAValue
    last: int


def causal_of(found: Attention) -> Causal | None:
    """Return what is computed of scores before they are hidden so; ``None`` where they are not, or
    where hiding them is not the last thing that is done.
    """
    op, root = found.logits.owner, found.scores.results[0]
    if op not in found.between or not isinstance(op, WhereOp):
        return None
    condition, seen, hidden = op.operands
    rows, keys = shape(root)[-2:]
    if constant_number(hidden) != -inf or shape(condition)[-2:] != (rows, keys):
        return None
    if len(found.loops[0].m) != 1 or found.loops[0].m_size != rows:
        return None  # a row of the kernel is none of a sequence
    last = last_seen(condition)
    return Causal(seen, last) if last is not None and 0 <= last < keys - 1 else None
