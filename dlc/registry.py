"""What exists, by file name: dialects, passes, backends. A new file is all it takes to add one.

Listing reads only folder contents; a module is imported when something of it is asked for.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Dialect

from dlc.core.context import DlcContext
from dlc.core.options import Step, instantiate, option_names, parse_steps
from dlc.errors import CompileError
from dlc.pipelines import PIPELINES, Pipeline

if TYPE_CHECKING:
    from xdsl.passes import ModulePass
    from xdsl.utils.target import Target

    from dlc.core.weights import WeightStore

Kind = TypeVar("Kind")

XDSL_DIALECTS = ("arith", "builtin", "func", "math", "memref", "scf", "vector")
"""The dialects of xDSL that ours build on. xDSL's own ``gpu`` must stay out: ours has that name."""

XDSL_PASSES = {
    "canonicalize": "Apply the folds and canonicalization patterns that ops declare.",
    "dce": "Erase ops that have no effects and whose results nobody reads.",
}
"""The passes of xDSL that work on our levels too, with what they do."""


@cache
def _file_names(package: str) -> tuple[str, ...]:
    folder = importlib.import_module(package).__path__
    names = (m.name for m in pkgutil.iter_modules(folder) if not m.name.startswith("_"))
    return tuple(sorted(names))


def dialect_names() -> tuple[str, ...]:
    """Return the names of our dialects; the file name is the IR name."""
    return _file_names("dlc.dialects")


def pass_names() -> tuple[str, ...]:
    """Return the flags of all passes, ours and those of xDSL that are offered."""
    return (*(name.replace("_", "-") for name in _file_names("dlc.passes")), *XDSL_PASSES)


def backend_names() -> tuple[str, ...]:
    """Return the names of the text backends; ``mlir`` is the IR itself."""
    return ("mlir", *_file_names("dlc.backends"))


def _only(module: ModuleType, kind: type[Kind]) -> type[Kind]:
    """Return the one subclass of ``kind`` that ``module``, a file or folder, defines or exports.

    Raises TypeError otherwise.
    """
    found = [
        item
        for item in vars(module).values()
        if isinstance(item, type)
        and issubclass(item, kind)
        and f"{item.__module__}.".startswith(f"{module.__name__}.")
        and not item.__name__.startswith("_")
    ]
    if len(found) != 1:
        names = ", ".join(item.__name__ for item in found) or "none"
        raise TypeError(f"{module.__name__} must define exactly one {kind.__name__}, has {names}")
    return found[0]


def load_dialect(name: str) -> Dialect:
    """Return the dialect defined in ``dialects/<name>.py`` or the package of that name."""
    if name in XDSL_DIALECTS:
        module = importlib.import_module(f"xdsl.dialects.{name}")
    else:
        module = importlib.import_module(f"dlc.dialects.{name}")
    found = [d for d in vars(module).values() if isinstance(d, Dialect) and d.name == name]
    if len(found) != 1:
        raise TypeError(f"{module.__name__} must define exactly one Dialect named {name}")
    return found[0]


def load_pass(name: str) -> "type[ModulePass]":
    """Return the pass class with this flag; raises CompileError for an unknown one."""
    from xdsl.passes import ModulePass

    if name in XDSL_PASSES:
        from xdsl.transforms import get_all_passes

        return get_all_passes()[name]()
    if name not in pass_names():
        raise CompileError(f"there is no pass or pipeline {name}; see --list-passes")
    return _only(importlib.import_module(f"dlc.passes.{name.replace('-', '_')}"), ModulePass)


def load_backend(name: str) -> "type[Target]":
    """Return the target class of a backend; raises CompileError for an unknown one."""
    from xdsl.utils.target import Target

    if name not in backend_names():
        raise CompileError(f"there is no backend {name}; there are: {', '.join(backend_names())}")
    return _only(importlib.import_module(f"dlc.backends.{name}"), Target)


def new_context(weights: "WeightStore | None" = None) -> DlcContext:
    """Return a context that loads each dialect when its first op is met."""
    context = DlcContext(weights)
    context.record_checks["loop.schedule"] = _check_schedule
    for name in (*XDSL_DIALECTS, *dialect_names()):
        context.register_dialect(name, lambda name=name: load_dialect(name))
    return context


def _check_schedule(record: Mapping[str, Any]) -> object:
    from dlc.strategies import read_record

    return read_record(record)


def build_passes(text: str) -> "list[ModulePass]":
    """Return the passes of a pipeline text, with the named pipelines in it spelled out.

    An option of a pipeline goes to each of its passes that has it. Raises CompileError.
    """
    return [pass_ for step in parse_steps(text) for pass_ in _build(step)]


def _build(step: Step) -> "list[ModulePass]":
    if step.name not in PIPELINES:
        return [instantiate(load_pass(step.name), step)]
    return _build_pipeline(PIPELINES[step.name], step)


def _build_pipeline(pipeline: Pipeline, step: Step) -> "list[ModulePass]":
    inner = [s for text in pipeline.steps for s in parse_steps(text)]
    kinds = {s.name: load_pass(s.name) for s in inner}
    accepted = {name: option_names(kind) for name, kind in kinds.items()}
    known = {option for options in accepted.values() for option in options}
    if unknown := [option for option in step.options if option not in known]:
        raise CompileError(f"no pass of {step.name} has an option {unknown[0]}")
    passes: list[ModulePass] = []
    for s in inner:
        given = {k: v for k, v in step.options.items() if k in accepted[s.name]}
        passes.append(instantiate(kinds[s.name], Step(s.name, s.options | given)))
    return passes
