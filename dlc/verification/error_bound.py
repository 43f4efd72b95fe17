"""How far a result may be off, and how far it is."""

from math import prod, sqrt

import numpy as np
from xdsl.ir import Operation

from dlc.dialects.graph._structure import Array, GraphOp, ReductionOp

SAFETY = 16.0
"""How many standard deviations of the rounding model an error may reach."""

FP32_LIMIT = 1e-3
"""Whatever the formula gives, an fp32 result may not be further off."""

EPSILON = {"fp32": 2.0**-24, "tf32": 2.0**-11, "fp16": 2.0**-11, "bf16": 2.0**-8}
"""Half the distance between neighbouring values of the precision (unit roundoff), relative."""

ACCUMULATION = 2.0**-24
"""Unit roundoff of the type in which reductions accumulate."""


def error_bound(root: Operation, precision: str) -> float:
    """Return how far a result of ``root`` (a group, a module) may be off, relative to its largest
    value.

    ``16 * (u * sqrt(n) + 2**-24 * sqrt(sum K))``: rounding errors are taken as independent, so they
    add in quadrature; n results are rounded to the precision (unit roundoff u), and each reduction
    of K terms accumulates in fp32. For fp32 the bound is never above 1e-3.
    """
    ops = [op for op in root.walk() if isinstance(op, GraphOp) and not op.moves_data]
    lengths = sum(prod(op.domain.reduction) for op in ops if isinstance(op, ReductionOp))
    rounding = EPSILON[precision] * sqrt(len(ops)) + ACCUMULATION * sqrt(lengths)
    bound = SAFETY * rounding
    return min(bound, FP32_LIMIT) if precision == "fp32" else bound


def relative_error(wanted: Array, got: Array, slack: Array | float = 0.0) -> float:
    """Return the largest difference relative to the largest magnitude; of integers and booleans the
    share of elements that differ. NaN and infinities in other places count as infinitely wrong.

    slack: how far each element may be off without being counted; what is beyond it counts.
    """
    if wanted.size == 0:
        return 0.0
    x, y = wanted.astype(np.float64), got.astype(np.float64)
    counted = np.broadcast_to(np.isfinite(slack), x.shape)
    x, y, slack = x[counted], y[counted], np.broadcast_to(slack, wanted.shape)[counted]
    finite = np.isfinite(x)
    same_specials = np.array_equal(x[~finite], y[~finite], equal_nan=True)
    if not same_specials or not np.isfinite(y[finite]).all():
        return float("inf")
    beyond = np.maximum(np.abs(x[finite] - y[finite]) - slack[finite], 0.0)
    if wanted.dtype.kind in "biu":
        return float(np.count_nonzero(beyond)) / wanted.size
    largest = float(np.abs(x[finite]).max(initial=0.0))
    difference = float(beyond.max(initial=0.0))
    return difference / max(largest, 1e-30) if difference else 0.0
