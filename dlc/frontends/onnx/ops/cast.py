"""Conversion between element types."""

from xdsl.ir import SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.tensors import element_dtype
from dlc.ir.tensor import element_type, element_type_of


@converts("Cast", since=6)
def _cast(node: NodeContext) -> SSAValue:
    node.disregard("saturate", "round_mode")  # they only matter for 8-bit floats
    element = element_type_of(element_dtype(node.integer("to")))
    return node.insert(CastOp.make(node.operand(0), to=element))


@converts("CastLike", since=15)
def _cast_like(node: NodeContext) -> SSAValue:
    node.disregard("saturate", "round_mode")
    return node.insert(CastOp.make(node.operand(0), to=element_type(node.operand(1))))
