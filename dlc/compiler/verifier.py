"""Checks what a compile has made: in a run where the machine has the target, else in simulation."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main, kernels_by_group, launches
from dlc.backends.cuda.cubins import CompiledKernel
from dlc.backends.host.libraries import called, callers
from dlc.compiler.launch_check import Kernels, LaunchCheck
from dlc.compiler.options import Options
from dlc.compiler.outcome import Report
from dlc.compiler.targets import Target, running_target
from dlc.core.context import DlcContext
from dlc.core.timing import Timing
from dlc.runtime.model import Model
from dlc.scratch import ScratchFolder
from dlc.simulator import SimulationError
from dlc.verification.called import States, called_state, computing, refusing
from dlc.verification.emulation import Emulation, verify_by_emulation
from dlc.verification.guarded_model import GuardedModel, most_seconds, running_model
from dlc.verification.miscompile import MiscompileError
from dlc.verification.plan import Plan
from dlc.verification.probe import probe_module
from dlc.verification.reference import Reference
from dlc.verification.simulation import KernelsSimulated, verify_by_simulation
from dlc.verification.stored_model import StoredModel
from dlc.verification.whole_model import CheckGroups, Verification, verify


class Lowered(Protocol):
    """What there is of a target. module: its kernels and launches; groups: what they were before
    lowering.
    """

    @property
    def target(self) -> Target: ...
    @property
    def module(self) -> ModuleOp: ...
    @property
    def groups(self) -> ModuleOp: ...


class BuildProbe(Protocol):
    """Builds the library of a module of the same kernels."""

    def __call__(self, module: ModuleOp, to: Path) -> object: ...


@dataclass(frozen=True)
class TargetSimulated:
    """What was checked of a target that this machine does not have. kernels: in the simulator,
    ``None`` for a CPU; lacks: what the machine's processor lacks for it; whole: the groups of the
    whole model in the reference interpreter, each value as it is stored.
    """

    target: str
    kernels: KernelsSimulated | None
    lacks: Sequence[str]
    whole: Verification

    def data(self) -> Report:
        """Return all of it."""
        return {"target": self.target, **self._kernels(), "whole": self.whole.data()}

    def certificate(self) -> Report:
        """Return it without what differs from machine to machine."""
        return {"target": self.target, **self._kernels(), **self.whole.certificate()}

    def _kernels(self) -> Report:
        return asdict(self.kernels) if self.kernels else {}

    def text(self) -> str:
        """Return a phrase for the user."""
        whole = f"{self.whole.whole_text()} (values as stored)"
        if self.kernels:
            return f"{self.target}: {self.kernels.text()}, {whole}"
        lacks = ", ".join(self.lacks)
        return f"machine code not run (no {lacks} here): {self.target}: {whole}"


@dataclass(frozen=True)
class Verified:
    """What was found. run: of the target that this machine has; simulated, emulated: of each other
    one. not_called: the libraries of which no call ran, but the generated kernels beside them;
    refused: of those that did some, for how many kernels they did nothing: ``2 of 24``.
    """

    run: Verification | None
    simulated: Sequence[TargetSimulated]
    emulated: Sequence[Emulation]
    not_called: Sequence[str] = ()
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    def text(self) -> str:
        """Return one line for the user."""
        parts = [x.text() for x in (self.run, *self.emulated) if x]
        parts += [x.text() for x in self.simulated if not x.kernels]
        if targets := "; ".join(x.text() for x in self.simulated if x.kernels):
            parts.append(f"simulated, not run (no such GPU here): {targets}")
        if self.not_called:
            names = " and ".join(self.not_called)
            parts.append(f"calls of {names} were not run here, but the kernels beside them")
        for name, share in self.refused.items():
            parts.append(f"{name} computes nothing for {share} kernels that call it here")
        return "; ".join(parts)

    def certificate(self) -> Report:
        """Return what the artifact says of this: nothing that differs from machine to machine."""
        return {
            "run": self.run.certificate() if self.run else None,
            "simulated": [x.certificate() for x in self.simulated],
            "emulated": [x.certificate() for x in self.emulated],
            **({"not_called": list(self.not_called)} if self.not_called else {}),
            **({"refused": dict(self.refused)} if self.refused else {}),
        }

    def warnings(self) -> list[str]:
        """Return lines about what the checks cannot tell."""
        checks = [self.run] if self.run else []
        found = [x.warnings() for x in (*checks, *(x.whole for x in self.simulated))]
        found += [x.warnings() for x in self.emulated]
        return list(dict.fromkeys(text for texts in found for text in texts))


@dataclass(frozen=True)
class Verifier:
    """Verifies an artifact. model: the graph as it was imported; artifact: its path; build_probe:
    for an artifact of one target; kernels: the machine code for each GPU.
    """

    context: DlcContext
    options: Options
    model: ModuleOp
    lowered: Sequence[Lowered]
    artifact: Path
    build_probe: BuildProbe
    kernels: Mapping[str, Sequence[CompiledKernel]]
    timing: Timing

    def verify(self, plan: Plan) -> Verified:
        """Check the code of every target. Raises CompileError."""
        running = running_target([x.target for x in self.lowered])
        found: list[tuple[Verification, States]] = []
        if self.options.tolerance is None:  # else the user's own comparison takes its place
            found = [self._run(x, plan) for x in self.lowered if x.target == running]
        absent = [x for x in self.lowered if x.target != running]
        simulated = [self._simulate(x, plan) for x in absent]
        emulated = [self._emulate(x, plan) for x in absent if x.target.is_gpu]
        run, states = found[0] if found else (None, {})
        others = [each.name for x in absent for each in called(x.module.ops)]
        missing = dict.fromkeys((*(x for x in states if x not in computing(states)), *others))
        return Verified(run, simulated, emulated, tuple(missing), refusing(states))

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self.model, self.context.weights)

    def _run(self, lowered: Lowered, plan: Plan) -> tuple[Verification, States]:
        """Run the artifact against the reference; return what became of libraries, too."""
        self.options.progress("verifying")
        with self.timing.measure("verification"), ExitStack() as stack:
            check = None
            model = running_model(
                self.artifact, lowered.target.is_gpu, stack, most_seconds(self.model)
            )
            # A probe of one target out of several would have its device code at other offsets.
            if len(self.lowered) == 1:
                folder = stack.enter_context(ScratchFolder("dlc-probe-"))
                check = self._check_groups(lowered, Path(folder, "probe.so"), model)
            kernels = _kernel_count(lowered)
            precision = self.options.precision
            found = verify(model, self._reference, precision, plan, kernels, check)
            return found, called_state(model)

    def _simulate(self, lowered: Lowered, plan: Plan) -> TargetSimulated:
        """Check what can be checked without the target."""
        target, weights = lowered.target.name, self.context.weights
        precision = self.options.precision
        self.options.progress(f"{target}: verifying the whole model")
        with self.timing.measure("verification"):
            stored = StoredModel(lowered.groups, weights)
            kernels = _kernel_count(lowered)
            whole = verify(stored, self._reference, precision, plan, kernels)
        if not lowered.target.is_gpu:
            return TargetSimulated(target, None, lowered.target.missing_features, whole)
        self.options.progress(f"{target}: simulating kernels")
        with self.timing.measure("simulation"):
            try:
                found = verify_by_simulation(lowered.groups, lowered.module, weights, precision)
            except SimulationError as error:
                raise MiscompileError(str(error)) from error
        return TargetSimulated(target, found, (), whole)

    def _emulate(self, lowered: Lowered, plan: Plan) -> Emulation:
        """Run the artifact as on a device of a target."""
        self.options.progress(f"{lowered.target.name}: emulating the artifact")
        kernels = _kernel_count(lowered)
        with self.timing.measure("emulation"):
            return verify_by_emulation(
                self.artifact,
                lowered.target.name,
                [(x.module, self.kernels[x.target.name]) for x in self.lowered],
                self._reference,
                self.options.precision,
                plan,
                kernels,
                self.options.job_count,
            )

    def _check_groups(
        self, lowered: Lowered, probe: Path, model: Model | GuardedModel
    ) -> CheckGroups:
        self.build_probe(probe_module(self.context, lowered.module), probe)
        kernels = kernels_by_group(find_main(lowered.module))
        return LaunchCheck(
            groups=lowered.groups,
            kernels=kernels,
            calling=_calling(kernels, lowered.module),
            model=model,
            artifact=self.artifact,
            probe=probe,
            seconds=most_seconds(self.model),
            weights=self.context.weights,
            precision=self.options.precision,
        )


def _calling(kernels: Kernels, module: ModuleOp) -> Kernels:
    """Return those groups of which some kernel may call a library."""
    able = callers(module.ops)
    return {group: names for group, names in kernels.items() if not able.isdisjoint(names)}


def _kernel_count(lowered: Lowered) -> int:
    return len({op.kernel_name for op in launches(find_main(lowered.module))})
