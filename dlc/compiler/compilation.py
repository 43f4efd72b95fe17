"""One compile: the one place that walks all layers."""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.backends.host.weight_placer import WeightPlacer
from dlc.compiler.build import Built, build_cpu, build_cuda
from dlc.compiler.choosing import Choosing, check_untuned, obeying
from dlc.compiler.edited import Start, in_the_text, read_start, unverified
from dlc.compiler.identity import LOADED_SOURCES
from dlc.compiler.index_report import describe_indices
from dlc.compiler.ir_files import is_ir
from dlc.compiler.levels import lower
from dlc.compiler.options import Options
from dlc.compiler.outcome import Outcome, Report
from dlc.compiler.report import describe_chip, describe_groups, describe_interface, make_report
from dlc.compiler.slow_loops import loops_apart, slow_loops
from dlc.compiler.targets import Target, running_target
from dlc.compiler.verifier import Verified, Verifier
from dlc.compiler.wishes import check_wishes, compare_as_wished, plan_of, unheeded_wishes
from dlc.core.blas_threads import one_blas_thread
from dlc.core.cache import Cache, lookups_since
from dlc.core.context import DlcContext
from dlc.core.timing import Timing
from dlc.core.weights import WeightStore
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource
from dlc.plan import Planner
from dlc.runtime.packing import WeightFile, replace_report, write_artifact
from dlc.scratch import ScratchFolder
from dlc.verification.guarded_model import most_seconds, running_model
from dlc.verification.import_check import ImportChecked, check_nodes
from dlc.verification.memory_plan import check_memory_plan
from dlc.verification.miscompile import MiscompileError
from dlc.verification.wiring import check_wiring


@dataclass(frozen=True)
class _Lowered:
    """A module of kernels; before: the module of groups that it was made of; descriptions: the
    report of it.
    """

    target: Target
    module: ModuleOp
    before: ModuleOp
    descriptions: Mapping[str, Report]
    context: DlcContext

    @property
    def groups(self) -> ModuleOp:
        """The groups of all launches: those of loops once for each step."""
        return self._unrolled

    @cached_property
    def _unrolled(self) -> ModuleOp:
        module = self.before.clone()
        for step in registry.build_passes("fused-group-unroll-steps"):
            step.apply(self.context, module)
        return module


