"""How far rounding errors may move a result where a model has steps: Monte Carlo arithmetic.

A rounding, a comparison or an arg-max turns an error of one unit in the last place, next to a step,
into a whole step, on which no bound of the rounding errors says anything. What it can do to the
results is measured: the reference runs again with noise of the size of rounding errors (D. S.
Parker, Monte Carlo Arithmetic, UCLA CSD-970002, 1997).
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod, sqrt

import numpy as np
from xdsl.ir import Operation

from dlc.compiler.error_bound import ACCUMULATION, EPSILON, SAFETY, relative_error
from dlc.dialects._tensor import element_type, is_float
from dlc.dialects.graph._structure import Array, ContractionOp, GraphOp, ReductionOp
from dlc.oracle import Perturb

PAIRS = 4
"""Runs come in pairs of opposite noise, one of which moves a value towards the step beside it."""

GROWTH = 4.0
"""How much further an element may be off than it, or the average element, was in any run."""

_EXACT = 2.0**24
"""Sums and products of whole numbers below this are exact in float32."""

Run = Callable[[Perturb], Sequence[Array]]
"""Runs the reference with noise."""


def has_steps(root: Operation) -> bool:
    """Return whether an op of ``root`` (a group, a module) has steps."""
    return any(op.has_steps for op in root.walk() if isinstance(op, GraphOp))


def slacks(run: Run, wanted: Sequence[Array], precision: str) -> Iterator[list[Array]]:
    """Yield how far each element of the results ``wanted`` may be off because of steps, wider after
    each of four pairs of runs.

    ``4 * max(s, mean(s))`` with s the largest distance of the element from ``wanted`` in the runs
    with RoundingNoise so far; infinite where such a run has NaN or infinities and ``wanted`` not.
    """
    spreads = [np.zeros(w.shape) for w in wanted]
    for seed in range(PAIRS):
        for sign in (1, -1):
            moved = run(RoundingNoise(seed, sign, precision))
            for spread, w, m in zip(spreads, wanted, moved, strict=True):
                np.maximum(spread, _distance(w, m), out=spread)
        yield [GROWTH * np.maximum(s, _mean(s)) for s in spreads]


def errors_beyond(
    run: Run, wanted: Sequence[Array], got: Sequence[Array], precision: str, bound: float
) -> list[float]:
    """Return the relative errors of ``got`` beyond its slack, from as few runs as bring them below
    ``bound``.
    """
    errors: list[float] = []
    for allowed in slacks(run, wanted, precision):
        errors = list(map(relative_error, wanted, got, allowed))
        if all(error <= bound for error in errors):
            break
    return errors


class RoundingNoise:
    """Moves the operands of ops as rounding errors do: each element up or down, at random.

    By ``16 * u`` of itself (unit roundoff u of the precision), in a reduction of K terms by
    ``2**-24 * sqrt(K)`` where that is more. Whole numbers stay, as arithmetic on them is exact, and
    so do operands of ops that move data or have steps: these make no rounding errors of their own.
    Of the two factors of a contraction the first one moves.
    """

    def __init__(self, seed: int, sign: int, precision: str):
        """Noise of the same seed and the other sign is the opposite of this one."""
        self._generator = np.random.default_rng(seed)
        self._sign = sign
        self._unit = SAFETY * EPSILON[precision]

    def __call__(self, op: GraphOp, operands: Sequence[Array]) -> list[Array]:
        """Return the operands of ``op`` with noise."""
        if op.moves_data or op.has_steps:
            return list(operands)
        size = max(self._unit, ACCUMULATION * sqrt(_terms(op)))
        still = 1 if isinstance(op, ContractionOp) else None
        return [
            self._moved(x, size) if number != still and is_float(element_type(v)) else x
            for number, (x, v) in enumerate(zip(operands, op.operands, strict=True))
        ]

    def _moved(self, x: Array, size: float) -> Array:
        up = self._generator.integers(0, 2, x.shape, np.int8) * 2 - 1
        with np.errstate(all="ignore"):
            whole = (x == np.rint(x)) & (np.abs(x) < _EXACT)
            return np.where(whole, x, x * (1 + self._sign * size * up))


def _terms(op: GraphOp) -> int:
    return prod(op.domain.reduction) if isinstance(op, ReductionOp) else 1


def _distance(wanted: Array, moved: Array) -> Array:
    """Return the distance of the elements; infinite where only one is finite."""
    x, y = wanted.astype(np.float64), moved.astype(np.float64)
    with np.errstate(all="ignore"):
        distance = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0, np.abs(x - y))
    return np.where(np.isnan(distance), np.inf, distance)


def _mean(spread: Array) -> float:
    finite = spread[np.isfinite(spread)]
    return float(finite.mean()) if finite.size else 0.0
