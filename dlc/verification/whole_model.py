"""Runs a finished artifact against the reference interpreter before it is handed over."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from dlc.core.weights import WeightStore
from dlc.dialects.graph._structure import GraphOp
from dlc.runtime.model import Model
from dlc.verification.groups import GroupsChecked
from dlc.verification.inputs import Feeds, switches, verification_inputs
from dlc.verification.judge import Judge
from dlc.verification.value_range import RangeError

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
    ``error_bound``, beyond the slack of its elements where the model magnifies rounding errors
    (``rounding_noise``).
    """
    began, start = time.monotonic(), time.process_time()
    judge = Judge(module, weights, precision)
    found = Verification(judge.bound)
    cost = _reference_seconds(module)
    for name, feeds in verification_inputs(model.inputs, switches(module, weights)):
        if check_groups and not found.groups:
            share = 0.5 if cost <= budget_seconds / 2 else 1.0
            found.groups = check_groups(feeds, start + share * budget_seconds)
        spent = time.process_time() - start
        if (found.groups or found.cases) and spent + cost > budget_seconds:
            break
        try:
            found.add(name, judge.check(feeds, model.run(feeds), name))
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
