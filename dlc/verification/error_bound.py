"""How far a result may be off, and how far it is."""

from collections.abc import Mapping
from math import hypot, prod, sqrt

import numpy as np
from xdsl.dialects.builtin import bf16, f16, f64
from xdsl.ir import Attribute, Operation

from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.graph.structure import Array, BodyOp, GraphOp
from dlc.ir.tensor import element_type, is_float

SAFETY = 16.0
"""How many standard deviations of the rounding model an error may reach."""

FP32_LIMIT = 1e-3
"""Whatever the formula gives, an fp32 result may not be further off."""

EPSILON = {"fp32": 2.0**-24, "tf32": 2.0**-11, "fp16": 2.0**-11, "bf16": 2.0**-8}
"""Half the distance between neighbouring values of the precision (unit roundoff), relative."""

WIDE = 0.1
"""An error of this share of the largest value says little: whole features of a result may be wrong
within it.
"""

MOST = 0.5
"""A comparison of which rounding errors hide more than this share of the elements is none."""

_OWN: Mapping[Attribute, float] = {f16: 2.0**-11, bf16: 2.0**-8, f64: 2.0**-53}
"""The same of element types that a precision leaves as they are."""

ACCUMULATION = 2.0**-24
"""Unit roundoff of the type in which reductions accumulate."""


def unit_roundoff(element: Attribute, precision: str) -> float:
    """Return the unit roundoff of values of a float type: ``f32`` is stored in the precision."""
    return _OWN.get(element, EPSILON[precision])


def error_bound(root: Operation, precision: str) -> float:
    """Return how far a result of ``root`` (a group, a module) may be off, relative to its largest
    value.

    ``16 * (sqrt(sum of u**2) + 2**-24 * sqrt(sum K))``: rounding errors are taken as independent,
    so they add in quadrature; each result is rounded to its own type (``unit_roundoff`` u, the
    largest of an op), and each reduction of K terms accumulates in fp32. Where everything is fp32
    the bound is never above 1e-3. A loop counts as one of its steps: the states of recurrent layers
    forget, and what adds up in those of others is measured (``rounding_noise``). If its ops counted
    as often as they run, 100 steps in fp16 might be off by 0.4 of the largest value.
    """
    ops = [op for op in root.walk() if isinstance(op, GraphOp) and _rounds(op)]
    lengths = sum(prod(op.domain.reduction) for op in ops if isinstance(op, ReductionOp))
    units = [_unit_of(op, precision) for op in ops]
    bound = SAFETY * (hypot(*units) + ACCUMULATION * sqrt(lengths))
    is_fp32 = max(units, default=0.0) <= EPSILON["fp32"]
    return min(bound, FP32_LIMIT) if is_fp32 else bound


def _rounds(op: GraphOp) -> bool:
    """Return whether an op's own results are rounded: a loop's are those of the ops in it."""
    return not op.moves_data and not isinstance(op, BodyOp)


def _unit_of(op: GraphOp, precision: str) -> float:
    elements = [element_type(x) for x in op.results]
    units = [unit_roundoff(e, precision) if is_float(e) else EPSILON["fp32"] for e in elements]
    return max(units, default=0.0)


def relative_error(wanted: Array, got: Array, slack: Array | float = 0.0) -> float:
    """Return the largest difference relative to the largest magnitude; of integers and booleans the
    share of elements that differ. NaN and infinities in other places count as infinitely wrong.

    slack: how far each element may be off without being counted; what is beyond it counts.
    """
    if wanted.size == 0:
        return 0.0
    with np.errstate(invalid="ignore"):  # a signalling NaN, in memory that nobody wrote
        x, y = wanted.astype(np.float64), got.astype(np.float64)
    counted = np.broadcast_to(np.isfinite(slack), x.shape)
    x, y, slack = x[counted], y[counted], np.broadcast_to(slack, wanted.shape)[counted]
    finite = np.isfinite(x)
    same_specials = np.array_equal(x[~finite], y[~finite], equal_nan=True)
    if not same_specials or not np.isfinite(y[finite]).all():
        return float("inf")
    beyond = np.maximum(np.abs(x[finite] - y[finite]) - slack[finite], 0.0)
    if wanted.dtype.kind in "biu":
        exact = (wanted != got)[counted][finite] & (slack[finite] == 0)  # beyond 53 bits too
        return float(np.count_nonzero((beyond > 0) | exact)) / wanted.size
    largest = float(np.abs(x[finite]).max(initial=0.0))
    difference = float(beyond.max(initial=0.0))
    return difference / max(largest, 1e-30) if difference else 0.0
