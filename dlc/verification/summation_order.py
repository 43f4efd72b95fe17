"""Contractions in another order of summation, in which more sums overflow."""

from collections.abc import Sequence

import numpy as np

from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.structure import Array, GraphOp


class SignedSums:
    """Noise that adds the positive terms of each contraction, then the negative ones, then both.

    Any order is right, but in float32 this one overflows where any does: of a sum with large terms
    of both signs, one order makes a number, another one an infinity, and this one NaN.
    """

    def __init__(self) -> None:
        self._operands: Sequence[Array] = ()

    def operands(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        """Return the operands as they are."""
        self._operands = operands
        return operands

    def results(self, op: GraphOp, results: Sequence[Array]) -> Sequence[Array]:
        """Return the results of a contraction from the sums of its terms by sign."""
        if not isinstance(op, ContractionOp):
            return results
        lhs, rhs, *others = self._operands

        def total(*signs: np.ufunc) -> Array:
            factors = [sign(x, x.dtype.type(0)) for sign, x in zip(signs, (lhs, rhs), strict=True)]
            return np.asarray(op.reference(*factors, *others))

        above, below = np.maximum, np.minimum
        with np.errstate(all="ignore"):
            positive = total(above, above) + total(below, below)
            return [positive + (total(above, below) + total(below, above))]
