"""Checks a run of an artifact launch by launch: what generated kernels give, and what calls of
libraries give.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc.core.weights import Array, WeightStore
from dlc.runtime.model import Model
from dlc.verification.called import called_state, computing
from dlc.verification.groups import GroupsChecked, check_same, verify_groups
from dlc.verification.guarded_model import GuardedModel, Result, run_guarded
from dlc.verification.miscompile import MiscompileError
from dlc.verification.probe import Probed, generated_outputs, run_probe

Kernels = Mapping[str, Sequence[str]]
"""Those of each group, by its name."""


@dataclass(frozen=True)
class LaunchCheck:
    """Compares launches with the references of their groups, on the values that they really get.

    groups: the module before lowering. kernels: of all groups; calling: of those with a kernel that
    may call a library. model: the artifact as it runs here. probe: the file of its probe program.
    seconds: how long a run may take on a CPU.
    """

    groups: ModuleOp
    kernels: Kernels
    calling: Kernels
    model: Model | GuardedModel
    artifact: Path
    probe: Path
    seconds: float
    weights: WeightStore
    precision: str

    def __call__(self, feeds: Mapping[str, Array], budget_seconds: float) -> GroupsChecked:
        """Check all launches with generated kernels; where libraries compute, check their calls,
        too. The outputs that generated kernels give in the places of the artifact must be those of
        the probe. Raises MiscompileError.
        """
        generated = self._probed(feeds, calls=False)
        outputs = self.model.run(feeds)
        if names := computing(called_state(self.model)):
            self._verify_calls(names, feeds)
            outputs = self._generated(feeds)
        check_same(outputs, generated.outputs(outputs))
        return self._verify(self.kernels, feeds, generated, budget_seconds)

    def _verify_calls(self, libraries: Sequence[str], feeds: Mapping[str, Array]) -> None:
        try:
            self._verify(self.calling, feeds, self._probed(feeds, calls=True), 0)
        except MiscompileError as error:
            what = f"{error.found}, where library {' or '.join(libraries)} computes it"
            raise MiscompileError(what, error.at, error.kernels) from error

    def _verify(
        self, kernels: Kernels, feeds: Mapping[str, Array], probed: Probed, budget_seconds: float
    ) -> GroupsChecked:
        found = {name: probed.results(name) for name in self.kernels}
        groups, weights, precision = self.groups, self.weights, self.precision
        return verify_groups(groups, kernels, feeds, found, weights, precision, budget_seconds)

    def _probed(self, feeds: Mapping[str, Array], calls: bool) -> Probed:
        return self._run(partial(run_probe, self.probe, self.artifact, calls=calls), feeds)

    def _generated(self, feeds: Mapping[str, Array]) -> Mapping[str, Array]:
        return self._run(partial(generated_outputs, self.artifact), feeds)

    def _run(
        self, run: Callable[[Mapping[str, Array]], Result], feeds: Mapping[str, Array]
    ) -> Result:
        """Run a program; on a CPU in a process of its own, which kernels may crash."""
        if isinstance(self.model, Model):
            return run(feeds)
        return run_guarded(run, self.artifact, self.seconds, feeds)
