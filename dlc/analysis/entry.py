"""The function that a module computes: its groups and launches, its values and their names."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from dlc.dialects.fused_group import GroupOp, LaunchOp
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


def returned(block: Block) -> Sequence[SSAValue]:
    """Return the values that a block gives back (of ``main``: the outputs), in order."""
    end = block.last_op
    assert end is not None
    return end.operands


def groups(main: FuncOp) -> list[GroupOp]:
    """Return the groups of ``main``, in order."""
    return [op for op in main.body.block.ops if isinstance(op, GroupOp)]


def launches(main: FuncOp) -> list[LaunchOp]:
    """Return the launches of ``main``, in order."""
    return [op for op in main.body.block.ops if isinstance(op, LaunchOp)]


def _names(attributes: object, count: int, kind: str) -> list[str]:
    entries: Sequence[object] = getattr(attributes, "data", ()) or [None] * count
    return [_name(entry) or f"{kind}{number}" for number, entry in enumerate(entries)]


def _name(entry: object) -> str | None:
    name = entry.data.get("graph.name") if isinstance(entry, DictionaryAttr) else None
    return name.data if isinstance(name, StringAttr) else None
