"""Matrix products."""

from xdsl.ir import SSAValue

from dlc.dialects.graph._contraction import MatmulOp
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts


@converts("MatMul", since=1)
def _matmul(node: NodeContext) -> SSAValue:
    if min(len(node.shape(0)), len(node.shape(1))) < 2:
        raise CompileError("MatMul of a vector is not supported")
    return node.insert(MatmulOp.make(node.operand(0), node.operand(1)))
