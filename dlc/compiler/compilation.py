"""Compiles a model: the one place that walks all layers."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.backends._weight_placer import WeightPlacer
from dlc.compiler.build import Built, build_cpu, build_cuda
from dlc.compiler.levels import lower
from dlc.compiler.report import Report, describe_groups, make_report
from dlc.compiler.targets import Target, parse_targets
from dlc.core.context import DlcContext
from dlc.core.instrumentation import Timing
from dlc.core.weights import Array, WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource
from dlc.runtime.model import Model
from dlc.runtime.packing import WeightFile, write_artifact

Precision = Literal["fp32", "tf32", "fp16", "bf16"]
Shapes = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Options:
    """What a user may choose.

    target: ``cpu``, or GPUs as ``sm_80,sm_90a``; ``None``: the GPU found, else ``cpu``.
    precision: of ``f32`` tensors and products. shapes: sizes of inputs by name. constants: values of
    inputs that are compiled in. weights: in the artifact or in a file beside it. jobs: compilers at
    a time, by default one per core. progress: is told what is being done.
    """

    target: str | None = None
    precision: str = "fp32"
    shapes: Shapes | None = None
    constants: Mapping[str, Array] | None = None
    weights: str = "embed"
    verify: bool = True
    jobs: int | None = None
    progress: Callable[[str], None] = field(default=lambda _: None)

    def check(self) -> None:
        """Raise CompileError for a value that is none of those allowed."""
        _check_choice("precision", self.precision, get_args(Precision))
        _check_choice("weights", self.weights, ("embed", "file"))
        if self.jobs is not None and self.jobs < 1:
            raise CompileError(f"jobs is {self.jobs}; give 1 or more")

    @property
    def job_count(self) -> int:
        """How many compilers run at a time."""
        return self.jobs or len(os.sched_getaffinity(0))


def _check_choice(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise CompileError(f"{what} {value!r} is unknown; give {', '.join(allowed)}")


def compile(source: ModelSource, target: str | None = None, **options: Any) -> Model:
    """Compile an ONNX model and return it, ready to run.

    source: a path, an ``onnx.ModelProto`` or its bytes. options: the fields of ``Options``. The
    artifact is kept in a temporary folder until the model is dropped; ``Model.save`` keeps it.
    Raises CompileError.
    """
    folder = tempfile.TemporaryDirectory(prefix="dlc-model-")
    path = Path(folder.name) / "model.so"
    compile_to(path, source, Options(target, **options))
    model = Model(path)
    model.keep(folder)
    return model


def compile_to(path: Path, source: ModelSource, options: Options) -> Report:
    """Compile an ONNX model to the file ``path``; return the report. Raises CompileError, OSError.

    The file appears when it is complete and, unless ``options.verify`` is off, verified.
    """
    options.check()
    return _Compilation(source, options).run(path)


class _Compilation:
    def __init__(self, source: ModelSource, options: Options):
        self.source = source
        self.options = options
        self.targets = parse_targets(options.target)
        self.context: DlcContext = registry.new_context(WeightStore())
        self.timing = Timing()
        sys.setrecursionlimit(max(20_000, sys.getrecursionlimit()))  # xDSL recurses per region

    def run(self, path: Path) -> Report:
        self.options.progress("reading the model")
        with self.timing.measure("import"):
            model = import_model(
                self.source, self.options.shapes, self.context, self.options.constants
            )
        lowered = [self._lower(target, model.clone()) for target in self.targets]
        with tempfile.TemporaryDirectory(prefix="dlc-build-") as folder, WeightFile() as weights:
            library = Path(folder, "library.so")
            place = WeightPlacer(self.context.weights, weights)
            self.options.progress("compiling kernels")
            with self.timing.measure("kernels and weights"):
                built = self._build(lowered, place, library)
            report = self._report(lowered, built, weights.bytes)
            self.options.progress("writing the artifact")
            with self.timing.measure("artifact"):
                write_artifact(
                    path,
                    library,
                    weights,
                    json.dumps(report, sort_keys=True).encode(),
                    built.device_code,
                    self.options.weights == "file",
                )
        return report

    def _lower(self, target: Target, module: ModuleOp) -> "_Lowered":
        groups: dict[str, Report] = {}
        levels = lower(self.context, module, target, self.options.precision, None, self.timing)
        for level in levels:
            self.options.progress(f"{target.name}: {level}")
            if level == "fused-group":
                groups = describe_groups(module)
        return _Lowered(target, module, groups)

    def _build(self, lowered: Sequence["_Lowered"], place: WeightPlacer, library: Path) -> Built:
        jobs = self.options.job_count
        if lowered[0].target.is_gpu:
            modules = [(x.target, x.module) for x in lowered]
            return build_cuda(self.context, modules, place, jobs, library)
        return build_cpu(self.context, lowered[0].module, place, jobs, library)

    def _report(self, lowered: Sequence["_Lowered"], built: Built, weights_bytes: int) -> Report:
        first = lowered[0]
        return {
            "target": ",".join(x.target.name for x in lowered),
            "precision": self.options.precision,
            "weights_bytes": weights_bytes,
            **make_report(first.module, first.groups, built.resources),
        }


@dataclass(frozen=True)
class _Lowered:
    target: Target
    module: ModuleOp
    groups: dict[str, Report]
