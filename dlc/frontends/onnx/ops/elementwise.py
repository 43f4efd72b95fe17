"""Elementwise arithmetic."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import TensorType, UnitAttr, f64
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.elementwise import (
    AbsOp,
    AddOp,
    DivOp,
    MaxOp,
    MinOp,
    ModOp,
    MulOp,
    NegOp,
    PowOp,
    SignOp,
    SubOp,
)
from dlc.dialects.graph.properties import element_attribute
from dlc.dialects.graph.source import SplatOp
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import OpenSizeError
from dlc.frontends.onnx.conversion import Conversion, NodeContext, converts
from dlc.frontends.onnx.limits import check_sizes
from dlc.ir.tensor import DYNAMIC, element_type, is_float, numpy_dtype


def unary(op: type[GraphOp]) -> Conversion:
    """Return the conversion of an operator that is one op of one operand."""
    return lambda node: node.insert(op.make(node.operand(0)))


def binary(op: type[GraphOp]) -> Conversion:
    """Return the conversion of an operator that is one op of two operands."""
    return lambda node: node.insert(op.make(node.operand(0), node.operand(1)))


def scalar_like(node: NodeContext, value: float, like: SSAValue) -> SSAValue:
    """Return ``value`` as a tensor without axes, of the element type of ``like``."""
    return node.constant_value(np.array(value, numpy_dtype(element_type(like))))


def filled(node: NodeContext, value: float, element: Attribute, sizes: Sequence[int]) -> SSAValue:
    """Return a tensor of one repeated value, which takes no memory until it is read."""
    if DYNAMIC in sizes:
        raise OpenSizeError(node.op_type)
    check_sizes(sizes)
    return node.insert(SplatOp(element_attribute(value, element), TensorType(element, sizes)))


def _variadic(op: type[GraphOp]) -> Callable[[NodeContext], SSAValue]:
    return lambda node: reduce(lambda x, y: node.insert(op.make(x, y)), node.operands())


for _op_type, _op in {"Abs": AbsOp, "Neg": NegOp, "Sign": SignOp}.items():
    converts(_op_type, since=6)(unary(_op))

for _op_type, _op in {"Add": AddOp, "Sub": SubOp, "Mul": MulOp, "Div": DivOp}.items():
    converts(_op_type, since=7)(binary(_op))

for _op_type, _op in {"Max": MaxOp, "Min": MinOp, "Sum": AddOp}.items():
    converts(_op_type, since=6)(_variadic(_op))


@converts("Mean", since=6)
def _mean(node: NodeContext) -> SSAValue:
    total = _variadic(AddOp)(node)
    return node.insert(DivOp.make(total, scalar_like(node, node.operand_count, total)))


@converts("Reciprocal", since=6)
def _reciprocal(node: NodeContext) -> SSAValue:
    x = node.operand(0)
    return node.insert(DivOp.make(scalar_like(node, 1, x), x))


@converts("Mod", since=10)
def _modulo(node: NodeContext) -> SSAValue:
    truncate = UnitAttr() if node.integer("fmod", 0) else None
    return node.insert(ModOp.make(node.operand(0), node.operand(1), truncate=truncate))


@converts("Pow", since=7)
def _power(node: NodeContext) -> SSAValue:
    """The result has the type of the base; a float exponent of an integer computes in ``f64``."""
    base, exponent = node.operand(0), node.operand(1)
    known = node.constant(1)
    if known is not None and known.size == 1 and not known.shape and known.item() in (2, 3):
        square = node.insert(MulOp.make(base, base))
        return square if known.item() == 2 else node.insert(MulOp.make(square, base))
    element = element_type(base)
    if is_float(element) or not is_float(element_type(exponent)):
        return node.insert(PowOp.make(base, node.insert(CastOp.make(exponent, to=element))))
    wide = [node.insert(CastOp.make(x, to=f64)) for x in (base, exponent)]
    return node.insert(CastOp.make(node.insert(PowOp.make(*wide)), to=element))


@converts("Clip", since=6)
def _clip_to_attributes(node: NodeContext) -> SSAValue:
    x = node.operand(0)
    for name, op in (("min", MaxOp), ("max", MinOp)):
        bound = node.attribute(name)
        if bound is not None:
            x = node.insert(op.make(x, scalar_like(node, node.number(name), x)))
    return x


@converts("Clip", since=11)
def _clip(node: NodeContext) -> SSAValue:
    x = node.operand(0)
    for number, op in ((1, MaxOp), (2, MinOp)):
        bound = node.optional(number)
        if bound is not None:
            x = node.insert(op.make(x, bound))
    return x
