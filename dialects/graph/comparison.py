"""Comparison, logic on booleans and bits, and choice."""

from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, StringAttr, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)

from dlc.dialects.graph.computed import ElementwiseOp
from dlc.dialects.graph.elementwise import BinaryOp, FloatUnaryOp, NumberOp, UnaryOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.scalar import Predicate, ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, is_float, is_unsigned

_COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@irdl_op_definition
class CompareOp(BinaryOp):
    """``y = a <predicate> b`` as booleans; with NaN all are false but ``ne``.

    ``predicate``: ``eq``, ``ne``, ``lt``, ``le``, ``gt`` or ``ge``. Booleans compare as 0 and 1.
    """

    name = "graph.compare"
    predicate = prop_def(StringAttr)

    def infer(self) -> Sequence[Attribute]:
        self.operand_element()
        if self.predicate.data not in _COMPARISONS:
            raise CompileError(
                f"predicate {self.predicate.data!r} is none of {', '.join(_COMPARISONS)}"
            )
        return [TensorType(i1, self.broadcast_shape())]

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.compare(cast(Predicate, self.predicate.data), *values)

    def reference(self, *operands: Array) -> Array:
        return _COMPARISONS[self.predicate.data](*operands)


def _check_bits(element: Attribute) -> Attribute:
    if is_float(element):
        raise CompileError(f"works on booleans and integers, not on {element}")
    return element


class BitwiseOp(BinaryOp, ABC):
    """A logic function of each pair of bits; of booleans, of the two."""

    FUNCTION: ClassVar[Literal["and", "or", "xor"]]
    NUMPY: ClassVar[Callable[[Array, Array], Array]]

    def operand_element(self) -> Attribute:
        return _check_bits(super().operand_element())

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.logical(self.FUNCTION, *values)

    def reference(self, *operands: Array) -> Array:
        return type(self).NUMPY(*operands)


@irdl_op_definition
class AndOp(BitwiseOp):
    """``y = a and b``, bit by bit."""

    name = "graph.and"
    FUNCTION: ClassVar = "and"
    NUMPY: ClassVar = np.bitwise_and


@irdl_op_definition
class OrOp(BitwiseOp):
    """``y = a or b``, bit by bit."""

    name = "graph.or"
    FUNCTION: ClassVar = "or"
    NUMPY: ClassVar = np.bitwise_or


@irdl_op_definition
class XorOp(BitwiseOp):
    """``y = a`` exclusive-or ``b``, bit by bit."""

    name = "graph.xor"
    FUNCTION: ClassVar = "xor"
    NUMPY: ClassVar = np.bitwise_xor


@irdl_op_definition
class NotOp(UnaryOp):
    """``y``: every bit of ``x`` inverted; of a boolean, the other one."""

    name = "graph.not"

    def infer(self) -> Sequence[Attribute]:
        _check_bits(element_type(self.x))
        return [self.x.type]

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.wrap(b.invert(*values), element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return np.invert(*operands)


@irdl_op_definition
class ShiftOp(NumberOp):
    """``y = a * 2**b``, bits beyond the width lost; ``right``: ``y = floor(a / 2**b)``.

    A shift by the width or more, or by a negative number, leaves only copies of the sign: 0, or -1
    for a negative number shifted to the right.
    """

    name = "graph.shift"
    right = opt_prop_def(UnitAttr)

    def operand_element(self) -> Attribute:
        return _check_bits(super().operand_element())

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        x, bits = values
        element = element_type(self.output)
        assert isinstance(element, IntegerType)
        zero, width = b.constant(0, x.type), b.constant(element.width.data, x.type)
        # A shift by the width or more is undefined in arith; a huge unsigned one reads as negative.
        fits = b.logical("and", b.compare("lt", bits, width), b.compare("ge", bits, zero))
        safe = b.select(fits, bits, zero)
        if self.right is None:
            return b.select(fits, b.wrap(b.insert(arith.ShLIOp(x, safe)), element), zero)
        unsigned = is_unsigned(element)
        shifted = b.insert((arith.ShRUIOp if unsigned else arith.ShRSIOp)(x, safe))
        negative = b.compare("lt", x, zero)
        sign = zero if unsigned else b.select(negative, b.constant(-1, x.type), zero)
        return b.select(fits, shifted, sign)

    def reference(self, *operands: Array) -> Array:
        x, bits = operands
        width = x.dtype.itemsize * 8
        fits = (bits >= 0) & (bits < width)
        safe = np.where(fits, bits, 0).astype(x.dtype)
        if self.right is None:
            return np.where(fits, np.left_shift(x, safe), 0).astype(x.dtype)
        signs = np.where(x < 0, -1, 0).astype(x.dtype)
        return np.where(fits, np.right_shift(x, safe), signs)


class FloatPredicateOp(FloatUnaryOp, ABC):
    """A boolean property of each float."""

    def infer(self) -> Sequence[Attribute]:
        super().infer()
        return [TensorType(i1, self.broadcast_shape())]


@irdl_op_definition
class IsNanOp(FloatPredicateOp):
    """``y``: whether ``x`` is NaN."""

    name = "graph.is_nan"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return b.compare("ne", x, x)

    def reference(self, *operands: Array) -> Array:
        return np.isnan(*operands)


@irdl_op_definition
class IsInfOp(FloatPredicateOp):
    """``y``: whether ``x`` is infinite; only of the one sign with ``positive`` or ``negative``."""

    name = "graph.is_inf"
    positive = opt_prop_def(UnitAttr)
    negative = opt_prop_def(UnitAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        infinite = b.constant(float("inf"), x.type)
        if self.positive is not None:
            return b.compare("eq", x, infinite)
        if self.negative is not None:
            return b.compare("eq", x, b.negate(infinite))
        return b.compare("eq", b.absolute(x), infinite)

    def reference(self, *operands: Array) -> Array:
        if self.positive is not None:
            return np.isposinf(*operands)
        return np.isneginf(*operands) if self.negative is not None else np.isinf(*operands)


@irdl_op_definition
class WhereOp(ElementwiseOp):
    """``y = condition ? a : b``, all three broadcast."""

    name = "graph.where"
    condition = operand_def(TensorType)
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    output = result_def(TensorType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$condition `,` $lhs `,` $rhs attr-dict `:` `(` type($condition) `,` type($lhs) `,`"
        " type($rhs) `)` `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        left, right = element_type(self.lhs), element_type(self.rhs)
        if element_type(self.condition) != i1:
            raise CompileError(f"the condition must be i1, not {element_type(self.condition)}")
        if left != right:
            raise CompileError(f"operands have element types {left} and {right}; cast one of them")
        return [TensorType(left, self.broadcast_shape())]

    @property
    def moves_data(self) -> bool:
        return True

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.select(*values)

    def reference(self, *operands: Array) -> Array:
        return np.where(*operands)


OPERATIONS = [
    CompareOp,
    AndOp,
    OrOp,
    XorOp,
    NotOp,
    ShiftOp,
    IsNanOp,
    IsInfOp,
    WhereOp,
]
