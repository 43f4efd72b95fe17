"""Whether two schedules of a group computed the same."""

from collections.abc import Sequence

import numpy as np

from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.verification.error_bound import error_bound, relative_error

_STRAY = 1e-3
"""The share of elements that may differ in kind: a rounding error moves few values across zero,
where a logarithm has its last number, or across a step."""


def disagreement(
    group: GroupOp, one: Sequence[Array], other: Sequence[Array], precision: str
) -> str | None:
    """Return how far samples of a group's results differ, if they differ by more than rounding.

    Both may be off by ``error_bound`` of the group. Results of ops with steps (a rounding, a
    comparison) are not compared: there a rounding error is no small error.
    """
    if any(isinstance(op, GraphOp) and op.has_steps for op in group.walk()):
        return None
    bound = 2 * error_bound(group, precision)
    for first, second in zip(one, other, strict=True):
        if np.array_equal(first.view(np.uint8), second.view(np.uint8)):
            continue
        strays = float(np.mean(_specials(first) != _specials(second)))
        if strays > _STRAY:
            what = "of another kind: a number, infinite or none"
            return f"{100 * strays:.2g} % of its elements are {what}"
        numbers = (_specials(first) == 0) & (_specials(second) == 0)
        error = relative_error(first[numbers], second[numbers])
        if not error <= bound:
            return f"off by {error:.1e} of the largest value, bound {bound:.1e}"
    return None


def _specials(array: Array) -> Array:
    """Return 0 for numbers; other numbers for infinities of each sign, and for what is none."""
    wide = array.astype(np.float64)
    return np.where(np.isnan(wide), 2, np.where(np.isinf(wide), np.sign(wide), 0))
