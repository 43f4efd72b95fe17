"""Runs a compiled model against the reference interpreter before it is handed over."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from dlc.dialects.graph.structure import Array
from dlc.runtime.library import TensorInfo
from dlc.verification.comparison import InputsCompared, compare
from dlc.verification.error_bound import WIDE
from dlc.verification.groups import GroupsChecked
from dlc.verification.inputs import Feeds, telling_inputs
from dlc.verification.judge import Judge
from dlc.verification.magnification import magnifying_nodes
from dlc.verification.plan import Plan, reference_seconds
from dlc.verification.reference import Reference

CheckGroups = Callable[[Feeds, float], GroupsChecked]
"""Checks the launches of a run on some inputs, beyond the first of each kernel for some estimated
seconds.
"""


class Runnable(Protocol):
    """A compiled model, however it runs."""

    @property
    def inputs(self) -> Sequence[TensorInfo]:
        """The inputs in order."""
        ...

    def run(self, feeds: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return the outputs by name."""
        ...


@dataclass
class Verification:
    """What was checked. whole: the whole model; magnified: where the bound is wide, the ops that
    magnify rounding errors most; groups: the launches checked one by one.
    """

    whole: InputsCompared
    magnified: list[str] = field(default_factory=list)
    groups: GroupsChecked | None = None
    seconds: float = 0.0

    def text(self) -> str:
        """Return one line for the user."""
        parts = [self.groups.text()] if self.groups else []
        return f"verified: {', '.join([*parts, self.whole_text()])}, {self.seconds:.1f} s"

    def whole_text(self) -> str:
        """Return a phrase for the user: what was checked of the whole model."""
        return f"the whole model on {self.whole.text()}"

    def data(self) -> dict[str, Any]:
        """Return all of it."""
        return {
            **asdict(self.whole),
            "worst": self.whole.worst,
            "magnified": self.magnified,
            "groups": asdict(self.groups) if self.groups else None,
            "seconds": self.seconds,
        }

    def certificate(self) -> dict[str, Any]:
        """Return what is kept with the artifact."""
        launches = asdict(self.groups) if self.groups else None
        return {**self.whole.certificate(), "launches": launches}

    def warnings(self) -> list[str]:
        """Return a line for the user where the bound is so wide that it says little, and those of
        the comparison.
        """
        bound = self.whole.bound
        wide = (
            f"verification allows errors of {bound:.1e} of the largest value; rounding errors "
            f"grow most in {', '.join(self.magnified)}; compare results with some that you know"
        )
        return [*([wide] if bound > WIDE else []), *self.whole.warnings()]


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
    of the budget of ``plan``; then the whole model, as ``compare`` does. Raises CompileError when
    an output is further off than ``error_bound``, beyond the slack of its elements where the model
    magnifies rounding errors (``rounding_noise``).
    """
    began = time.monotonic()
    judge = Judge(reference, precision)
    module, weights = reference.module, reference.weights
    cost, budget = reference_seconds(module), plan.budget_seconds(kernels)
    inputs = [*plan.inputs, *telling_inputs(model.inputs, reference)]
    groups = None
    if check_groups:
        budget /= 2
        groups = _check_launches(check_groups, [feeds for _, feeds in inputs], budget)
    whole = compare(model.run, inputs, len(plan.inputs), judge, lambda runs: cost * runs, budget)
    magnified: Sequence[str] = ()
    if judge.bound > WIDE:
        magnified = magnifying_nodes(module, inputs[0][1], weights, precision)
    return Verification(whole, [*magnified], groups, time.monotonic() - began)


def _check_launches(
    check_groups: CheckGroups, inputs: Sequence[Feeds], budget_seconds: float
) -> GroupsChecked:
    """Check launches on the first input, and those whose results told nothing on others."""
    found = check_groups(inputs[0], budget_seconds)
    for feeds in inputs[1:]:
        if not found.silent:
            break
        found = max(found, check_groups(feeds, 0), key=lambda groups: groups.kernels)
    return found
