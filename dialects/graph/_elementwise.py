"""Elementwise arithmetic: ``y[i] = f(a[i], b[i])`` with numpy's broadcasting."""

from abc import ABC
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from dlc.dialects._scalar import ScalarBuilder
from dlc.dialects._tensor import element_type, is_float
from dlc.dialects.graph._structure import Array, ElementwiseOp
from dlc.errors import CompileError


class UnaryOp(ElementwiseOp, ABC):
    """``y[i] = f(x[i])``, of the operand's type."""

    x = operand_def(TensorType)
    output = result_def(TensorType)
    assembly_format = "$x attr-dict `:` type($x) `->` type($output)"

    def infer(self) -> Sequence[Attribute]:
        return [self.x.type]


class BinaryOp(ElementwiseOp, ABC):
    """``y[i] = f(a[i], b[i])`` for operands of one element type."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    output = result_def(TensorType)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        left, right = element_type(self.lhs), element_type(self.rhs)
        if left != right:
            raise CompileError(f"operands have element types {left} and {right}; cast one of them")
        return [TensorType(left, self.broadcast_shape())]


@irdl_op_definition
class AddOp(BinaryOp):
    """``y = a + b``; integers wrap around."""

    name = "graph.add"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.add(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.add(*operands)


@irdl_op_definition
class SubOp(BinaryOp):
    """``y = a - b``; integers wrap around."""

    name = "graph.sub"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.sub(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.subtract(*operands)


@irdl_op_definition
class MulOp(BinaryOp):
    """``y = a * b``; integers wrap around."""

    name = "graph.mul"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.mul(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.multiply(*operands)


@irdl_op_definition
class ReluOp(UnaryOp):
    """``y = max(x, 0)``; NaN stays NaN."""

    name = "graph.relu"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return b.maximum(x, b.constant(0, x.type))

    def reference(self, *operands: Array) -> Array:
        return np.maximum(operands[0], 0)


class FloatUnaryOp(UnaryOp, ABC):
    """``y[i] = f(x[i])`` on floats."""

    def infer(self) -> Sequence[Attribute]:
        if not is_float(element_type(self.x)):
            raise CompileError(f"works on floats, not on {element_type(self.x)}")
        return [self.x.type]


@irdl_op_definition
class ExpOp(FloatUnaryOp):
    """``y = e**x``."""

    name = "graph.exp"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.math(math.ExpOp, *values)

    def reference(self, *operands: Array) -> Array:
        return np.exp(*operands)


OPERATIONS = [AddOp, SubOp, MulOp, ReluOp, ExpOp]
