"""Runs a finished artifact against the reference interpreter before it is handed over."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.compiler.error_bound import error_bound, relative_error
from dlc.compiler.group_verification import GroupsChecked
from dlc.compiler.value_range import RangeError, check_range
from dlc.core.weights import WeightStore
from dlc.dialects.graph._structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.oracle import run_reference
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model

REFERENCE_FLOPS_PER_S = 2e9
"""What numpy does in float64 on two cores, measured on ResNet-50 and BERT: 1 to 4 GFLOP/s."""

RUNNING_SUM = 45.0
"""How much further off than numpy's float32 an artifact may be where the model itself magnifies
rounding errors: 4 * sqrt(128). BLAS and numpy add in blocks of about 128 terms; one running sum, as
kernels have it, is off by up to sqrt(128) times as much. (EfficientNet on inputs of magnitude 30:
numpy 4e-4, ONNX Runtime 3e-3.) Each launch has been held to its own bound before.
"""

Feeds = dict[str, Array]
Draw = Callable[[np.random.Generator, TensorInfo], Array]
CheckGroups = Callable[[Feeds, float], GroupsChecked]
"""Checks the launches of a run on some inputs until a time of ``time.monotonic``."""


@dataclass
class Verification:
    """What was checked. cases: inputs on which the whole model was run; worst: the largest error
    met there, relative to an output's largest value; beyond: the inputs on which the model has
    values that the precision cannot hold; groups: the launches checked one by one.
    """

    bound: float
    cases: list[str] = field(default_factory=list)
    worst: float = 0.0
    beyond: list[str] = field(default_factory=list)
    seconds: float = 0.0
    groups: GroupsChecked | None = None

    def add(self, case: str, error: float, bound: float) -> None:
        """Count a case in that was compared."""
        self.cases.append(case)
        self.worst = max(self.worst, error)
        self.bound = max(self.bound, bound)

    def text(self) -> str:
        """Return one line for the user."""
        parts: list[str] = []
        if self.groups:
            parts.append(self.groups.text())
        if self.cases:
            parts.append(f"the whole model on {len(self.cases)} inputs ({', '.join(self.cases)})")
            parts.append(f"error {self.worst:.1e}, bound {self.bound:.1e}")
        if self.beyond:
            parts.append(f"{' and '.join(self.beyond)} inputs are beyond the precision")
        return f"verified: {', '.join(parts)}, {self.seconds:.1f} s"


def verify(
    model: Model,
    module: ModuleOp,
    weights: WeightStore,
    precision: str,
    budget_seconds: float,
    check_groups: CheckGroups | None = None,
) -> Verification:
    """Compare ``model`` with the reference of ``module``, the graph before any pass.

    First its launches one by one (``check_groups``), for half of the budget if the whole model fits
    in the rest; then the whole model on as many inputs as the rest allows, at least one if nothing
    else was checked. Inputs on which values do not fit into the precision are left out, but for the
    first ones: then RangeError is raised. Raises CompileError when an output is further off than
    ``error_bound``, or, where the model itself magnifies rounding errors, than ``RUNNING_SUM``
    times what numpy's float32 is off on that graph.
    """
    start = time.monotonic()
    found = Verification(error_bound(module, precision))
    cost = _reference_seconds(module)
    for name, feeds in _cases(model):
        if check_groups and not found.groups:
            share = 0.5 if cost <= budget_seconds / 2 else 1.0
            found.groups = check_groups(feeds, start + share * budget_seconds)
        spent = time.monotonic() - start
        if (found.groups or found.cases) and spent + cost > budget_seconds:
            break
        try:
            error, bound = _check_case(model, module, weights, precision, feeds, found.bound, name)
            found.add(name, error, bound)
        except RangeError:
            if not found.cases:  # ordinary inputs must fit
                raise
            found.beyond.append(name)
        cost = time.monotonic() - start - spent
    found.seconds = time.monotonic() - start
    return found


def _reference_seconds(module: ModuleOp) -> float:
    flops = sum(op.flops() for op in module.walk() if isinstance(op, GraphOp))
    return flops / REFERENCE_FLOPS_PER_S


def _check_case(
    model: Model,
    module: ModuleOp,
    weights: WeightStore,
    precision: str,
    feeds: Feeds,
    bound: float,
    case: str,
) -> tuple[float, float]:
    """Return the largest error and the bound that held; raises CompileError when none did,
    RangeError when the values of the model itself do not fit into the precision.
    """
    wanted = run_reference(module, feeds, weights)
    errors = _errors(wanted, model.run(feeds))
    if not all(map(np.isfinite, errors.values())):
        check_range(module, feeds, weights, precision, case)
    bounds = dict.fromkeys(errors, bound)
    if any(not error <= bound for error in errors.values()):
        narrow = _errors(wanted, run_reference(module, feeds, weights, float_type=np.float32))
        bounds = {name: max(bound, RUNNING_SUM * error) for name, error in narrow.items()}
    for name, error in errors.items():
        if not error <= bounds[name]:
            raise CompileError(
                f"verification failed: output {name!r} is off by {error:.1e} of its largest value "
                f"on {case} input, bound {bounds[name]:.1e}; this is a fault of dlc, please report "
                "the model"
            )
    return max(errors.values(), default=0.0), max(bounds.values(), default=bound)


def _errors(wanted: Mapping[str, Array], got: Mapping[str, Array]) -> dict[str, float]:
    return {name: relative_error(array, got[name]) for name, array in wanted.items()}


def _cases(model: Model) -> Iterator[tuple[str, Feeds]]:
    """Yield inputs by name: ordinary ones first, then those at which code tends to fail."""
    draws: Mapping[str, Draw] = {
        "random": lambda g, i: _indices(g, i) if _is_integer(i) else g.standard_normal(i.shape),
        "zero": lambda g, i: np.zeros(i.shape),
        "large": lambda g, i: _ones(i) if _is_integer(i) else 30 * g.standard_normal(i.shape),
        "small": lambda g, i: _indices(g, i) if _is_integer(i) else 1e-3 * g.random(i.shape),
        "negative": lambda g, i: _ones(i) if _is_integer(i) else -g.random(i.shape),
    }
    for seed, (name, draw) in enumerate(draws.items()):
        generator = np.random.default_rng(seed)
        yield name, {i.name: draw(generator, i).astype(i.dtype) for i in model.inputs}


def _is_integer(info: TensorInfo) -> bool:
    return info.dtype.kind in "biu"


def _indices(generator: np.random.Generator, info: TensorInfo) -> Array:
    """Return 0 and 1: as indices, integers must be inside tables of sizes not known here."""
    return generator.integers(0, 2, info.shape)


def _ones(info: TensorInfo) -> Array:
    return np.ones(info.shape)
