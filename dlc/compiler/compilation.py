"""One compile: the one place that walks all layers."""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.backends._weight_placer import WeightPlacer
from dlc.compiler.build import Built, build_cpu, build_cuda
from dlc.compiler.edited import UNVERIFIED, Start, read_start
from dlc.compiler.identity import LOADED_SOURCES
from dlc.compiler.index_report import describe_indices
from dlc.compiler.ir_files import is_ir
from dlc.compiler.levels import lower
from dlc.compiler.options import Options
from dlc.compiler.outcome import Outcome, Report
from dlc.compiler.report import describe_groups, describe_interface, make_report
from dlc.compiler.targets import Target, running_target
from dlc.core.cache import Cache, lookups_since
from dlc.core.context import DlcContext
from dlc.core.timing import Timing
from dlc.core.weights import Array, WeightStore
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource
from dlc.runtime.model import Model
from dlc.runtime.packing import WeightFile, write_artifact
from dlc.scratch import ScratchFolder
from dlc.verification.emulation import Emulation, verify_by_emulation
from dlc.verification.error_bound import error_bound
from dlc.verification.groups import (
    GroupsChecked,
    check_same,
    launched_kernels,
    verify_groups,
)
from dlc.verification.import_check import ImportChecked, check_nodes
from dlc.verification.probe import Probe, probe_module
from dlc.verification.simulation import (
    KernelsSimulated,
    simulated_text,
    verify_by_simulation,
)
from dlc.verification.whole_model import CheckGroups, Verification, verify
from dlc.verification.wiring import check_wiring


@dataclass(frozen=True)
class _Lowered:
    """A module of kernels; groups: the module before lowering; descriptions: the report of it."""

    target: Target
    module: ModuleOp
    groups: ModuleOp
    descriptions: Mapping[str, Report]


