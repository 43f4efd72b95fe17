"""A model as text at any level, for ``--emit``."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.backends.host.c_text import c_string
from dlc.compiler.choosing import Choosing, check_untuned, obeying
from dlc.compiler.edited import Start, read_start
from dlc.compiler.ir_files import is_ir
from dlc.compiler.kernels import Launched, kernel_texts, launched
from dlc.compiler.levels import lower, no_level
from dlc.compiler.options import IMPORT, LEVELS, TEXT_BACKENDS, Options
from dlc.compiler.origin import record_origin
from dlc.compiler.targets import Target, check_libraries, parse_targets
from dlc.core.context import DlcContext
from dlc.core.printer import operation_as_text
from dlc.core.weights import Array, WeightStore
from dlc.dialects.graph.source import WeightOp
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.option_text import option


def emit(
    source: ModelSource,
    options: Options,
    level: str,
    locations: bool = False,
    weights: dict[str, Array] | None = None,
) -> str:
    """Return the model at ``level``, one of ``LEVELS``: IR, or the text of its kernels.

    locations: print the ONNX node of each op. weights: is given the weights of the IR by symbol.
    Several targets come one after the other, like the parts of a split input. Raises CompileError.
    """
    options.check()
    for name, wish in (("tune", options.tune_seconds), ("lock", options.lock)):
        if wish is not None:
            raise CompileError(f"{option(name)} is for artifacts; a level is only printed")
    if is_ir(source):
        check_untuned(options, source)
    if level not in LEVELS:
        raise CompileError(f"level {level!r} is unknown; give {', '.join(LEVELS)}")
    options = obeying(options, source)
    emission = _Emission(options, level, locations, registry.new_context(WeightStore()))
    targets = parse_targets(options.target)
    check_libraries(options.libraries, targets)
    start = read_start(source, options, emission.context, targets)
    modules = [emission.lowered(target, start) for target in targets]
    if level == IMPORT:
        modules = [start.module]
    for target, module in zip(targets, modules, strict=False):
        record_origin(module, source, options, None if level == IMPORT else target)
    if weights is not None:
        weights.update(emission.weights(modules))
    return "// -----\n".join(map(emission.text, modules))


@dataclass(frozen=True)
class _Emission:
    options: Options
    level: str
    locations: bool
    context: DlcContext

    def lowered(self, target: Target, start: Start) -> ModuleOp:
        """Return a copy of a module at the level that is printed."""
        module = start.module.clone()
        is_text = self.level in TEXT_BACKENDS
        if is_text and (self.level == "cuda") != target.is_gpu:
            raise no_level(target, self.level)
        last = None if is_text else self.level
        if is_text or last not in (IMPORT, start.level):
            precision, fusion = self.options.precision, self.options.fusion
            levels = lower(self.context, module, target, precision, last, None, start.level, fusion)
            choosing = Choosing(self.options, self.context)
            with choosing.lowering(target, module):
                for reached in levels:
                    if reached == "fused-group":
                        choosing.choose(target, module)
        return module

    def text(self, module: ModuleOp) -> str:
        """Return a module as it is printed."""
        if self.level not in TEXT_BACKENDS:
            return operation_as_text(module, locations=self.locations)
        found = launched(module)
        texts = kernel_texts(self.context, module, self.level)
        return "\n".join(_comment(found.get(name, Launched())) + text for name, text in texts)

    def weights(self, modules: Sequence[ModuleOp]) -> dict[str, Array]:
        """Return the weights that modules read, by symbol."""
        symbols = {
            op.symbol.string_value(): None
            for module in modules
            for op in module.walk()
            if isinstance(op, WeightOp)
        }
        return {symbol: self.context.weights.array(symbol) for symbol in symbols}


def _comment(kernel: Launched) -> str:
    """Return the groups and the ONNX nodes of a kernel as lines of comment; no name can end one."""
    lines = {"groups": kernel.groups, "nodes": kernel.nodes}
    texts = {what: ", ".join(map(c_string, names)) for what, names in lines.items()}
    return "".join(f"// {what}: {text}\n" for what, text in texts.items() if text)
