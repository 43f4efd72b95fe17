"""Runs a finished artifact against the reference interpreter before it is handed over."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.compiler.error_bound import error_bound, relative_error
from dlc.compiler.group_verification import GroupsChecked
from dlc.compiler.rounding_noise import errors_beyond, has_steps
from dlc.compiler.value_range import RangeError, check_range
from dlc.compiler.verification_inputs import Feeds, switches, verification_inputs
from dlc.core.weights import WeightStore
from dlc.dialects.graph._structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.oracle import Perturb, run_reference
from dlc.runtime.model import Model

REFERENCE_FLOPS_PER_S = 2e9
"""What numpy does in float64 on two cores, measured on ResNet-50 and BERT: 1 to 4 GFLOP/s."""

RUNNING_SUM = 45.0
"""How much further off than numpy's float32 an artifact may be where the model itself magnifies
rounding errors: 4 * sqrt(128). BLAS and numpy add in blocks of about 128 terms; one running sum, as
kernels have it, is off by up to sqrt(128) times as much. (EfficientNet on inputs of magnitude 30:
numpy 4e-4, ONNX Runtime 3e-3.) Each launch has been held to its own bound before.
"""

CheckGroups = Callable[[Feeds, float], GroupsChecked]
"""Checks the launches of a run on some inputs until a time of ``time.process_time``."""


@dataclass
class Verification:
    """What was checked. cases: inputs on which the whole model was run; worst: the largest error
    met there, relative to an output's largest value; beyond: the inputs on which the model has
    values that the precision cannot hold; groups: the launches checked one by one; steps: whether
    errors were counted only beyond what steps of the model allow.
    """

    bound: float
    cases: list[str] = field(default_factory=list)
    worst: float = 0.0
    beyond: list[str] = field(default_factory=list)
    seconds: float = 0.0
    groups: GroupsChecked | None = None
    steps: bool = False

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
            beyond = " beyond that of steps" if self.steps else ""
            parts.append(f"error {self.worst:.1e}{beyond}, bound {self.bound:.1e}")
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
    else was checked. The budget is processor time, so that a busy machine does not change what is
    checked. Inputs on which values do not fit into the precision are left out, but for the first
    ones: then RangeError is raised. Raises CompileError when an output is further off than
    ``error_bound``, or, where the model itself magnifies rounding errors, than ``RUNNING_SUM``
    times what numpy's float32 is off on that graph; of a model that has steps, beyond the
    ``slacks`` of its elements.
    """
    began, start = time.monotonic(), time.process_time()
    found = Verification(error_bound(module, precision))
    judge = _Judge(model, module, weights, precision, found.bound)
    runs = 3 if judge.has_steps else 1  # one pair with noise is mostly enough
    cost = _reference_seconds(module) * runs
    for name, feeds in verification_inputs(model.inputs, switches(module, weights)):
        if check_groups and not found.groups:
            share = 0.5 if cost <= budget_seconds / 2 else 1.0
            found.groups = check_groups(feeds, start + share * budget_seconds)
        spent = time.process_time() - start
        if (found.groups or found.cases) and spent + cost > budget_seconds:
            break
        try:
            error, bound = judge.check(feeds, name)
            found.add(name, error, bound)
        except RangeError:
            if not found.cases:  # ordinary inputs must fit
                raise
            found.beyond.append(name)
        cost = time.process_time() - start - spent
    found.steps = judge.allowed_steps
    found.seconds = time.monotonic() - began
    return found


def _reference_seconds(module: ModuleOp) -> float:
    flops = sum(op.flops() for op in module.walk() if isinstance(op, GraphOp))
    return flops / REFERENCE_FLOPS_PER_S


@dataclass
class _Judge:
    """Compares the whole model with its reference."""

    model: Model
    module: ModuleOp
    weights: WeightStore
    precision: str
    bound: float

    def __post_init__(self) -> None:
        self.has_steps = has_steps(self.module)
        self.allowed_steps = False

    def check(self, feeds: Feeds, case: str) -> tuple[float, float]:
        """Return the largest error and the bound that held; raises CompileError when none did,
        RangeError when the values of the model itself do not fit into the precision.
        """
        wanted, got = run_reference(self.module, feeds, self.weights), self.model.run(feeds)
        errors = _errors(wanted, got)
        if not all(map(np.isfinite, errors.values())):
            check_range(self.module, feeds, self.weights, self.precision, case)
        bounds = dict.fromkeys(errors, self.bound)
        if any(not error <= self.bound for error in errors.values()):
            if self.has_steps:
                errors = self._errors_beyond(feeds, wanted, got)
            else:
                bounds = self._bounds(feeds, wanted)
        for name, error in errors.items():
            if not error <= bounds[name]:
                raise CompileError(
                    f"verification failed: output {name!r} is off by {error:.1e} of its largest "
                    f"value on {case} input, bound {bounds[name]:.1e}; this is a fault of dlc, "
                    "please report the model"
                )
        return max(errors.values(), default=0.0), max(bounds.values(), default=self.bound)

    def _bounds(self, feeds: Feeds, wanted: Mapping[str, Array]) -> dict[str, float]:
        """Return the bounds of a model that magnifies rounding errors."""
        narrow = run_reference(self.module, feeds, self.weights, float_type=np.float32)
        errors = _errors(wanted, narrow)
        return {name: max(self.bound, RUNNING_SUM * error) for name, error in errors.items()}

    def _errors_beyond(
        self, feeds: Feeds, wanted: Mapping[str, Array], got: Mapping[str, Array]
    ) -> dict[str, float]:
        """Return the errors that the model's steps do not explain."""

        def run(noise: Perturb) -> list[Array]:
            return [*run_reference(self.module, feeds, self.weights, perturb=noise).values()]

        self.allowed_steps = True
        results = [got[name] for name in wanted]
        errors = errors_beyond(run, [*wanted.values()], results, self.precision, self.bound)
        return dict(zip(wanted, errors, strict=True))


def _errors(wanted: Mapping[str, Array], got: Mapping[str, Array]) -> dict[str, float]:
    return {name: relative_error(array, got[name]) for name, array in wanted.items()}
