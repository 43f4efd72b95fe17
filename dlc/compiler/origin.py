"""What a printed text was made of, kept in it: weights are numbers that only this decides."""

import json
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr

from dlc.compiler.identity import model_digest
from dlc.compiler.ir_files import is_ir
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.frontends.onnx.shapes import Shapes, size_lists
from dlc.option_text import option

ATTRIBUTE = "dlc.made_of"


@dataclass(frozen=True)
class Origin:
    """A model and the choices that led to a text.

    model: a digest of its content and of the constants compiled in. shapes: as JSON. target,
    precision: empty where they have had no effect yet. search, search_budget: empty for the
    default.
    """

    model: str
    shapes: str
    target: str = ""
    precision: str = ""
    search: str = ""
    search_budget: str = ""
    libraries: str = ""

    @staticmethod
    def in_module(module: ModuleOp) -> "Origin | None":
        """Return what a module says that it was made of; ``None`` where it says nothing."""
        found = module.attributes.get(ATTRIBUTE)
        if not isinstance(found, DictionaryAttr):
            return None
        texts = {k: v.data for k, v in found.data.items() if isinstance(v, StringAttr)}
        try:
            return Origin(**texts)
        except TypeError as error:
            raise CompileError(f"the attribute {ATTRIBUTE} is not one that --emit wrote") from error

    def check_shapes(self, given: Shapes | None, text: str) -> None:
        """Raise CompileError for sizes other than those of a text, which are written in it."""
        if given and _text(given) != self.shapes:
            raise CompileError(
                f"the text has the sizes {self.shapes}, {option('shape')} gives {_text(given)}; a "
                "text keeps its sizes: print it again with --emit and these",
                at=text,
            )

    def check_precision(self, options: Options, text: str) -> None:
        """Raise CompileError for another precision than that which is written in a text."""
        _check_same("precision", self.precision, options.precision, text)

    def options_for(
        self, options: Options, model: ModelSource, target: Target, text: str
    ) -> Options:
        """Return the options with which ``model`` is read again for the weights of a text.

        Raises CompileError where the target or the model is not what the text was made with.
        """
        _check_same("target", self.target, target.name, text)
        if model_digest(model, options.constants) != self.model:
            raise CompileError(
                f"the text was made of another model than that of {option('weights-from')}, or "
                f"with another {option('constant')}; give that one, or print the text again with "
                "--emit",
                at=text,
            )
        return replace(
            options,
            shapes=json.loads(self.shapes),
            search=self.search or None,
            search_budget=float(self.search_budget) if self.search_budget else None,
            libraries=tuple(self.libraries.split(",")) if self.libraries else (),
        )


def _check_same(name: str, made: str, given: str, text: str) -> None:
    if made and made != given:
        raise CompileError(
            f"the text was made with {option(name)} {made}, this is {given}; give the same, or "
            f"print it again with --emit and {given}",
            at=text,
        )


def record_origin(
    module: ModuleOp, source: ModelSource, options: Options, target: Target | None
) -> None:
    """Write into a module what it was made of; nothing where ``source`` is a text that does not
    say it. target: ``None`` for a model as it was imported.
    """
    if is_ir(source):
        origin = Origin.in_module(module)
    else:
        shapes, searched = _text(options.shapes), options.search or ""
        budget = "" if options.search_budget is None else str(options.search_budget)
        called, model = ",".join(options.libraries), model_digest(source, options.constants)
        origin = Origin(model, shapes, search=searched, search_budget=budget, libraries=called)
    if origin and target:
        origin = replace(origin, target=target.name, precision=options.precision)
    if origin:
        texts = {name: StringAttr(text) for name, text in vars(origin).items() if text}
        module.attributes[ATTRIBUTE] = DictionaryAttr(texts)


def _text(shapes: Shapes | None) -> str:
    return json.dumps(size_lists(shapes or {}), sort_keys=True)
