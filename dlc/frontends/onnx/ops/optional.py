"""Values that may be absent, where it is known when compiling whether they are."""

import numpy as np
from xdsl.ir import SSAValue

from dlc.frontends.onnx.conversion import NodeContext, converts


@converts("OptionalHasElement", since=15)
def _has_element(node: NodeContext) -> SSAValue:
    return node.constant_value(np.array(node.optional(0) is not None))


@converts("OptionalGetElement", since=15)
def _get_element(node: NodeContext) -> SSAValue:
    return node.operand(0)
