"""A model as text at any level, for ``--emit``."""

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.compiler.kernels import kernel_texts
from dlc.compiler.levels import lower
from dlc.compiler.options import LEVELS, TEXT_BACKENDS, Options
from dlc.compiler.targets import Target, parse_targets
from dlc.core.context import DlcContext
from dlc.core.printer import operation_as_text
from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource


def emit(source: ModelSource, options: Options, level: str) -> str:
    """Return the model at ``level``, one of ``LEVELS``: IR, or the text of its kernels.

    Several targets come one after the other, like the parts of a split input. Raises CompileError.
    """
    options.check()
    if level not in LEVELS:
        raise CompileError(f"level {level!r} is unknown; give {', '.join(LEVELS)}")
    context = registry.new_context(WeightStore())
    model = import_model(source, options.shapes, context, options.constants)
    targets = parse_targets(options.target)
    texts = [_emit(context, model.clone(), target, options, level) for target in targets]
    return "// -----\n".join(texts)


def _emit(
    context: DlcContext, module: ModuleOp, target: Target, options: Options, level: str
) -> str:
    is_text = level in TEXT_BACKENDS
    if is_text and (level == "cuda") != target.is_gpu:
        raise CompileError(f"target {target.name} has no level {level}")
    for _ in lower(context, module, target, options.precision, None if is_text else level):
        pass
    if not is_text:
        return operation_as_text(module)
    return "\n".join(text for _, text in kernel_texts(context, module, level))
