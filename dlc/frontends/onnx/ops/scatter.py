"""Elements put at places that a tensor of indices names."""

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph._properties import integer, normalized_axis
from dlc.dialects.graph._scatter import ScatterElementsOp, ScatterNdOp
from dlc.frontends.onnx.conversion import NodeContext, converts


@converts("Scatter", since=9)
@converts("ScatterElements", since=11)
def _scatter_elements(node: NodeContext) -> SSAValue:
    axis = normalized_axis(node.integer("axis", 0), len(node.shape(0)))
    reduction = StringAttr(node.string("reduction", "none"))
    operands = (node.operand(i) for i in range(3))
    op = ScatterElementsOp.make(*operands, axis=integer(axis), reduction=reduction)
    return node.insert(op)


@converts("ScatterND", since=11)
def _scatter_nd(node: NodeContext) -> SSAValue:
    reduction = StringAttr(node.string("reduction", "none"))
    return node.insert(ScatterNdOp.make(*(node.operand(i) for i in range(3)), reduction=reduction))
