"""The function that a module computes, and what its arguments and results are called."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from dlc.errors import CompileError


def find_main(module: ModuleOp) -> FuncOp:
    """Return ``func.func @main``; raises CompileError when the module has none."""
    for op in module.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main":
            return op
    raise CompileError("the module has no func.func @main")


def input_names(main: FuncOp) -> list[str]:
    """Return the ``graph.name`` of each argument, ``input0`` and so on where there is none."""
    return _names(main.arg_attrs, len(main.args), "input")


def output_names(main: FuncOp) -> list[str]:
    """Return the ``graph.name`` of each result, ``output0`` and so on where there is none."""
    return _names(main.res_attrs, len(main.function_type.outputs), "output")


def _names(attributes: object, count: int, kind: str) -> list[str]:
    entries: Sequence[object] = getattr(attributes, "data", ()) or [None] * count
    return [_name(entry) or f"{kind}{number}" for number, entry in enumerate(entries)]


def _name(entry: object) -> str | None:
    name = entry.data.get("graph.name") if isinstance(entry, DictionaryAttr) else None
    return name.data if isinstance(name, StringAttr) else None
