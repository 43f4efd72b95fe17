"""A compile that starts from IR: text that ``--emit`` printed and a person has edited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main, groups, kernels_by_group
from dlc.analysis.ungrouped import without_groups
from dlc.compiler.ir_files import IR_SUFFIX, is_ir
from dlc.compiler.levels import lower
from dlc.compiler.options import Options
from dlc.compiler.origin import Origin
from dlc.compiler.targets import Target
from dlc.compiler.text_weights import check_weights, define_weights
from dlc.core.context import DlcContext
from dlc.core.diagnostics import diagnostics_of
from dlc.core.locations import operation_text
from dlc.core.parser import parse_module
from dlc.core.verify import verify
from dlc.dialects import gpu, loop
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource
from dlc.option_text import option
from dlc.verification.miscompile import MiscompileError


@dataclass(frozen=True)
class Start:
    """What a compile starts from.

    module: what is lowered. level: the level that it has reached, ``None`` before the first one.
    reference: says what to compute, at the ``graph`` level; ``None`` where nothing says it.
    groups: the groups that the kernels of ``module`` were made of; ``None`` where it has none yet.
    """

    module: ModuleOp
    level: str | None = None
    reference: ModuleOp | None = None
    groups: ModuleOp | None = None


def unverified() -> str:
    """Return what is said of kernels whose reference is not known."""
    return (
        "not verified: kernels do not say what they should compute; give the model they were made "
        f"of as {option('weights-from')}"
    )


def in_the_text(error: MiscompileError, start: Start, source: ModelSource) -> CompileError:
    """Return what is to be said of wrong results of a compile of ``source``.

    A text of kernels may be edited: they need not compute what its model means.
    """
    if start.groups is None:
        return error
    kernels = {
        op.sym_name.data: op
        for op in start.module.ops
        if isinstance(op, gpu.KernelOp | loop.KernelOp)
    }
    suspects = [name for name in error.kernels if name in kernels]
    names = ", ".join(f"@{name}" for name in suspects)
    if len(suspects) > 1:
        what = f"kernels {names} together do not compute what their"
    else:
        what = f"{f'kernel {names}' if suspects else 'the text'} does not compute what its"
    where = f" ({error.at})" if error.at else ""
    return CompileError(
        f"{what} model means{where}: {error.found}",
        at=operation_text(kernels[suspects[0]]) if suspects else str(source),
    )


def read_start(
    source: ModelSource, options: Options, context: DlcContext, targets: Sequence[Target]
) -> Start:
    """Return what a compile of ``source`` starts from; the weights are in ``context``.

    Raises CompileError, with file and line for a fault of a text.
    """
    if not is_ir(source):
        if options.weights_from is not None:
            raise CompileError(
                f"{option('weights-from')} is for IR: a file that ends in {IR_SUFFIX}"
            )
        model = import_model(source, options.shapes, context, options.constants)
        return Start(model, reference=model)
    assert isinstance(source, str | Path)
    module = _read(Path(source), context)
    level = _level_of(module)
    if level != "graph":
        _check_no_search(options, str(source))
    if len(targets) > 1:
        raise CompileError("IR is for one target; give one", at=str(source))
    original = _read_original(options, context, targets[0], module, str(source))
    check_weights(module, context, options.weights_from)
    if level == "graph":  # it is optimised again: what the passes find simplest, they leave
        return Start(module, None, module)
    if level == "fused-group":
        return Start(module, level, without_groups(module))
    if original is None or _kernels(original.kernels) != _kernels(module):
        return Start(module, level)
    return Start(module, level, original.graph, original.groups)


def _check_no_search(options: Options, path: str) -> None:
    """Raise CompileError for a wish about a search where the groups stand in a text."""
    wishes = {
        "search": options.search,
        "search-budget": options.search_budget,
        "libraries": options.libraries or None,
    }
    for name, wish in wishes.items():
        if wish is not None:
            raise CompileError(
                f"{option(name)} has no effect: the groups are those that stand "
                "in this text; give it where the text is printed",
                at=path,
            )


def _read(path: Path, context: DlcContext) -> ModuleOp:
    try:
        module = parse_module(path.read_text(encoding="utf-8"), context, str(path))
        verify(module)
    except OSError as error:
        raise CompileError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CompileError(f"{path} is not text") from error
    except Exception as error:
        found = diagnostics_of(error)
        if not found:
            raise
        raise CompileError(found[0].message, at=found[0].place) from error
    find_main(module)
    return module


def _level_of(module: ModuleOp) -> str:
    """Return the level of a module by the lowest ops that it has."""
    if any(isinstance(op, gpu.KernelOp) for op in module.ops):
        return "gpu"
    if any(isinstance(op, loop.KernelOp) for op in module.ops):
        return "loop"
    return "fused-group" if groups(find_main(module)) else "graph"


@dataclass(frozen=True)
class _Original:
    """The model that a text was made of, at the text's level."""

    graph: ModuleOp
    groups: ModuleOp
    kernels: ModuleOp


def _read_original(
    options: Options, context: DlcContext, target: Target, text: ModuleOp, path: str
) -> _Original | None:
    """Fill the weights of ``context``; return the model, if they come from one."""
    source, origin = options.weights_from, Origin.in_module(text)
    if origin is not None:
        origin.check_shapes(options.shapes, path)
        origin.check_precision(options, path)
    if source is None or isinstance(source, Mapping):
        if options.shapes and origin is None:
            raise CompileError(f"a text keeps its sizes; {option('shape')} has no effect", at=path)
        define_weights(source or {}, context)
        return None
    if origin is not None:
        options = origin.options_for(options, source, target, path)
    graph = import_model(source, options.shapes, context, options.constants)
    module = groups = graph.clone()
    last, fusion = _level_of(text), options.fusion
    for reached in lower(context, module, target, options.precision, last, fusion=fusion):
        if reached == "fused-group":
            groups = module.clone()
    return _Original(graph, groups, module)


def _kernels(module: ModuleOp) -> dict[str, tuple[str, ...]]:
    return kernels_by_group(find_main(module))
