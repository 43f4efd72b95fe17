"""Scalar code: an op's ``element`` writes ``arith`` and ``math`` operations, whatever the
target.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from xdsl.builder import Builder
from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.dialects.loop.remainder import RemfOp
from dlc.ir.tensor import compute_type, element_bytes, is_float, is_unsigned

Predicate = Literal["eq", "ne", "lt", "le", "gt", "ge"]

_FLOAT_PREDICATE = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_INTEGER_PREDICATE = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_UNSIGNED_PREDICATE = {**_INTEGER_PREDICATE, "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"}


_WIDEST_BYTES = 8
_RECIPROCAL, _NEAR = FastMathFlag.ALLOW_RECIP, FastMathFlag.APPROX_FUNC
NEAR_QUOTIENT, RATIO = (arith.FastMathFlagsAttr([flag]) for flag in (_NEAR, _RECIPROCAL))
"""How a division says that it is a ``near_quotient``, or a ``ratio``."""


def is_near(op: math.ExpOp | math.Exp2Op) -> bool:
    """Return whether an op is a ``near_exponential`` or a ``near_power_of_two``."""
    return _NEAR in op.fastmath.data


class ScalarBuilder:
    """Writes scalar operations at an insertion point.

    Values have a *compute type* (``compute_type``): ``f32``, ``f64``, ``i1``, ``i32``, ``i64`` or
    ``index``. Comparisons with NaN are false, but for ``ne``; ``maximum`` and ``minimum`` give NaN
    when an operand is NaN; integer division truncates towards zero.

    unsigned: an ``i64`` stands for a ``ui64``, whose upper half a signed number cannot hold. All
    narrower unsigned integers are positive numbers of their compute type.
    """

    def __init__(self, builder: Builder, unsigned: bool = False):
        self.builder = builder
        self.unsigned = unsigned

    def of(self, element: Attribute) -> "ScalarBuilder":
        """Return the builder, at the same place, that computes with elements of a type."""
        unsigned = is_unsigned(element) and element_bytes(element) == _WIDEST_BYTES
        return self if unsigned == self.unsigned else ScalarBuilder(self.builder, unsigned)

    def insert(self, op: Operation) -> SSAValue:
        """Insert an operation with one result and return the result."""
        self.builder.insert(op)
        return op.results[0]

    # Constants and conversions -----------------------------------------------------------------

    def constant(self, value: float | int | bool, type: Attribute) -> SSAValue:
        """Return ``value`` as a scalar of ``type``."""
        if isinstance(type, Float32Type | Float64Type):
            return self.insert(arith.ConstantOp(FloatAttr(float(value), type)))
        assert isinstance(type, IntegerType | IndexType)
        number = -int(bool(value)) if type == i1 else int(value)  # xDSL stores a true i1 as -1
        if type == i64 and number >= 2**63:
            number -= 2**64
        return self.insert(arith.ConstantOp(IntegerAttr(number, type)))

    def cast(self, x: SSAValue, type: Attribute) -> SSAValue:
        """Convert between compute types as C does; to ``i1`` means ``x != 0``.

        For an ``unsigned`` builder ``x`` is unsigned; a float becomes one by ``to_unsigned``.
        """
        source = x.type
        if source == type:
            return x
        if type == i1:
            return self.compare("ne", x, self.constant(0, source))
        if is_float(source) and is_float(type):
            widens = type == f64
            return self.insert(arith.ExtFOp(x, f64) if widens else arith.TruncFOp(x, f32))
        if is_float(source):
            if isinstance(type, IndexType):
                return self.cast(self.insert(arith.FPToSIOp(x, i64)), type)
            assert isinstance(type, IntegerType)
            return self.insert(arith.FPToSIOp(x, type))
        if is_float(type):
            if isinstance(source, IndexType):
                x = self.cast(x, i64)
            unsigned = x.type == i1 or (self.unsigned and x.type == i64)
            return self.insert(arith.UIToFPOp(x, type) if unsigned else arith.SIToFPOp(x, type))
        if isinstance(source, IndexType) or isinstance(type, IndexType):
            x = self.cast(x, i64) if x.type == i1 else x
            return self.insert(arith.IndexCastOp(x, type))
        return self._cast_integer(x, type)

    def to_unsigned(self, x: SSAValue) -> SSAValue:
        """Convert a float to the ``i64`` that stands for a ``ui64``.

        Below 2**63 it is the signed conversion, so that negative numbers wrap around on every
        target; from there on the conversion of what is above, which is exact.
        """
        top = self.constant(2.0**63, x.type)
        above = self.cast(self.sub(x, top), i64)
        large = self.logical("xor", above, self.constant(2**63, i64))
        return self.select(self.compare("ge", x, top), large, self.cast(x, i64))

    def _cast_integer(self, x: SSAValue, type: Attribute) -> SSAValue:
        assert isinstance(x.type, IntegerType)
        assert isinstance(type, IntegerType)
        if x.type == i1:
            return self.insert(arith.ExtUIOp(x, type))
        widens = type.width.data > x.type.width.data
        return self.insert(arith.ExtSIOp(x, type) if widens else arith.TruncIOp(x, type))

    def wrap(self, x: SSAValue, element: Attribute) -> SSAValue:
        """Return ``x`` reduced to the range of a stored integer type (two's complement)."""
        ty = compute_type(element)
        if not isinstance(element, IntegerType) or not isinstance(ty, IntegerType):
            return x
        bits = element.width.data
        if bits == ty.width.data:
            return x
        mask = self.constant((1 << bits) - 1, ty)
        low = self.insert(arith.AndIOp(x, mask))
        if is_unsigned(element):
            return low
        shift = self.constant(ty.width.data - bits, ty)
        return self.insert(arith.ShRSIOp(self.insert(arith.ShLIOp(low, shift)), shift))

    # Arithmetic ---------------------------------------------------------------------------------

    def _arith(
        self, x: SSAValue, y: SSAValue, float_op: type[Operation], integer_op: type[Operation]
    ) -> SSAValue:
        op: Any = float_op if is_float(x.type) else integer_op  # takes two operands
        return self.insert(op(x, y))

    def add(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self._arith(x, y, arith.AddfOp, arith.AddiOp)

    def sub(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self._arith(x, y, arith.SubfOp, arith.SubiOp)

    def mul(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self._arith(x, y, arith.MulfOp, arith.MuliOp)

    def div(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self._arith(x, y, arith.DivfOp, arith.DivUIOp if self.unsigned else arith.DivSIOp)

    def ratio(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return a quotient of floats that may be off by two units in the last place: in functions
        that are not exact anyway.
        """
        return self.insert(arith.DivfOp(x, y, RATIO))

    def short_ratio(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return a quotient like ``ratio`` that is zero where the reciprocal is subnormal: for
        results of 16 bits, which have none such or few bits there.
        """
        return self.insert(arith.DivfOp(x, y, arith.FastMathFlagsAttr([_RECIPROCAL, _NEAR])))

    def near_quotient(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return a quotient of floats that is exact where a float is, and within a unit in the last
        place elsewhere, but for divisors below the least normal number.
        """
        return self.insert(arith.DivfOp(x, y, NEAR_QUOTIENT))

    def rem(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the exact remainder of the truncated quotient: it has the sign of ``x``."""
        return self._arith(x, y, RemfOp, arith.RemUIOp if self.unsigned else arith.RemSIOp)

    def maximum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the larger of two; NaN where one of them is."""
        return self._arith(
            x, y, arith.MaximumfOp, arith.MaxUIOp if self.unsigned else arith.MaxSIOp
        )

    def minimum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the smaller of two; NaN where one of them is."""
        return self._arith(
            x, y, arith.MinimumfOp, arith.MinUIOp if self.unsigned else arith.MinSIOp
        )

    def fma(self, x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
        """Return ``x * y + z``, rounded once for floats."""
        if is_float(x.type):
            return self.insert(math.FmaOp(x, y, z))
        return self.add(self.mul(x, y), z)

    def negate(self, x: SSAValue) -> SSAValue:
        """Return ``-x``; integers wrap around."""
        if is_float(x.type):
            return self.insert(arith.NegfOp(x))
        return self.sub(self.constant(0, x.type), x)

    def absolute(self, x: SSAValue) -> SSAValue:
        if self.unsigned and x.type == i64:
            return x
        return self.insert(math.AbsFOp(x) if is_float(x.type) else math.AbsIOp(x))

    def math(self, op: type[Operation], *values: SSAValue) -> SSAValue:
        """Insert a float function of the ``math`` dialect, as ``b.math(math.ExpOp, x)``."""
        return self.insert(op(*values))

    def near_exponential(self, x: SSAValue) -> SSAValue:
        """Return an exponential whose relative error is less than ``2**-22 + |x| * 2**-23``: for
        results of 16 bits, of which those that are not zero have a small ``|x|``.
        """
        return self.insert(math.ExpOp(x, arith.FastMathFlagsAttr([_NEAR])))

    def near_power_of_two(self, x: SSAValue) -> SSAValue:
        """Return ``2 ** x`` with a relative error of less than ``2**-22``; results below the least
        normal number are zero.
        """
        return self.insert(math.Exp2Op(x, arith.FastMathFlagsAttr([_NEAR])))

    def logical(self, op: Literal["and", "or", "xor"], x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the bitwise combination of two integers (``i1`` is logical)."""
        table = {"and": arith.AndIOp, "or": arith.OrIOp, "xor": arith.XOrIOp}
        return self.insert(table[op](x, y))

    def invert(self, x: SSAValue) -> SSAValue:
        """Return the bitwise complement; logical not of an ``i1``."""
        return self.logical("xor", x, self.constant(1 if x.type == i1 else -1, x.type))

    # Choice -------------------------------------------------------------------------------------

    def compare(self, predicate: Predicate, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return the ``i1`` of a comparison; ``i1`` compares as 0 and 1."""
        if is_float(x.type):
            return self.insert(arith.CmpfOp(x, y, _FLOAT_PREDICATE[predicate]))
        if x.type == i1:
            x, y = self.cast(x, i32), self.cast(y, i32)
        table = _UNSIGNED_PREDICATE if self.unsigned and x.type == i64 else _INTEGER_PREDICATE
        return self.insert(arith.CmpiOp(x, y, table[predicate]))

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """Return ``x`` where the ``i1`` condition holds, else ``y``; both are evaluated."""
        return self.insert(arith.SelectOp(condition, x, y))

    def branch(
        self,
        condition: SSAValue,
        then: Callable[[], Sequence[SSAValue]],
        otherwise: Callable[[], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Return the values of the branch that is taken; only that one is evaluated."""
        regions: list[Region] = []
        types: list[Attribute] = []
        before = self.builder.insertion_point
        for write in (then, otherwise):
            block = Block()
            self.builder.insertion_point = InsertPoint.at_end(block)
            values = write()
            types = [v.type for v in values]
            self.builder.insert(scf.YieldOp(*values))
            regions.append(Region(block))
        self.builder.insertion_point = before
        op = scf.IfOp(condition, types, regions[0], regions[1])
        self.builder.insert(op)
        return op.results
