"""From a call to an artifact: out of the cache, or by a compile.

What only a compile needs (xDSL, the passes) is imported when there is one.
"""

import inspect
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

from onnx import ModelProto

from dlc.compiler import artifact_cache
from dlc.compiler.artifact_cache import Coverage
from dlc.compiler.identity import identity
from dlc.compiler.ir_files import is_ir
from dlc.compiler.options import Options, check_names
from dlc.compiler.outcome import Outcome
from dlc.compiler.output_place import check_places, files_written
from dlc.compiler.targets import Target, check_libraries, parse_targets, running_target
from dlc.core.garbage import rare_collections
from dlc.core.timing import Timing
from dlc.frontends.onnx.loading import ModelSource, as_source
from dlc.runtime.model import Model
from dlc.runtime.packing import move_artifact
from dlc.scratch import ScratchFolder, remove_abandoned

Fields = ParamSpec("Fields")
Given = ModelSource | bytes
Compile = Callable[[Given, Options], Model]


def _with_fields_of(
    options: Callable[Fields, Options],
) -> Callable[[Compile], Callable[Concatenate[Given, Fields], Model]]:
    """Let a function take the fields of ``Options``: their names, types, defaults and texts."""

    def decorate(function: Compile) -> Callable[Concatenate[Given, Fields], Model]:
        @wraps(function)
        def call(source: Given, *fields: Fields.args, **named: Fields.kwargs) -> Model:
            check_names(named)
            return function(source, options(*fields, **named))

        first = next(iter(inspect.signature(function).parameters.values()))
        parameters = [first, *inspect.signature(options).parameters.values()]
        call.__dict__["__signature__"] = inspect.Signature(parameters, return_annotation=Model)
        call.__doc__ = f"{inspect.getdoc(function)}\n\n{inspect.getdoc(options)}"
        return call

    return decorate


@_with_fields_of(Options)
def compile(source: Given, options: Options) -> Model:
    """Compile an ONNX model and return it, ready to run.

    source: a path, the bytes of an ONNX file, or an ``onnx.ModelProto``. The artifact is kept in a
    temporary folder until the model is dropped; ``Model.save`` keeps it. Raises CompileError.
    """
    model = as_source(source)
    folder = ScratchFolder("dlc-model-")
    name = "model" if isinstance(model, ModelProto) else Path(model).stem
    path = folder.path / f"{name}.so"
    try:
        compile_to(path, model, options)
        compiled = Model(path)
    except BaseException:
        folder.remove()
        raise
    weakref.finalize(compiled, folder.remove)
    return compiled


def compile_to(path: Path, source: ModelSource, options: Options) -> Outcome:
    """Compile an ONNX model to the file ``path``. Raises CompileError, OSError.

    The file appears when it is complete and, unless ``options.verify`` is off, verified.
    """
    options.check()
    lock = [] if options.lock is None else [Path(options.lock)]
    check_places([*files_written(path, options.weights), *lock], source)
    place = path.absolute().parent
    remove_abandoned()
    remove_abandoned(place)
    with ScratchFolder(".dlc-", place) as folder:
        built = folder / path.name
        outcome = _make(built, source, options)
        move_artifact(built, path)
    return outcome


def _make(path: Path, source: ModelSource, options: Options) -> Outcome:
    """Write the artifact to ``path``, from the cache where it was made before."""
    targets = parse_targets(options.target)
    check_libraries(options.libraries, targets)
    asked = _asked(options, targets)
    timing = Timing()
    with timing.measure("cache"):
        is_timed = options.tune_seconds is not None or options.search_budget is not None
        cached = artifact_cache.limit_bytes() and not is_ir(source) and not is_timed
        wanted = identity(source, options, targets) if cached else None
        found = None
        if wanted and options.is_checked_as_usual and options.lock is None:
            found = artifact_cache.restore(wanted, path, asked)
    if found:
        return replace(found, seconds=timing.seconds)
    from dlc.compiler.compilation import Compilation

    with rare_collections():
        outcome = Compilation(source, options, targets, timing).run(path)
    with timing.measure("cache"):
        if wanted:
            kept = asked if options.tolerance is None else None
            artifact_cache.store(wanted, path, outcome, kept)
        artifact_cache.trim()
    return replace(outcome, cached={"artifact": (0, 1 if wanted else 0), **outcome.cached})


def _asked(options: Options, targets: Sequence[Target]) -> Coverage | None:
    """Return how far the artifact is to be verified."""
    if options.verification == "off":
        return None
    running = running_target(targets)
    return Coverage(options.budget_factor, running.name if running else None)
