"""Lookups at known places that take all elements in order change the shape only."""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dlc.analysis.evaluation import constant_value, evaluate
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore
from dlc.dialects.graph.gather import IndexedOp
from dlc.dialects.graph.reshape import reshape
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_count, shape

MOST_ELEMENTS = 1 << 22
"""Of a lookup that is tried out: 4 M take 50 ms."""


class GraphFoldLookupsPass(DlcPass):
    """Replace a lookup whose indices are known (constants, numbers in a row), and name every
    element in the order in which they stand, by a reshape.

    Exporters write ``mask[:, None, None, :]`` as such a lookup with a grid of places. Which element
    is taken is asked of the op's own meaning, for a tensor that holds its places. Lookups of more
    than 4 Mi elements stay (``MOST_ELEMENTS``).

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-fold-constants``, which makes the
    indices known.

    ::

        %0 = graph.constant dense<[[0, 0], [0, 1]]>   ->  %1 = graph.reshape %x {sizes = [2]}
        %1 = graph.gather_nd %x, %0 : tensor<1x2xi1>
    """

    name = "graph-fold-lookups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = dlc_context(ctx).weights
        for candidate in list(op.walk()):
            if isinstance(candidate, IndexedOp) and _takes_all_in_order(candidate, weights):
                same = reshape(candidate.data, shape(candidate.output))
                same.location = candidate.location
                Rewriter.replace_op(candidate, same)


def _takes_all_in_order(op: IndexedOp, weights: WeightStore) -> bool:
    count = element_count(op.data)
    if not 0 < count == element_count(op.output) <= MOST_ELEMENTS:
        return False
    known = _integers(op.indices, weights)
    if known is None:
        return False
    places = np.arange(count)
    taken = op.reference(places.reshape(shape(op.data)), known)
    return bool((np.ravel(taken) == places).all())


def _integers(value: SSAValue, weights: WeightStore) -> Array | None:
    """Return the elements of a constant, or of what ops that keep integers make of constants."""
    op = value.owner
    if not isinstance(op, GraphOp):
        return None
    if isinstance(op, WeightOp) and op.symbol.string_value() not in weights:
        return None
    if op.is_constant or not op.keeps_integers:
        return constant_value(value, weights)
    operands = [_integers(x, weights) for x in op.operands]
    known = [x for x in operands if x is not None]
    return evaluate(op, known)[0] if len(known) == len(operands) else None
