"""Values that a model states, and names for values."""

import numpy as np
from xdsl.ir import SSAValue

from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts

_SCALAR_DTYPES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


@converts("Constant", since=1)
def _constant(node: NodeContext) -> SSAValue:
    value = node.attribute("value")
    if isinstance(value, np.ndarray):
        return node.constant_value(value)
    for name, dtype in _SCALAR_DTYPES.items():
        stated = node.attribute(name)
        if stated is not None:
            return node.constant_value(np.asarray(stated, dtype))
    raise CompileError("a Constant must state a dense tensor of numbers")


@converts("Identity", since=1)
def _identity(node: NodeContext) -> SSAValue:
    return node.operand(0)