class Compilation:
    """Makes the artifact of a model, and verifies it."""

    def __init__(
        self, source: ModelSource, options: Options, targets: Sequence[Target], timing: Timing
    ):
        self.source = source
        self.options = options = obeying(options, source)
        self.targets = targets
        self.context: DlcContext = registry.new_context(WeightStore())
        self.timing = timing
        self._built = Built()
        self._choosing = Choosing(options, self.context)
        self.remarks: list[str] = []
        sys.setrecursionlimit(max(20_000, sys.getrecursionlimit()))  # xDSL recurses per region

    @one_blas_thread()
    def run(self, path: Path) -> Outcome:
        """Write the artifact to ``path``. Raises CompileError, OSError."""
        outcome = self._run(path)
        self._choosing.write_lock()
        return outcome

    def _run(self, path: Path) -> Outcome:
        start, imported = self._import()
        before = Cache.lookups.copy()
        lowered = [self._lower(target, start) for target in self.targets]
        self.remarks += self._choosing.remarks
        with WeightFile() as weights:
            place = WeightPlacer(self.context.weights, weights)
            report = self._build(start.reference or start.module, lowered, place, path)
            cached = lookups_since(before)
            outcome = Outcome(
                report,
                self.timing.seconds,
                cached=cached,
                remarks=self.remarks,
                tuned=self._choosing.tuned_data(),
            )
            if self.options.verification == "off":
                return outcome
            if start.reference is None:
                return replace(outcome, checked=unverified())
            found = self._verify(start, start.reference, lowered, place, path)
            running = running_target(self.targets)
            with ExitStack() as stack:
                artifact = running and running_model(
                    path, running.is_gpu, stack, most_seconds(start.reference)
                )
                compared = compare_as_wished(
                    self.source, self.options, start.reference, self.context.weights, artifact
                )
        checked = [x.text() for x in (found, *compared, imported) if x and x.text()]
        report["certificate"] = {
            **found.certificate(),
            "compared": [asdict(each) for each in compared],
            "import": imported.certificate() if imported else None,
        }
        replace_report(path, _report_text(report))
        return replace(
            outcome,
            verification=found.run.data() if found.run else None,
            simulated=[each.data() for each in found.simulated],
            emulated=[each.data() for each in found.emulated],
            checked="; ".join(checked),
            imported=asdict(imported) if imported else None,
            cautions=[
                *found.warnings(),
                *unheeded_wishes(self.options, artifact),
                *(line for each in compared for line in each.warnings()),
            ],
            compared=[asdict(each) for each in compared],
        )

    def _import(self) -> tuple[Start, ImportChecked | None]:
        """Return what is compiled, and what was checked of the import, if anything should be."""
        options, weights = self.options, self.context.weights
        options.progress("reading the model")
        if is_ir(self.source) or options.weights_from is not None:
            check_untuned(options, self.source)
            with self.timing.measure("import"):
                start = read_start(self.source, options, self.context, self.targets)
            check_wishes(options, self.source, start.reference)
            return start, None
        record = None if options.verification == "off" else ImportRecord()
        with self.timing.measure("import"):
            model = import_model(
                self.source,
                options.shapes,
                self.context,
                options.constants,
                record=record,
                remarks=self.remarks,
            )
        if record is None:
            return Start(model, reference=model), None
        check_wishes(options, self.source, model)
        options.progress("checking the import")
        with self.timing.measure("import check"):
            check_wiring(record, model, weights, options.constants or {})
            full = options.verification == "full"
            return Start(model, reference=model), check_nodes(record, LOADED_SOURCES, full)

    def _lower(self, target: Target, start: Start) -> _Lowered:
        module = start.module.clone()
        groups = start.groups or start.module
        precision = self.options.precision
        with self._choosing.lowering(target, module):
            for level in lower(
                self.context,
                module,
                target,
                precision,
                None,
                self.timing,
                start.level,
                self.options.fusion,
            ):
                self.options.progress(f"{target.name}: {level}")
                if level == "fused-group":
                    self._choose(target, module)
                    groups = module.clone()
                    self.remarks += slow_loops(groups)
                    if isinstance(arch.by_name(target.name), arch.GpuArch):
                        self.remarks += loops_apart(groups)
        # By the model alone: a lock that is replayed must give the bytes that tuning gave.
        planner = Planner(arch.by_name(target.name), libraries=self.options.libraries)
        return _Lowered(target, module, groups, describe_groups(groups, planner), self.context)

    def _choose(self, target: Target, module: ModuleOp) -> None:
        if self.options.tune_seconds is not None:
            self.options.progress(f"{target.name}: measuring")
        with self.timing.measure("schedules"):
            self._choosing.choose(target, module)

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
            beside = self.options.weights == "file"
            self.options.progress("writing the artifact")
            with self.timing.measure("artifact"):
                text = _report_text(report)
                write_artifact(path, library, place.file, text, built.device_code, beside)
        return report

    def _compile(self, lowered: Sequence[_Lowered], place: WeightPlacer, library: Path) -> Built:
        jobs = self.options.job_count
        if lowered[0].target.is_gpu:
            modules = [(x.target, x.module) for x in lowered]
            return build_cuda(self.context, modules, place, jobs, library)
        target, module, sources = lowered[0].target, lowered[0].module, self._built.sources
        return build_cpu(self.context, target, module, place, jobs, library, sources)

    def _report(self, lowered: Sequence[_Lowered], built: Built, weights_bytes: int) -> Report:
        return {
            "target": ",".join(target.name for target in self.targets),
            "precision": self.options.precision,
            **describe_interface(lowered[0].module),
            "weights_bytes": weights_bytes,
            "certificate": None,
            "variants": [
                {
                    "target": x.target.name,
                    "chip": describe_chip(arch.by_name(x.target.name), self.options.precision),
                    **make_report(x.module, x.descriptions, built.resources(x.target.name)),
                }
                for x in lowered
            ],
        }

    def _verify(
        self,
        start: Start,
        model: ModuleOp,
        lowered: Sequence[_Lowered],
        place: WeightPlacer,
        path: Path,
    ) -> Verified:
        def build_probe(module: ModuleOp, to: Path) -> Built:
            return self._compile([replace(lowered[0], module=module)], place, to)

        options, timing = self.options, self.timing
        verifier = Verifier(
            self.context, options, model, lowered, path, build_probe, self._built.kernels, timing
        )
        try:
            with timing.measure("verification"):
                for each in lowered:
                    check_memory_plan(each.module)
            return verifier.verify(plan_of(options))
        except MiscompileError as error:
            raise in_the_text(error, start, self.source) from error


def _report_text(report: Report) -> bytes:
    return json.dumps(report, sort_keys=True).encode()
