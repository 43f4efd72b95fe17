"""Comparison, logic and choice."""

from xdsl.dialects.builtin import StringAttr, UnitAttr, i1
from xdsl.ir import SSAValue

from dlc.dialects.graph import comparison as graph
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import Conversion, NodeContext, converts
from dlc.frontends.onnx.ops.elementwise import binary, filled, unary


def _compare(predicate: str) -> Conversion:
    def convert(node: NodeContext) -> SSAValue:
        op = graph.CompareOp.make(node.operand(0), node.operand(1), predicate=StringAttr(predicate))
        return node.insert(op)

    return convert


for _op_type, _predicate in {
    "Equal": "eq",
    "Less": "lt",
    "LessOrEqual": "le",
    "Greater": "gt",
    "GreaterOrEqual": "ge",
}.items():
    converts(_op_type, since=7)(_compare(_predicate))

for _op_types, _op in (
    (("And", "BitwiseAnd"), graph.AndOp),
    (("Or", "BitwiseOr"), graph.OrOp),
    (("Xor", "BitwiseXor"), graph.XorOp),
):
    converts(*_op_types, since=7)(binary(_op))

converts("Not", "BitwiseNot")(unary(graph.NotOp))
converts("IsNaN", since=9)(unary(graph.IsNanOp))


@converts("BitShift", since=11)
def _bit_shift(node: NodeContext) -> SSAValue:
    direction = node.string("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise CompileError(f"BitShift has no direction {direction!r}; use LEFT or RIGHT")
    right = UnitAttr() if direction == "RIGHT" else None
    return node.insert(graph.ShiftOp.make(node.operand(0), node.operand(1), right=right))


@converts("IsInf", since=10)
def _is_infinite(node: NodeContext) -> SSAValue:
    negative, positive = node.integer("detect_negative", 1), node.integer("detect_positive", 1)
    if not negative and not positive:
        return filled(node, False, i1, node.shape(0))
    sign = {} if negative and positive else {"positive" if positive else "negative": UnitAttr()}
    return node.insert(graph.IsInfOp.make(node.operand(0), results=1, **sign))


@converts("Where", since=9)
def _where(node: NodeContext) -> SSAValue:
    return node.insert(graph.WhereOp.make(*(node.operand(i) for i in range(3))))
