"""Runs a compiled model against the reference interpreter before it is handed over."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil, floor, log10
from typing import Any, Protocol

from dlc.dialects.graph._structure import Array
from dlc.errors import counted
from dlc.runtime.library import TensorInfo
from dlc.verification.evidence import Silence
from dlc.verification.groups import GroupsChecked
from dlc.verification.inputs import Feeds, telling_inputs
from dlc.verification.judge import Judge
from dlc.verification.magnification import magnifying_nodes
from dlc.verification.plan import Plan, reference_seconds
from dlc.verification.reference import Reference
from dlc.verification.value_range import RangeError

CheckGroups = Callable[[Feeds, float], GroupsChecked]
"""Checks the launches of a run on some inputs, beyond the first of each kernel for some estimated
seconds.
"""


WIDE = 0.1
"""A bound above this is worth a warning: whole features of a result may be wrong within it."""


class Runnable(Protocol):
    """A compiled model, however it runs."""

    @property
    def inputs(self) -> Sequence[TensorInfo]:
        """The inputs in order."""
        ...

    def run(self, feeds: Feeds) -> Mapping[str, Array]:
        """Return the outputs by name."""
        ...


@dataclass
class Verification:
    """What was checked. cases: by input on which the whole model was run, the largest error there,
    relative to an output's largest value; magnified: where the bound is wide, the ops that magnify
    rounding errors most; beyond: the inputs on which the model has values that the precision cannot
    hold; left_out: inputs for which there was no time; groups: the launches checked one by one;
    measured_noise: whether errors are those beyond what rounding errors were measured to do;
    silence: the outputs that told nothing.
    """

    bound: float
    cases: dict[str, float] = field(default_factory=dict[str, float])
    magnified: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    seconds: float = 0.0
    groups: GroupsChecked | None = None
    measured_noise: bool = False
    silence: Silence = field(default_factory=Silence)

    @property
    def worst(self) -> float:
        """The largest error of all inputs."""
        return max(self.cases.values(), default=0.0)

    def text(self) -> str:
        """Return one line for the user."""
        parts = [self.groups.text()] if self.groups else []
        return f"verified: {', '.join([*parts, self.whole_text()])}, {self.seconds:.1f} s"

    def whole_text(self) -> str:
        """Return a phrase for the user: what was checked of the whole model."""
        beyond = " beyond measured rounding noise" if self.measured_noise else ""
        parts = [
            f"the whole model on {counted(len(self.cases), 'input')} ({', '.join(self.cases)})",
            self.silence.text(f"error {self.worst:.1e}{beyond}, bound {self.bound:.1e}"),
        ]
        if self.beyond:
            parts.append(f"beyond the precision: {' and '.join(self.beyond)} input")
        if self.left_out:
            parts.append(f"left out for time: {' and '.join(self.left_out)} input")
        return ", ".join(parts)

    def data(self) -> dict[str, Any]:
        """Return all of it."""
        return {**asdict(self), "worst": self.worst}

    def certificate(self) -> dict[str, Any]:
        """Return what is kept with the artifact: bounds and errors with one digit, rounded up."""
        return {
            "inputs": {name: one_digit(error) for name, error in self.cases.items()},
            "bound": one_digit(self.bound),
            "beyond_measured_noise": self.measured_noise,
            "beyond_the_precision": self.beyond,
            "left_out_for_time": self.left_out,
            "told_nothing": dict(self.silence.outputs),
            "launches": asdict(self.groups) if self.groups else None,
        }

    def warnings(self) -> list[str]:
        """Return a line for the user where the bound is so wide that it says little, and one where
        outputs told nothing.
        """
        wide = (
            f"verification allows errors of {self.bound:.1e} of the largest value; rounding errors "
            f"grow most in {', '.join(self.magnified)}; compare results with some that you know"
        )
        return [*([wide] if self.bound > WIDE else []), *self.silence.warnings()]


def one_digit(number: float) -> float:
    """Round up to one significant digit."""
    if number == 0:
        return 0.0
    unit = 10.0 ** floor(log10(number))
    return float(f"{ceil(number / unit) * unit:.0e}")


def verify(
    model: Runnable,
    reference: Reference,
    precision: str,
    plan: Plan,
    kernels: int,
    check_groups: CheckGroups | None = None,
) -> Verification:
    """Compare ``model`` with the reference, that of the graph before any pass.

    kernels: how many different ones the model has.
    First its launches one by one (``check_groups``), each kernel at least once and others for half
    of the budget of ``plan``; then the whole model, on one input at least. Inputs on which values
    do not fit into the precision are left out, but for the first ones: then RangeError is raised.
    Raises CompileError when an output is further off than ``error_bound``, beyond the slack of its
    elements where the model magnifies rounding errors (``rounding_noise``).
    """
    began = time.monotonic()
    judge = Judge(reference, precision)
    module, weights = reference.module, reference.weights
    found = Verification(judge.bound)
    cost, left = reference_seconds(module), plan.budget_seconds(kernels)
    drawn = telling_inputs(model.inputs, reference)
    given = {name for name, _ in plan.inputs}
    for name, feeds in (*plan.inputs, *drawn):
        if check_groups and not found.groups:
            found.groups = check_groups(feeds, left / 2)
            left /= 2
        elif check_groups and found.groups and found.groups.silent:
            again = check_groups(feeds, 0)
            found.groups = max(found.groups, again, key=lambda groups: groups.kernels)
        if found.cases and name not in given and left < cost * judge.runs:
            found.left_out.append(name)
            continue
        try:
            found.cases[name] = judge.check(feeds, model.run(feeds), name)
        except RangeError:
            if not found.cases:  # ordinary inputs must fit
                raise
            found.beyond.append(name)
        if found.bound > WIDE and not found.magnified:
            found.magnified = magnifying_nodes(module, feeds, weights, precision)
        left -= cost * judge.runs
    found.measured_noise = judge.measured_noise
    found.silence = judge.evidence.silence
    found.seconds = time.monotonic() - began
    return found
