"""Runs a finished artifact against the reference interpreter before it is handed over."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod, sqrt

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.core.weights import WeightStore
from dlc.dialects.graph._structure import Array, GraphOp, ReductionOp
from dlc.errors import CompileError
from dlc.oracle import run_reference
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model

SAFETY = 16.0
"""How many standard deviations of the rounding model an error may reach."""

FP32_LIMIT = 1e-3
"""Whatever the formula gives, an fp32 result may not be further off."""

EPSILON = {"fp32": 2.0**-24, "tf32": 2.0**-11, "fp16": 2.0**-11, "bf16": 2.0**-8}
"""Half the distance between neighbouring values of the precision (unit roundoff), relative."""

_ACCUMULATION = 2.0**-24

Feeds = dict[str, Array]
Draw = Callable[[np.random.Generator, TensorInfo], Array]


@dataclass(frozen=True)
class Verification:
    """What was checked. worst: the largest error met, relative to an output's largest value."""

    cases: tuple[str, ...]
    worst: float
    bound: float
    seconds: float

    def text(self) -> str:
        """Return one line for the user."""
        names = ", ".join(self.cases)
        return (
            f"verified on {len(self.cases)} inputs ({names}): error {self.worst:.1e}, "
            f"bound {self.bound:.1e}, {self.seconds:.1f} s"
        )


def error_bound(module: ModuleOp, precision: str) -> float:
    """Return how far an output may be off, relative to its largest value.

    ``16 * (u * sqrt(n) + 2**-24 * sqrt(sum K))``: rounding errors are taken as independent, so they
    add in quadrature; n results are rounded to the precision (unit roundoff u), and each reduction
    of K terms accumulates in fp32. For fp32 the bound is never above 1e-3.
    """
    ops = [op for op in module.walk() if isinstance(op, GraphOp) and not op.moves_data]
    lengths = sum(prod(op.domain.reduction) for op in ops if isinstance(op, ReductionOp))
    rounding = EPSILON[precision] * sqrt(len(ops)) + _ACCUMULATION * sqrt(lengths)
    bound = SAFETY * rounding
    return min(bound, FP32_LIMIT) if precision == "fp32" else bound


def verify(
    model: Model, module: ModuleOp, weights: WeightStore, precision: str, budget_seconds: float
) -> Verification:
    """Compare ``model`` with the reference of ``module``, the graph before any pass.

    The first input is always checked; further ones as long as the budget lasts. Raises CompileError
    when an output is further off than ``error_bound``, or, where the model itself magnifies
    rounding errors, than four times what an evaluation of the same graph in float32 is off.
    """
    start = time.monotonic()
    bound = error_bound(module, precision)
    worst = 0.0
    done: list[str] = []
    for name, feeds in _cases(model):
        spent = time.monotonic() - start
        if done and spent + spent / len(done) > budget_seconds:
            break
        worst = max(worst, _check_case(model, module, weights, feeds, bound, name))
        done.append(name)
    return Verification(tuple(done), worst, bound, time.monotonic() - start)


def _check_case(
    model: Model, module: ModuleOp, weights: WeightStore, feeds: Feeds, bound: float, case: str
) -> float:
    wanted = run_reference(module, feeds, weights)
    errors = _errors(wanted, model.run(feeds))
    bad = {name: error for name, error in errors.items() if not error <= bound}
    if bad:
        narrow = _errors(wanted, run_reference(module, feeds, weights, float_type=np.float32))
        bad = {name: error for name, error in bad.items() if not error <= 4 * narrow[name]}
    for name, error in bad.items():
        raise CompileError(
            f"verification failed: output {name!r} is off by {error:.1e} of its largest value on "
            f"{case} input, bound {bound:.1e}; this is a fault of dlc, please report the model"
        )
    return max(errors.values(), default=0.0)


def _errors(wanted: Mapping[str, Array], got: Mapping[str, Array]) -> dict[str, float]:
    return {name: relative_error(array, got[name]) for name, array in wanted.items()}


def relative_error(wanted: Array, got: Array) -> float:
    """Return the largest difference relative to the largest magnitude; of integers and booleans the
    share of elements that differ. NaN and infinities in other places count as infinitely wrong.
    """
    if wanted.dtype.kind in "biu" or wanted.size == 0:
        return float(np.mean(wanted != got)) if wanted.size else 0.0
    x, y = wanted.astype(np.float64), got.astype(np.float64)
    finite = np.isfinite(x)
    if (
        not np.array_equal(x[~finite], y[~finite], equal_nan=True)
        or not np.isfinite(y[finite]).all()
    ):
        return float("inf")
    largest = float(np.abs(x[finite]).max(initial=0.0))
    difference = float(np.abs(x[finite] - y[finite]).max(initial=0.0))
    return difference / max(largest, 1e-30) if difference else 0.0


def _cases(model: Model) -> Iterator[tuple[str, Feeds]]:
    """Yield inputs by name: ordinary ones first, then those at which code tends to fail."""
    draws: Mapping[str, Draw] = {
        "random": lambda g, i: _integers(g, i, 2) if _is_integer(i) else g.standard_normal(i.shape),
        "zero": lambda g, i: np.zeros(i.shape),
        "large": lambda g, i: _ones(i) if _is_integer(i) else 30 * g.standard_normal(i.shape),
        "small": lambda g, i: _integers(g, i, 2) if _is_integer(i) else 1e-3 * g.random(i.shape),
        "negative": lambda g, i: _ones(i) if _is_integer(i) else -g.random(i.shape),
    }
    for seed, (name, draw) in enumerate(draws.items()):
        generator = np.random.default_rng(seed)
        yield name, {i.name: draw(generator, i).astype(i.dtype) for i in model.inputs}


def _is_integer(info: TensorInfo) -> bool:
    return info.dtype.kind in "biu"


def _integers(generator: np.random.Generator, info: TensorInfo, end: int) -> Array:
    """Return integers below ``end``: as indices they must be inside tables of unknown sizes."""
    return generator.integers(0, end, info.shape)


def _ones(info: TensorInfo) -> Array:
    return np.ones(info.shape)