class Compilation:
    """Makes the artifact of a model, and verifies it."""

    def __init__(
        self, source: ModelSource, options: Options, targets: Sequence[Target], timing: Timing
    ):
        self.source = source
        self.options = options
        self.targets = targets
        self.context: DlcContext = registry.new_context(WeightStore())
        self.timing = timing
        self._built = Built()
        self.start = time.monotonic()
        self.cpu_start = _cpu_seconds()
        sys.setrecursionlimit(max(20_000, sys.getrecursionlimit()))  # xDSL recurses per region

    def run(self, path: Path) -> Outcome:
        """Write the artifact to ``path``. Raises CompileError, OSError."""
        start, imported = self._import()
        before = Cache.lookups.copy()
        lowered = [self._lower(target, start) for target in self.targets]
        with WeightFile() as weights:
            place = WeightPlacer(self.context.weights, weights)
            report = self._build(start.reference or start.module, lowered, place, path)
            cached = lookups_since(before)
            if not self.options.verify:
                return Outcome(report, self.timing.seconds, cached=cached)
            if start.reference is None:
                return Outcome(report, self.timing.seconds, checked=UNVERIFIED, cached=cached)
            found, simulated, emulated = self._verify(start.reference, lowered, place, path)
        checked = [each.text() for each in (found, *emulated) if each]
        if simulated:
            checked.append(simulated_text(simulated))
        if imported:
            checked.append(imported.text())
        return Outcome(
            report,
            self.timing.seconds,
            asdict(found) if found else None,
            [asdict(each) for each in simulated],
            [asdict(each) for each in emulated],
            "; ".join(checked),
            cached,
            asdict(imported) if imported else None,
        )

    def _import(self) -> tuple[Start, ImportChecked | None]:
        """Return what is compiled, and what was checked of the import, if anything should be."""
        options, weights = self.options, self.context.weights
        options.progress("reading the model")
        if is_ir(self.source) or options.weights_from is not None:
            with self.timing.measure("import"):
                return read_start(self.source, options, self.context, self.targets), None
        record = ImportRecord() if options.verify else None
        with self.timing.measure("import"):
            model = import_model(
                self.source, options.shapes, self.context, options.constants, record=record
            )
        if record is None:
            return Start(model, reference=model), None
        options.progress("checking the import")
        with self.timing.measure("import check"):
            check_wiring(record, model, weights, options.constants or {})
            return Start(model, reference=model), check_nodes(record, LOADED_SOURCES)

    def _lower(self, target: Target, start: Start) -> _Lowered:
        module = start.module.clone()
        groups = start.groups or start.module
        precision = self.options.precision
        for level in lower(self.context, module, target, precision, None, self.timing, start.level):
            self.options.progress(f"{target.name}: {level}")
            if level == "fused-group":
                groups = module.clone()
        return _Lowered(target, module, groups, describe_groups(groups))

    def _build(
        self, model: ModuleOp, lowered: Sequence[_Lowered], place: WeightPlacer, path: Path
    ) -> Report:
        with ScratchFolder("dlc-build-") as folder:
            library = Path(folder, "library.so")
            self.options.progress("compiling kernels")
            with self.timing.measure("kernels and weights"):
                built = self._built = self._compile(lowered, place, library)
            report = self._report(lowered, built, place.file.bytes)
            report |= describe_indices(model, self.context.weights)
            text = json.dumps(report, sort_keys=True).encode()
            beside = self.options.weights == "file"
            self.options.progress("writing the artifact")
            with self.timing.measure("artifact"):
                write_artifact(path, library, place.file, text, built.device_code, beside)
        return report

    def _compile(self, lowered: Sequence[_Lowered], place: WeightPlacer, library: Path) -> Built:
        jobs = self.options.job_count
        if lowered[0].target.is_gpu:
            modules = [(x.target, x.module) for x in lowered]
            return build_cuda(self.context, modules, place, jobs, library)
        sources = self._built.sources
        return build_cpu(self.context, lowered[0].module, place, jobs, library, sources)

    def _report(self, lowered: Sequence[_Lowered], built: Built, weights_bytes: int) -> Report:
        return {
            "target": ",".join(target.name for target in self.targets),
            "precision": self.options.precision,
            **describe_interface(lowered[0].module),
            "weights_bytes": weights_bytes,
            "variants": [
                {
                    "target": x.target.name,
                    **make_report(x.module, x.descriptions, built.resources(x.target.name)),
                }
                for x in lowered
            ],
        }

    def _verify(
        self, model: ModuleOp, lowered: Sequence[_Lowered], place: WeightPlacer, path: Path
    ) -> tuple[Verification | None, list[KernelsSimulated], list[Emulation]]:
        """Check the code of every target, no longer than the compile took so far: run it, or, what
        this machine does not run, emulate the whole and simulate its kernels.
        """
        wall, cpu = time.monotonic() - self.start, _cpu_seconds() - self.cpu_start
        budget = min(wall, cpu) / len(lowered)
        running = running_target(self.targets)
        found = self._run(model, lowered, place, path, budget) if running else None
        absent = [x for x in lowered if x.target != running]
        simulated = [self._simulate(x, budget / 2) for x in absent]
        emulated = [self._emulate(model, x, lowered, path, budget / 2) for x in absent]
        return found, simulated, emulated

    def _run(
        self,
        model: ModuleOp,
        lowered: Sequence[_Lowered],
        place: WeightPlacer,
        path: Path,
        budget: float,
    ) -> Verification:
        """Run the artifact against the reference, for ``budget`` seconds of processor time."""
        self.options.progress("verifying")
        with (
            self.timing.measure("verification"),
            ScratchFolder("dlc-probe-") as folder,
        ):
            # A probe of one target out of several would have its device code at other offsets.
            check = None
            if len(lowered) == 1:
                check = self._check_groups(lowered[0], place, path, folder)
            precision = self.options.precision
            found = verify(
                Model(path),
                model,
                self.context.weights,
                precision,
                budget,
                check,
            )
        self.options.progress(found.text())
        return found

    def _simulate(self, lowered: _Lowered, budget: float) -> KernelsSimulated:
        """Check the kernels of a target in the simulator, for ``budget`` seconds."""
        target = lowered.target.name
        self.options.progress(f"{target}: simulating kernels")
        with self.timing.measure("simulation"):
            return verify_by_simulation(
                target,
                lowered.groups,
                lowered.module,
                self.context.weights,
                self.options.precision,
                time.monotonic() + budget,
            )

    def _emulate(
        self,
        model: ModuleOp,
        lowered: _Lowered,
        variants: Sequence[_Lowered],
        path: Path,
        budget: float,
    ) -> Emulation:
        """Run the artifact as on a device of a target, for about ``budget`` seconds."""
        self.options.progress(f"{lowered.target.name}: emulating the artifact")
        with self.timing.measure("emulation"):
            return verify_by_emulation(
                path,
                lowered.target.name,
                [(x.module, self._built.kernels[x.target.name]) for x in variants],
                model,
                self.context.weights,
                self.options.precision,
                budget,
                self.options.job_count,
            )

    def _check_groups(
        self, lowered: _Lowered, place: WeightPlacer, path: Path, folder: Path
    ) -> CheckGroups:
        library = Path(folder, "probe.so")
        module = probe_module(self.context, lowered.module)
        self._compile([replace(lowered, module=module)], place, library)
        kernels = launched_kernels(lowered.module)

        def check(feeds: Mapping[str, Array], deadline: float) -> GroupsChecked:
            intermediate = Probe(library, path).run(feeds)
            weights, precision = self.context.weights, self.options.precision
            outputs = Model(path).run(feeds)
            check_same(outputs, intermediate[-len(outputs) :], error_bound(module, precision))
            return verify_groups(
                lowered.groups, kernels, feeds, intermediate, weights, precision, deadline
            )

        return check


def _cpu_seconds() -> float:
    """Return the processor time of this process and of the compilers that it has run."""
    return sum(os.times()[:4])
