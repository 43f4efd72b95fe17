"""How far rounding errors may move a result where a model magnifies them: Monte Carlo arithmetic.

Differences of nearly equal values, exponentials, and above all steps (a rounding, a comparison, an
arg-max) turn an error of one unit in the last place into a large one, on which no bound of the
rounding errors says anything. What they can do to the results is measured: the reference runs again
in float32, and with noise of the size of rounding errors (D. S. Parker, Monte Carlo Arithmetic,
UCLA CSD-970002, 1997).
"""

from collections.abc import Iterator, Sequence
from math import prod, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from dlc.dialects._tensor import element_type, is_float
from dlc.dialects.graph._structure import Array, ContractionOp, GraphOp, ReductionOp
from dlc.oracle import Noise
from dlc.verification.error_bound import ACCUMULATION, EPSILON, SAFETY, relative_error

PAIRS = 4
"""Runs come in pairs of opposite noise, one of which moves a value towards the step beside it."""

GROWTH = 4.0
"""How much further an element may be off than it, or the average element, was in any run."""

_EXACT = 2.0**24
"""Sums and products of whole numbers below this are exact in float32."""


class Run(Protocol):
    """Runs the reference: in another type, or with noise."""

    def __call__(
        self, *, float_type: DTypeLike = np.float64, noise: Noise | None = None
    ) -> Sequence[Array]:
        """Return the results."""
        ...


def slacks(run: Run, wanted: Sequence[Array], precision: str) -> Iterator[list[Array]]:
    """Yield how far each element of the results ``wanted`` may be off because of rounding errors,
    wider after each step: a run in float32, then four pairs of runs with RoundingNoise.

    ``4 * max(s, mean(s))``, of integers ``max(s, mean(s))``, with s the largest distance of the
    element from ``wanted`` in the runs so far; infinite where one has NaN or infinities and
    ``wanted`` not.
    """
    spreads = [np.zeros(w.shape) for w in wanted]

    def widened(moved: Sequence[Array]) -> None:
        for spread, w, m in zip(spreads, wanted, moved, strict=True):
            np.maximum(spread, _distance(w, m), out=spread)

    def slack() -> list[Array]:
        return [
            (1.0 if w.dtype.kind in "biu" else GROWTH) * np.maximum(s, _mean(s))
            for s, w in zip(spreads, wanted, strict=True)
        ]

    widened(run(float_type=np.float32))
    yield slack()
    for seed in range(PAIRS):
        for sign in (1, -1):
            widened(run(noise=RoundingNoise(seed, sign, precision)))
        yield slack()


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
    """Moves the operands and results of ops as rounding errors do: each element up or down, at
    random.

    By up to ``16 * u`` of itself (unit roundoff u of the precision), at least half of that,
    operands of a reduction of K terms by ``2**-24 * sqrt(K)`` where that is more. Whole numbers
    stay, as arithmetic on them is exact, and so do operands and results of ops that move data or
    have steps: these make no rounding errors of their own. Of the two factors of a contraction the
    first one moves.
    """

    def __init__(self, seed: int, sign: int, precision: str):
        """Noise of the same seed and the other sign is the opposite of this one."""
        self._generator = np.random.default_rng(seed)
        self._sign = sign
        self._unit = SAFETY * EPSILON[precision]

    def operands(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        """Return the operands of ``op`` with noise."""
        if op.moves_data or op.has_steps:
            return operands
        size = max(self._unit, ACCUMULATION * sqrt(_terms(op)))
        still = 1 if isinstance(op, ContractionOp) else None
        return [
            self._moved(x, size) if number != still and is_float(element_type(v)) else x
            for number, (x, v) in enumerate(zip(operands, op.operands, strict=True))
        ]

    def results(self, op: GraphOp, results: Sequence[Array]) -> Sequence[Array]:
        """Return the results of ``op`` with noise."""
        if op.moves_data or op.has_steps:
            return results
        return [
            self._moved(x, self._unit) if is_float(element_type(v)) else x
            for x, v in zip(results, op.results, strict=True)
        ]

    def _moved(self, x: Array, size: float) -> Array:
        up = self._generator.integers(0, 2, x.shape, np.int8) * 2 - 1
        share = self._generator.uniform(0.5, 1, x.shape)  # equal ones would cancel in differences
        with np.errstate(all="ignore"):
            whole = (x == np.rint(x)) & (np.abs(x) < _EXACT)
            return np.where(whole, x, x * (1 + self._sign * size * share * up))


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
