"""Write the reference pages that docstrings make: dialects, passes, ONNX operators, commands.

``python -m dlc.tools.generate_docs [FOLDER]`` (``docs``); a test holds the pages to it.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.irdl import IRDLOperation, OptionalDef, VariadicDef

from dlc import registry
from dlc.core.options import option_texts
from dlc.frontends import onnx
from dlc.frontends.onnx.conversion import supported_operators
from dlc.frontends.onnx.functions import standard_functions
from dlc.pipelines import PIPELINES
from dlc.tools._command_page import command_page
from dlc.tools._strategy_page import strategy_page

_NOTE = "<!-- Written by dlc.tools.generate_docs from the docstrings; change those. -->\n"

_COMMANDS = "command-line.md"

_SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
"""How many values each group of operands or results has; xDSL's own, not for readers."""


def pages() -> dict[str, str]:
    """Return the text of each page by its path below ``docs``."""
    dialects = {f"dialects/{name}.md": dialect_page(name) for name in registry.dialect_names()}
    commands = {_COMMANDS: command_page(Path(__file__).resolve().parents[1] / "docs" / _COMMANDS)}
    catalogues = {"passes.md": pass_page(), "onnx.md": onnx_page()}
    return dialects | catalogues | {"strategies.md": strategy_page(_NOTE)} | commands


def dialect_page(name: str) -> str:
    """Return the page of a dialect: what its values are, its ops, its types and attributes."""
    dialect = registry.load_dialect(name)
    module = importlib.import_module(f"dlc.dialects.{name}")
    parts = [f"# The `{name}` dialect\n", _NOTE, _text(module)]
    parts += [_operation(op) for op in sorted(dialect.operations, key=lambda op: op.name)]
    attributes = sorted(dialect.attributes, key=lambda a: a.name)
    if attributes:
        parts.append("## Types and attributes\n")
        parts += [_attribute(kind) for kind in attributes]
    return "\n".join(parts)


def pass_page() -> str:
    """Return the catalogue of passes and pipelines."""
    parts = ["# Passes\n", _NOTE, "Each is a flag of `dlc-opt`, as is each pipeline at the end.\n"]
    for name in registry.pass_names():
        kind = registry.load_pass(name)
        parts.append(f"## `--{name}`\n")
        of_xdsl = registry.XDSL_PASSES.get(name)
        parts.append(f"{of_xdsl}\n" if of_xdsl else _text(kind))
        parts += [f"* `{option}`" for option in option_texts(kind)] + [""]
    parts.append("# Pipelines\n")
    for name, pipeline in PIPELINES.items():
        steps = " → ".join(f"`{step}`" for step in pipeline.steps)
        parts.append(f"## `--{name}`\n\n{pipeline.summary}\n\n{steps}\n")
    return "\n".join(parts)


def onnx_page() -> str:
    """Return the page of the ONNX intake: what it does, and the operators by family."""
    parts = ["# ONNX\n", _NOTE, _text(onnx), "# Operators\n"]
    families = supported_operators()
    for family, operators in sorted(families.items()):
        module = importlib.import_module(f"{onnx.__name__}.ops.{family}")
        parts += [f"## {family}\n", _text(module), ", ".join(f"`{o}`" for o in operators) + "\n"]
    converted = {name for operators in families.values() for name in operators}
    inlined = [name for name in standard_functions() if name not in converted]
    parts += ["## Functions of the standard, inlined where their bodies are supported\n"]
    parts += [", ".join(f"`{o}`" for o in inlined) + "\n"]
    return "\n".join(parts)


def _text(documented: object) -> str:
    """Return a docstring as Markdown: double backquotes become single ones, ``::`` goes.

    What stands indented below ``::`` is a block of code in Markdown too.
    """
    text = (inspect.getdoc(documented) or "").replace("``", "`")
    text = re.sub(r"^::\n\n", "", text, flags=re.MULTILINE)
    return re.sub(r"::$", ":", text, flags=re.MULTILINE) + "\n"


def _operation(op: type[Operation]) -> str:
    lines = [f"## `{op.name}`\n", _text(op)]
    if issubclass(op, IRDLOperation):
        definition = op.get_irdl_definition()
        lines += _list("operands", _arguments(definition.operands))
        lines += _list("results", _arguments(definition.results))
        properties = definition.properties.items()
        lines += _list("properties", [_marked(n, d) for n, d in properties if n not in _SEGMENTS])
    return "\n".join(lines)


def _arguments(definitions: Sequence[tuple[str, object]]) -> list[str]:
    return [_marked(name, definition) for name, definition in definitions]


def _marked(name: str, definition: object) -> str:
    if isinstance(definition, OptionalDef):
        return f"`{name}` (optional)"
    return f"`{name}`..." if isinstance(definition, VariadicDef) else f"`{name}`"


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"{title}: {', '.join(items)}\n"


def _attribute(kind: type[Attribute]) -> str:
    sign = "!" if issubclass(kind, TypeAttribute) else "#"
    return f"### `{sign}{kind.name}`\n\n{_text(kind)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all pages below a folder (``docs``) and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    folder = Path(given[0] if given else "docs")
    for name, text in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
