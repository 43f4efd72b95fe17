"""Elementwise arithmetic: ``y[i] = f(a[i], b[i])`` with numpy's broadcasting."""

from abc import ABC
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import IntegerType, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
)

from dlc.dialects.graph.computed import ElementwiseOp
from dlc.dialects.graph.structure import Array, SteppedOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_type, float_element, is_float


class UnaryOp(ElementwiseOp, ABC):
    """``y[i] = f(x[i])``, of the operand's type."""

    x = operand_def(TensorType)
    output = result_def(TensorType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$x attr-dict `:` type($x) `->` type($output)"

    def infer(self) -> Sequence[Attribute]:
        return [self.x.type]


class FloatUnaryOp(UnaryOp, ABC):
    """``y[i] = f(x[i])`` on floats."""

    def infer(self) -> Sequence[Attribute]:
        float_element(self.x)
        return [self.x.type]


class BinaryOp(ElementwiseOp, ABC):
    """``y[i] = f(a[i], b[i])`` for operands of one element type."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    output = result_def(TensorType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($output)"
    )

    def operand_element(self) -> Attribute:
        """Return the element type of both operands; raises CompileError where they differ."""
        left, right = element_type(self.lhs), element_type(self.rhs)
        if left != right:
            raise CompileError(f"operands have element types {left} and {right}; cast one of them")
        return left

    def infer(self) -> Sequence[Attribute]:
        return [TensorType(self.operand_element(), self.broadcast_shape())]


class NumberOp(BinaryOp, ABC):
    """``y[i] = f(a[i], b[i])`` on numbers, not on booleans."""

    def operand_element(self) -> Attribute:
        element = super().operand_element()
        if element == i1:
            raise CompileError("works on numbers, not on booleans")
        return element


@irdl_op_definition
class AddOp(NumberOp):
    """``y = a + b``; integers wrap around."""

    name = "graph.add"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.add(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.add(*operands)


@irdl_op_definition
class SubOp(NumberOp):
    """``y = a - b``; integers wrap around."""

    name = "graph.sub"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.sub(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.subtract(*operands)


@irdl_op_definition
class MulOp(NumberOp):
    """``y = a * b``; integers wrap around."""

    name = "graph.mul"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.mul(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.multiply(*operands)


class QuotientOp(NumberOp, ABC):
    """``y`` is of a division of ``a`` by ``b``."""

    @property
    def nonzero_operands(self) -> Sequence[int]:
        return () if is_float(element_type(self.rhs)) else (1,)


@irdl_op_definition
class DivOp(QuotientOp):
    """``y = a / b``; integers truncate towards zero, and divided by zero they give 0.

    A quotient of 16 bits may be off by a unit in the last place of 32 bits before it is rounded.
    ``near``: so may a quotient of wider floats. It stands only where no divisor is nearer to zero
    than the least normal number.

    ``%y = graph.div %a, %b {near} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>``
    """

    name = "graph.div"
    near = opt_prop_def(UnitAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        x, y = values
        if is_float(x.type):
            is_short = element_bytes(element_type(self.output)) < element_bytes(x.type)
            return b.near_quotient(x, y) if is_short or self.near else b.div(x, y)
        zero, one = b.constant(0, x.type), b.constant(1, x.type)
        by_zero = b.compare("eq", y, zero)
        safe = b.select(by_zero, one, y)
        quotient = b.div(x, safe) if b.unsigned else _signed_quotient(b, x, safe)
        return b.wrap(b.select(by_zero, zero, quotient), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        x, y = operands
        if np.issubdtype(x.dtype, np.inexact):
            return np.divide(x, y)
        return truncated_quotient(x, y)


def truncated_quotient(x: Array, y: Array) -> Array:
    """Return the quotient of integers, towards zero; 0 where ``y`` is."""
    with np.errstate(all="ignore"):
        toward_floor = np.floor_divide(x, y)
        inexact = toward_floor * y != x
        return np.where(y == 0, 0, toward_floor + (inexact & ((x < 0) != (y < 0)))).astype(x.dtype)


def _signed_quotient(b: ScalarBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """Write ``x / y``; the quotient of the smallest integer by -1 overflows, which traps on x86."""
    by_minus_one = b.compare("eq", y, b.constant(-1, x.type))
    safe = b.select(by_minus_one, b.constant(1, x.type), y)
    return b.select(by_minus_one, b.negate(x), b.div(x, safe))


@irdl_op_definition
class ModOp(SteppedOp, QuotientOp):
    """``y = a - b * q`` with ``q = floor(a / b)``, so ``y`` has the sign of ``b`` (Python's ``%``).

    ``truncate``: ``q = trunc(a / b)``, so ``y`` has the sign of ``a`` (C's ``fmod``, which is
    exact). Integers modulo zero give 0.
    """

    name = "graph.mod"
    truncate = opt_prop_def(UnitAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        type = values[0].type
        x, y = values
        if is_float(type):
            return self._with_sign(b, b.rem(x, y), y)
        # Modulo 0 and -1 both give 0; the processor's remainder traps on them.
        trivial = b.compare("eq", y, b.constant(0, type))
        if not b.unsigned:
            by_minus_one = b.compare("eq", y, b.constant(-1, type))
            trivial = b.logical("or", trivial, by_minus_one)
        safe = b.select(trivial, b.constant(1, type), y)
        return self._with_sign(b, b.rem(x, safe), safe)

    def _with_sign(self, b: ScalarBuilder, remainder: SSAValue, divisor: SSAValue) -> SSAValue:
        """Write the remainder moved to the sign of the divisor, unless it is to keep its own."""
        if self.truncate is not None:
            return remainder
        zero = b.constant(0, remainder.type)
        differs = b.logical("xor", b.compare("lt", remainder, zero), b.compare("lt", divisor, zero))
        is_zero = b.compare("eq", remainder, zero)
        moved = b.select(differs, b.add(remainder, divisor), remainder)
        kept = b.math(math.CopySignOp, zero, divisor) if is_float(zero.type) else zero
        return b.select(is_zero, kept, moved)

    def reference(self, *operands: Array) -> Array:
        return np.fmod(*operands) if self.truncate is not None else np.mod(*operands)


@irdl_op_definition
class PowOp(NumberOp):
    """``y = a ** b``; integers wrap around, a negative integer exponent truncates the quotient."""

    name = "graph.pow"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        if is_float(values[0].type):
            return b.math(math.PowFOp, *values)
        return b.wrap(_integer_power(b, *values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        base, exponent = operands
        if np.issubdtype(base.dtype, np.inexact):
            # np.power takes the square root where all exponents are one 0.5: wrong for -inf, -0.0
            return np.float_power(base, exponent).astype(base.dtype)
        negative = exponent < 0
        with np.errstate(all="ignore"):
            power = np.power(base, np.where(negative, exponent % 2, exponent).astype(base.dtype))
        # 1 / a**n is a**n for the two units and truncates to 0 for all else.
        return np.where(negative & (np.abs(base) != 1), 0, power).astype(base.dtype)


def _integer_power(b: ScalarBuilder, base: SSAValue, exponent: SSAValue) -> SSAValue:
    """Write the power by repeated squaring, one step for each bit of the exponent."""
    type = base.type
    assert isinstance(type, IntegerType)
    zero, one = b.constant(0, type), b.constant(1, type)
    power, square = one, base
    for bit in range(type.width.data if b.unsigned else type.width.data - 1):
        mask = b.constant(1 << bit, type)
        is_set = b.compare("ne", b.logical("and", exponent, mask), zero)
        power = b.select(is_set, b.mul(power, square), power)
        # The choice keeps gcc from multiplying the squares out, into 2**31 factors.
        is_needed = b.compare("ge", exponent, mask)
        square = b.select(is_needed, b.mul(square, square), one)
    return power if b.unsigned else _or_inverse(b, base, exponent, power)


def _or_inverse(b: ScalarBuilder, base: SSAValue, exponent: SSAValue, power: SSAValue) -> SSAValue:
    """Write the power, where the exponent is negative the truncated quotient of 1 by it: the two
    units are their own inverses.
    """
    zero, one = b.constant(0, base.type), b.constant(1, base.type)
    odd = b.compare("ne", b.logical("and", exponent, one), zero)
    is_one = b.compare("eq", base, one)
    is_minus_one = b.compare("eq", base, b.constant(-1, base.type))
    sign = b.select(odd, base, one)
    inverse = b.select(b.logical("or", is_one, is_minus_one), sign, zero)
    return b.select(b.compare("lt", exponent, zero), inverse, power)


@irdl_op_definition
class MaxOp(NumberOp):
    """``y = max(a, b)``; NaN if one is NaN."""

    name = "graph.max"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.maximum(*values)

    def reference(self, *operands: Array) -> Array:
        return np.maximum(*operands)


@irdl_op_definition
class MinOp(NumberOp):
    """``y = min(a, b)``; NaN if one is NaN."""

    name = "graph.min"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.minimum(*values)

    def reference(self, *operands: Array) -> Array:
        return np.minimum(*operands)


@irdl_op_definition
class NegOp(UnaryOp):
    """``y = -x``; the smallest integer stays itself."""

    name = "graph.neg"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.negate(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.negative(*operands)


@irdl_op_definition
class AbsOp(UnaryOp):
    """``y = |x|``; the smallest integer stays itself."""

    name = "graph.abs"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.absolute(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.abs(*operands)


@irdl_op_definition
class SignOp(SteppedOp, UnaryOp):
    """``y = -1``, ``0`` or ``1``; NaN stays NaN."""

    name = "graph.sign"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        zero, one = b.constant(0, x.type), b.constant(1, x.type)
        # The sum keeps NaN, and turns -0.0 into 0.0.
        rest = b.select(b.compare("lt", x, zero), b.constant(-1, x.type), b.add(x, zero))
        return b.select(b.compare("gt", x, zero), one, rest)

    def reference(self, *operands: Array) -> Array:
        return np.sign(*operands)


OPERATIONS = [
    AddOp,
    SubOp,
    MulOp,
    DivOp,
    ModOp,
    PowOp,
    MaxOp,
    MinOp,
    NegOp,
    AbsOp,
    SignOp,
]
