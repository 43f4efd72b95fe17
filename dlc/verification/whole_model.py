"""Runs a finished artifact against the reference interpreter before it is handed over."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.core.weights import WeightStore
from dlc.dialects.graph._structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.oracle import run_reference
from dlc.runtime.model import Model
from dlc.verification.error_bound import error_bound, relative_error
from dlc.verification.groups import GroupsChecked
from dlc.verification.inputs import Feeds, switches, verification_inputs
from dlc.verification.rounding_noise import errors_beyond
from dlc.verification.value_range import RangeError, check_range

REFERENCE_FLOPS_PER_S = 2e9
"""What numpy does in float64 on two cores, measured on ResNet-50 and BERT: 1 to 4 GFLOP/s."""

CheckGroups = Callable[[Feeds, float], GroupsChecked]
"""Checks the launches of a run on some inputs until a time of ``time.process_time``."""


@dataclass
class Verification:
    """What was checked. cases: inputs on which the whole model was run; worst: the largest error
    met there, relative to an output's largest value; beyond: the inputs on which the model has
    values that the precision cannot hold; groups: the launches checked one by one;
    measured_noise: whether errors are those beyond what rounding errors were measured to do.
    """

    bound: float
    cases: list[str] = field(default_factory=list)
    worst: float = 0.0
    beyond: list[str] = field(default_factory=list)
    seconds: float = 0.0
    groups: GroupsChecked | None = None
    measured_noise: bool = False

    def add(self, case: str, error: float) -> None:
        """Count a case in that was compared."""
        self.cases.append(case)
        self.worst = max(self.worst, error)

    def text(self) -> str:
        """Return one line for the user."""
        parts: list[str] = []
        if self.groups:
            parts.append(self.groups.text())
        if self.cases:
            parts.append(f"the whole model on {len(self.cases)} inputs ({', '.join(self.cases)})")
            beyond = " beyond measured rounding noise" if self.measured_noise else ""
            parts.append(f"error {self.worst:.1e}{beyond}, bound {self.bound:.1e}")
        if self.beyond:
            parts.append(f"{' and '.join(self.beyond)} inputs are beyond the precision")
        return f"verified: {', '.join(parts)}, {self.seconds:.1f} s"


def verify(
    model: Model,
    module: ModuleOp,
    groups: ModuleOp,
    weights: WeightStore,
    precision: str,
    budget_seconds: float,
    check_groups: CheckGroups | None = None,
) -> Verification:
    """Compare ``model`` with the reference of ``module``, the graph before any pass.

    groups: the module before lowering, in which ops are written out as kernels compute them: what
    rounding errors can do is measured there.
    First its launches one by one (``check_groups``), for half of the budget if the whole model fits
    in the rest; then the whole model on as many inputs as the rest allows, at least one if nothing
    else was checked. The budget is processor time, so that a busy machine does not change what is
    checked. Inputs on which values do not fit into the precision are left out, but for the first
    ones: then RangeError is raised. Raises CompileError when an output is further off than
    ``error_bound``, beyond the slack of its elements where the model magnifies rounding errors
    (``rounding_noise``).
    """
    began, start = time.monotonic(), time.process_time()
    found = Verification(error_bound(module, precision))
    judge = _Judge(model, module, groups, weights, precision, found.bound)
    cost = _reference_seconds(module)
    for name, feeds in verification_inputs(model.inputs, switches(module, weights)):
        if check_groups and not found.groups:
            share = 0.5 if cost <= budget_seconds / 2 else 1.0
            found.groups = check_groups(feeds, start + share * budget_seconds)
        spent = time.process_time() - start
        if (found.groups or found.cases) and spent + cost > budget_seconds:
            break
        try:
            found.add(name, judge.check(feeds, name))
        except RangeError:
            if not found.cases:  # ordinary inputs must fit
                raise
            found.beyond.append(name)
        cost = time.process_time() - start - spent
    found.measured_noise = judge.measured_noise
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
    groups: ModuleOp
    weights: WeightStore
    precision: str
    bound: float

    def __post_init__(self) -> None:
        self.measured_noise = False

    def check(self, feeds: Feeds, case: str) -> float:
        """Return the largest error; raises CompileError when it is above the bound, RangeError when
        the values of the model itself do not fit into the precision.
        """
        wanted, got = run_reference(self.module, feeds, self.weights), self.model.run(feeds)
        errors = _errors(wanted, got)
        if not all(map(np.isfinite, errors.values())):
            check_range(self.module, feeds, self.weights, self.precision, case)
        if any(not error <= self.bound for error in errors.values()):
            self.measured_noise = True
            errors = self._errors_beyond(feeds, wanted, got)
        for name, error in errors.items():
            if not error <= self.bound:
                raise CompileError(
                    f"verification failed: output {name!r} is off by {error:.1e} of its largest "
                    f"value on {case} input, bound {self.bound:.1e}; this is a fault of dlc, "
                    "please report the model"
                )
        return max(errors.values(), default=0.0)

    def _errors_beyond(
        self, feeds: Feeds, wanted: Mapping[str, Array], got: Mapping[str, Array]
    ) -> dict[str, float]:
        """Return the errors that rounding errors do not explain."""

        def run(**how: Any) -> list[Array]:
            return [*run_reference(self.groups, feeds, self.weights, **how).values()]

        results = [got[name] for name in wanted]
        errors = errors_beyond(run, [*wanted.values()], results, self.precision, self.bound)
        return dict(zip(wanted, errors, strict=True))


def _errors(wanted: Mapping[str, Array], got: Mapping[str, Array]) -> dict[str, float]:
    return {name: relative_error(array, got[name]) for name, array in wanted.items()}
