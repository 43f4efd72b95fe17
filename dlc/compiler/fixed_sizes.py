"""Checks that every input of a model has a size along each axis, as kernels need."""

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp

from dlc.dialects._tensor import DYNAMIC, shape
from dlc.dialects.graph._sizes import SizesAttr
from dlc.errors import CompileError
from dlc.oracle import value_names


def check_fixed_sizes(module: ModuleOp) -> None:
    """Raise CompileError for the first input of a function with a size that is not fixed."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            names = value_names(function.arg_attrs, len(function.args), "argument")
            for name, value in zip(names, function.args, strict=True):
                _check(name, value.type)


def _check(name: str, kind: object) -> None:
    if not isinstance(kind, TensorType) or DYNAMIC not in shape(kind):
        return
    symbols = kind.encoding.names if isinstance(kind.encoding, SizesAttr) else ()
    axis = shape(kind).index(DYNAMIC)
    symbol = symbols[axis] if axis < len(symbols) else None
    which = f"its size {symbol}" if symbol else f"its size along axis {axis}"
    ways = f"--shape {name}=..." + (f" or --shape {symbol}=..." if symbol else "")
    raise CompileError(f"{which} is not fixed; give it with {ways}", at=f"input {name}")
