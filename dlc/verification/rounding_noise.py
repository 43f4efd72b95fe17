"""How far rounding errors may move a result where a model magnifies them: Monte Carlo arithmetic.

Differences of nearly equal values, exponentials, and above all steps (a rounding, a comparison, an
arg-max) turn an error of one unit in the last place into a large one, on which no bound of the
rounding errors says anything. What they can do to the results is measured: the reference runs again
in float32, and with noise of the size of rounding errors (D. S. Parker, Monte Carlo Arithmetic,
UCLA CSD-970002, 1997).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike
from xdsl.ir import SSAValue

from dlc.dialects.graph.computed import ContractionOp, ReductionOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type, is_float
from dlc.oracle import Noise
from dlc.verification.error_bound import (
    ACCUMULATION,
    SAFETY,
    WIDE,
    relative_error,
    unit_roundoff,
)
from dlc.verification.storage import Storage
from dlc.verification.summation_order import SignedSums

PAIRS = 4
"""Runs come in pairs of opposite noise, one of which moves a value towards the step beside it."""

GROWTH = 4.0
"""How much further an element may be off than it, or the average element, was in any run."""

BESIDE = 64
"""Elements whose mean is one: of a state, of a line of an image."""

_EXACT = 2.0**24
"""Sums and products of whole numbers below this are exact in float32."""


class Run(Protocol):
    """Runs the reference: in another type, or with noise."""

    def __call__(
        self, *, float_type: DTypeLike = np.float64, noise: Noise | None = None
    ) -> Sequence[Array]:
        """Return the results."""
        ...


class Spread:
    """How far the results of a run were moved by rounding errors, so far.

    moved: by element, the largest distance from its value in an exact run, in runs in float32,
    plain and with Storage, and in runs with RoundingNoise; infinite where only one of both has NaN
    or infinities, or SignedSums overflow.
    """

    def __init__(self, run: Run, precision: str):
        self._run = run
        self._precision = precision
        self._exact = run()
        self.moved = [np.zeros(x.shape) for x in self._exact]
        self._widen(run(float_type=np.float32))

    def add_storage(self) -> None:
        """Run with every value rounded as it is stored, the inputs in one of two runs."""
        for inputs in (False, True):
            noise = Storage(self._precision, inputs)
            self._widen(self._run(float_type=np.float32, noise=noise))

    def add_order(self) -> None:
        """Run in another order of summation, for what overflows in it."""
        results = self._run(float_type=np.float32, noise=SignedSums())
        pairs = zip(self._exact, results, strict=True)
        self._widen([np.where(np.isfinite(y), x, y) for x, y in pairs])

    def add_pair(self, seed: int) -> None:
        """Run with noise and with its opposite."""
        for sign in (1, -1):
            self._widen(self._run(noise=RoundingNoise(seed, sign, self._precision)))

    def add_form(self, other: "Spread") -> None:
        """Count what lies between the exact runs of this form and of another one."""
        self._widen(other._exact)

    def _widen(self, results: Sequence[Array]) -> None:
        for moved, x, y in zip(self.moved, self._exact, results, strict=True):
            np.maximum(moved, _distance(x, y), out=moved)


def slacks(
    runs: Sequence[Run], precision: str, forms_differ: bool = False
) -> Iterator[list[Array]]:
    """Yield how far each element of the results may be off because of rounding errors, wider after
    each step: a run in float32, two with Storage, one with SignedSums, then four pairs of runs with
    RoundingNoise.

    ``4 * max(s, mean(s))``, of integers ``max(s, mean(s))``, with s the largest Spread of the
    element in any of ``runs``, forms of the same computation, and its mean over the elements beside
    it: of a state that may be anything, some elements were near their values in all runs. A step
    before that has a mean of its own. NaN and infinities are excused where the first of the runs
    has them: another one may have a fault of its own.

    forms_differ: what lies between the forms counts too: right ones differ on inputs with
    infinities (``inf - inf`` in one of them).
    """
    spreads = [Spread(run, precision) for run in runs]
    if forms_differ:
        for spread in spreads[1:]:
            spreads[0].add_form(spread)
    yield _slack(spreads)
    for spread in spreads:
        spread.add_storage()
    yield _slack(spreads)
    if not forms_differ:
        for spread in spreads:
            spread.add_order()
        yield _slack(spreads)
    for seed in range(PAIRS):
        for spread in spreads:
            spread.add_pair(seed)
        yield _slack(spreads)


def _slack(spreads: Sequence[Spread]) -> list[Array]:
    first, *others = (spread.moved for spread in spreads)
    widest = [np.copy(x) for x in first]
    for moved in others:
        for x, y in zip(widest, moved, strict=True):
            np.maximum(x, y, out=x, where=np.isfinite(y))
    return [np.maximum(x, _means(x)) for x in widest]


@dataclass(frozen=True)
class Beyond:
    """What rounding errors leave of the errors of results. errors: of each, relative. hidden: how
    many of its elements they cover (``hidden_elements``).
    """

    errors: Sequence[float]
    hidden: Sequence[int]


def errors_beyond(
    runs: Sequence[Run],
    wanted: Sequence[Array],
    got: Sequence[Array],
    precision: str,
    bound: float,
    forms_differ: bool = False,
) -> Beyond:
    """Return the errors of ``got`` beyond its slack, from as few runs as bring them below
    ``bound``.

    runs: what ``got`` should be, in several forms (``slacks``): only how far they move counts, not
    where they are, unless ``forms_differ``.
    """
    errors: list[float] = []
    slack: list[Array] = []
    for allowed in slacks(runs, precision, forms_differ):
        slack = [
            x if w.dtype.kind in "biu" else GROWTH * x for x, w in zip(allowed, wanted, strict=True)
        ]
        errors = list(map(relative_error, wanted, got, slack))
        if all(error <= bound for error in errors):
            break
    results = zip(wanted, got, slack, strict=True)
    return Beyond(
        errors,
        [0 if relative_error(w, g) <= bound else hidden_elements(w, x) for w, g, x in results],
    )


def hidden_elements(wanted: Array, slack: Array) -> int:
    """Return how many finite elements are hidden by rounding errors: one may be off by more than
    ``WIDE`` of the largest value, of integers and booleans by 1 at least.
    """
    values = np.abs(wanted.astype(np.float64))
    finite = np.isfinite(values)
    limit = WIDE * float(values[finite].max(initial=0.0))
    if wanted.dtype.kind in "biu":
        return int(np.count_nonzero(slack[finite] >= max(limit, 1.0)))
    return int(np.count_nonzero(slack[finite] > limit))


def shares_hidden(found: Beyond, wanted: Sequence[Array]) -> list[float]:
    """Return which share of the finite elements of each result is hidden, 0 where it has none."""
    return [n / max(1, finite_elements(x)) for n, x in zip(found.hidden, wanted, strict=True)]


def finite_elements(x: Array) -> int:
    """Return how many elements are numbers."""
    return int(np.count_nonzero(np.isfinite(x.astype(np.float64))))


class RoundingNoise:
    """Moves the operands and results of ops as rounding errors do: each element up or down, at
    random.

    By up to ``16 * u`` of itself (unit roundoff u of its type), at least half of that, operands of
    a reduction of K terms by ``2**-24 * sqrt(K)`` where that is more. Whole numbers stay, as
    arithmetic on them is exact, and so do operands and results of ops that move data or have steps:
    these make no rounding errors of their own. Of the two factors of a contraction the first one
    moves.
    """

    def __init__(self, seed: int, sign: int, precision: str):
        """Noise of the same seed and the other sign is the opposite of this one."""
        self._generator = np.random.default_rng(seed)
        self._sign = sign
        self._precision = precision

    def operands(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        """Return the operands of ``op`` with noise."""
        if op.moves_data or op.has_steps:
            return operands
        least = ACCUMULATION * sqrt(_terms(op))
        still = 1 if isinstance(op, ContractionOp) else None
        return [
            x if number == still else self._moved(x, v, least)
            for number, (x, v) in enumerate(zip(operands, op.operands, strict=True))
        ]

    def results(self, op: GraphOp, results: Sequence[Array]) -> Sequence[Array]:
        """Return the results of ``op`` with noise."""
        if op.moves_data or op.has_steps:
            return results
        return [self._moved(x, v) for x, v in zip(results, op.results, strict=True)]

    def _moved(self, x: Array, value: SSAValue, least: float = 0.0) -> Array:
        """Return the elements ``x`` of a value, moved by 16 of its unit roundoffs or ``least``."""
        element = element_type(value)
        if not is_float(element):
            return x
        size = max(SAFETY * unit_roundoff(element, self._precision), least)
        share = self._generator.random(x.shape, np.float32) - 0.5  # its sign is the direction
        share += np.copysign(np.float32(0.5), share)  # equal ones would cancel in differences
        with np.errstate(all="ignore"):
            whole = (x == np.rint(x)) & (np.abs(x) < _EXACT)
            return np.where(whole, x, x * (1 + self._sign * size * share.astype(x.dtype)))


def _terms(op: GraphOp) -> int:
    return prod(op.domain.reduction) if isinstance(op, ReductionOp) else 1


def _distance(wanted: Array, moved: Array) -> Array:
    """Return the distance of the elements; infinite where only one is finite."""
    x, y = wanted.astype(np.float64), moved.astype(np.float64)
    with np.errstate(all="ignore"):
        distance = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0, np.abs(x - y))
    return np.where(np.isnan(distance), np.inf, distance)


def _means(spread: Array) -> Array:
    """Return the mean of the finite elements around each element, 0 where there are none: along the
    last axes that together have ``BESIDE`` elements, or all.
    """
    axes = -1
    while prod(spread.shape[axes:]) < BESIDE and -axes < spread.ndim:
        axes -= 1
    around = tuple(range(axes, 0))[-spread.ndim :] if spread.ndim else ()
    finite = np.isfinite(spread)
    count = np.count_nonzero(finite, around, keepdims=True)
    return np.where(finite, spread, 0).sum(around, keepdims=True) / np.maximum(count, 1)
