"""Elementwise arithmetic."""

from xdsl.ir import SSAValue

from dlc.dialects.graph._elementwise import AddOp, ExpOp, MulOp, ReluOp, SubOp
from dlc.frontends.onnx.conversion import NodeContext, converts


@converts("Add", since=7)
def _add(node: NodeContext) -> SSAValue:
    return node.insert(AddOp.make(node.operand(0), node.operand(1)))


@converts("Sub", since=7)
def _subtract(node: NodeContext) -> SSAValue:
    return node.insert(SubOp.make(node.operand(0), node.operand(1)))


@converts("Mul", since=7)
def _multiply(node: NodeContext) -> SSAValue:
    return node.insert(MulOp.make(node.operand(0), node.operand(1)))


@converts("Relu", since=6)
def _relu(node: NodeContext) -> SSAValue:
    return node.insert(ReluOp.make(node.operand(0)))


@converts("Exp", since=6)
def _exponential(node: NodeContext) -> SSAValue:
    return node.insert(ExpOp.make(node.operand(0)))
