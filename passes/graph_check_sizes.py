"""Reject functions whose arguments have sizes that are not fixed."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp

from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects.graph.sizes import SizesAttr
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, shape


@dataclass(frozen=True)
class GraphCheckSizesPass(DlcPass):
    """Each argument of a function must have a number along every axis; all other sizes follow.

    Runs on: ``graph``. Leaves: ``graph``, unchanged. Order: first; the passes after it compute with
    sizes.
    """

    name = "graph-check-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp):
                for number, argument in enumerate(function.function_type.inputs):
                    if isinstance(argument, TensorType) and DYNAMIC in shape(argument):
                        _refuse(function, number, argument)


def _refuse(function: FuncOp, number: int, argument: TensorType) -> None:
    axis = shape(argument).index(DYNAMIC)
    encoding = argument.encoding
    symbol = encoding.names[axis] if isinstance(encoding, SizesAttr) else None
    which = f"the size {symbol} (axis {axis})" if symbol else f"the size of axis {axis}"
    raise CompileError(
        f"{which} of {_name(function, number)} is not fixed; compile the model with --shape, or"
        " write a number into the types",
        at=operation_text(function),
    )


def _name(function: FuncOp, number: int) -> str:
    """Return an input as its model calls it, else by its place."""
    attributes = function.arg_attrs.data[number].data if function.arg_attrs else {}
    name = attributes.get("graph.name")
    return f"input {name.data}" if isinstance(name, StringAttr) else f"argument {number}"
