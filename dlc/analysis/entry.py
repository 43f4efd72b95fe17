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
    """Return the groups of ``main`` and of the bodies of its loops, in order."""
    return [op for op in main.walk() if isinstance(op, GroupOp)]


def launches(main: FuncOp) -> list[LaunchOp]:
    """Return the launches of ``main``, in order."""
    return [op for op in main.body.block.ops if isinstance(op, LaunchOp)]


def launches_by_group(main: FuncOp) -> dict[str, list[LaunchOp]]:
    """Return the launches of each group of ``main`` by its name, in order."""
    found: dict[str, list[LaunchOp]] = {}
    for launch in launches(main):
        found.setdefault(launch.group_name, []).append(launch)
    return found


def group_results(main: FuncOp) -> dict[str, Sequence[SSAValue]]:
    """Return what the launches of each group of ``main`` give, by its name."""
    return {name: ops[-1].results for name, ops in launches_by_group(main).items()}


def kernels_by_group(main: FuncOp) -> dict[str, tuple[str, ...]]:
    """Return the kernels that the launches of each group of ``main`` run, by the group's name."""
    found = launches_by_group(main)
    return {name: tuple(op.kernel_name for op in ops) for name, ops in found.items()}


def _names(attributes: object, count: int, kind: str) -> list[str]:
    entries: Sequence[object] = getattr(attributes, "data", ()) or [None] * count
    return [_name(entry) or f"{kind}{number}" for number, entry in enumerate(entries)]


def _name(entry: object) -> str | None:
    name = entry.data.get("graph.name") if isinstance(entry, DictionaryAttr) else None
    return name.data if isinstance(name, StringAttr) else None
