"""Masks that hide what comes later are comparisons of positions."""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.attention import attention_of
from dlc.analysis.stored_value import stored_value
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore
from dlc.dialects.graph.comparison import WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import shape

_LOWEST = -3.38e38
"""The lowest numbers of bf16 and f32 are a little lower."""


class GraphFoldMasksPass(DlcPass):
    """Replace a constant mask of attention that shows each row one key more than the row before by
    a choice that compares positions.

    So the mask need not be read, and the strategy ``attention`` leaves out the keys that a row does
    not see. Such a mask is zero where it shows, and minus infinity, or the lowest number of its
    type, where it hides; or it is a choice by constant booleans between the scores and that. The
    lowest number of 16 bits, -65504, does not hide all scores that there may be, and stays.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-fold-constants``, which makes masks
    known; before ``graph-set-precision``, in which lowest numbers are other ones.

    ::

        %0 = graph.weight @w0 : tensor<128x128xf32>   ->  %0 = graph.compare %keys, %rows "le"
        %1 = graph.add %scores, %0                        %1 = graph.where %0, %scores, -inf
    """

    name = "graph-fold-masks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = dlc_context(ctx).weights
        for product in list(op.walk()):
            if isinstance(product, ContractionOp):
                found = attention_of(product)
                if found is not None and isinstance(found.logits.owner, GraphOp):
                    _fold(found.logits.owner, weights)


def _fold(op: GraphOp, weights: WeightStore) -> None:
    """Replace what masks scores, if it does so in this way."""
    for scores, shown in _forms(op, weights):
        last = _last_seen(shown, shape(op.results[0])[-2:])
        if last is not None and shape(scores) == shape(op.results[0]):
            made: list[GraphOp] = []

            def insert(new: GraphOp, made: list[GraphOp] = made) -> SSAValue:
                new.location = op.location
                made.append(new)
                return new.results[0]

            Composer(insert).seen_by_rows(scores, last)
            Rewriter.insert_op(made, InsertPoint.before(op))
            Rewriter.replace_op(op, [], made[-1].results)
            return


def _forms(op: GraphOp, weights: WeightStore) -> list[tuple[SSAValue, Array]]:
    """Return the ways in which an op may mask: scores, and which of them it shows."""
    found: list[tuple[SSAValue, Array]] = []
    if isinstance(op, AddOp):
        for scores, mask in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            numbers = stored_value(mask, weights)
            if numbers is not None and np.all((numbers == 0) | _hides(numbers)):
                found.append((scores, numbers == 0))
    if isinstance(op, WhereOp):
        condition, *sides = op.operands
        shown = stored_value(condition, weights)
        for number, (scores, other) in enumerate((sides, sides[::-1])):
            hidden = stored_value(other, weights)
            if shown is not None and hidden is not None and np.all(_hides(hidden)):
                found.append((scores, shown != bool(number)))
    return found


def _hides(numbers: Array) -> Array:
    """Return which numbers have no weight beside any score of their type."""
    return numbers.astype(np.float64) <= _LOWEST


def _last_seen(shown: Array, sizes: tuple[int, ...]) -> int | None:
    """Return the last key that row 0 sees, where each row sees one more than the row before, and
    the last but one not all; ``None`` for other masks.
    """
    if shown.shape[-2:] != sizes or not shown.size:
        return None
    last = int(shown.reshape(-1, *sizes)[0, 0].sum()) - 1
    if not 0 <= last < sizes[1] - 1:
        return None
    return last if np.all(shown == np.tri(sizes[0], sizes[1], last, dtype=np.bool_)) else None
