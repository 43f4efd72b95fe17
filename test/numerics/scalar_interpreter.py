"""Runs the scalar code that ops write, one operation at a time, on numpy scalars."""

from collections.abc import Callable
from fractions import Fraction
from math import copysign, erf, isfinite
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

Scalar = Any
"""A numpy scalar: float32, float64, bool, int32 or int64 (also for ``index``)."""


def scalar_dtype(type: Attribute) -> np.dtype:
    """Return the dtype that holds a compute type; fails for any other type."""
    match type:
        case Float32Type():
            return np.dtype(np.float32)
        case Float64Type():
            return np.dtype(np.float64)
        case IndexType():
            return np.dtype(np.int64)
        case IntegerType():
            names = {1: np.bool_, 32: np.int32, 64: np.int64}
            return np.dtype(names[type.width.data])
        case _:
            raise AssertionError(f"{type} is no compute type")


def _quotient(x: Scalar, y: Scalar) -> Scalar:
    """Return the truncated quotient; division by zero and overflow trap, as on processors."""
    assert y != 0, "integer division by zero"
    assert not (y == -1 and x == np.iinfo(x.dtype).min), "integer division overflows"
    magnitude = abs(int(x)) // abs(int(y))
    return -magnitude if (x < 0) != (y < 0) else magnitude


def _remainder(x: Scalar, y: Scalar) -> Scalar:
    return int(x) - int(_quotient(x, y)) * int(y)


def _shift(function: Callable[[int, int, int], int]) -> Callable[[Scalar, Scalar], Scalar]:
    def shift(x: Scalar, count: Scalar) -> Scalar:
        width = x.dtype.itemsize * 8
        assert 0 <= count < width, f"a shift of {width} bits by {count}"
        bits = function(int(x), int(count), width) & ((1 << width) - 1)
        return bits - (1 << width) if bits >> (width - 1) else bits

    return shift


def _fma(x: Scalar, y: Scalar, z: Scalar) -> Scalar:
    if not all(map(isfinite, (x, y, z))):
        return x * y + z
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    return float(exact) if exact else x * y + z


def _round_half_even(x: Scalar) -> Scalar:
    return np.rint(x)


def _erf(x: Scalar) -> float:
    return erf(float(x))


_FUNCTIONS: dict[type[Operation], Callable[..., Scalar]] = {
    arith.AddfOp: np.add,
    arith.AddiOp: np.add,
    arith.SubfOp: np.subtract,
    arith.SubiOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.MuliOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: _remainder,
    arith.MaximumfOp: np.maximum,
    arith.MinimumfOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.NegfOp: np.negative,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.ShLIOp: _shift(lambda x, n, width: x << n),
    arith.ShRSIOp: _shift(lambda x, n, width: x >> n),
    arith.ShRUIOp: _shift(lambda x, n, width: (x & ((1 << width) - 1)) >> n),
    arith.ExtFOp: lambda x: x,
    arith.TruncFOp: lambda x: x,
    arith.SIToFPOp: lambda x: x,
    arith.UIToFPOp: lambda x: x,
    arith.ExtSIOp: lambda x: x,
    arith.ExtUIOp: lambda x: x,
    arith.TruncIOp: lambda x: x,
    arith.IndexCastOp: lambda x: x,
    arith.SelectOp: lambda condition, x, y: x if condition else y,
    math.AbsFOp: np.abs,
    math.AbsIOp: np.abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.AtanOp: np.arctan,
    math.AtanhOp: np.arctanh,
    math.CeilOp: np.ceil,
    math.CopySignOp: lambda x, y: copysign(float(x), float(y)),
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    math.ErfOp: _erf,
    math.ExpM1Op: np.expm1,
    math.ExpOp: np.exp,
    math.Exp2Op: np.exp2,
    math.FloorOp: np.floor,
    math.FmaOp: _fma,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.LogOp: np.log,
    math.PowFOp: np.power,
    math.RoundEvenOp: _round_half_even,
    math.RsqrtOp: lambda x: 1 / np.sqrt(x),
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.TruncOp: np.trunc,
}

_SIGNED_PREDICATES = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
_ORDERED_PREDICATES = {
    1: np.equal,
    2: np.greater,
    3: np.greater_equal,
    4: np.less,
    5: np.less_equal,
    13: np.not_equal,  # une: the one that holds for NaN
}


def run_scalar_op(op: Operation, operands: list[Scalar]) -> Scalar:
    """Return the result of an ``arith`` or ``math`` operation, in the dtype of its result type.

    Fails for what is undefined on some target: division by zero and too large shifts.
    """
    dtype = scalar_dtype(op.results[0].type)
    match op:
        case arith.ConstantOp():
            value = getattr(op.value, "value").data  # noqa: B009
            return dtype.type(value)
        case arith.CmpiOp():
            return np.bool_(_SIGNED_PREDICATES[op.predicate.value.data](*operands))
        case arith.CmpfOp():
            return np.bool_(_ORDERED_PREDICATES[op.predicate.value.data](*operands))
        case arith.FPToSIOp():
            return _to_integer(operands[0], dtype)
        case _:
            assert type(op) in _FUNCTIONS, f"{op.name} is unknown to the interpreter"
            value = _FUNCTIONS[type(op)](*operands)
            return np.asarray(value).astype(dtype)[()]


def _to_integer(x: Scalar, dtype: np.dtype) -> Scalar:
    limits = np.iinfo(dtype)
    inside = isfinite(x) and limits.min <= int(x) <= limits.max
    # What is not selected in the end may convert anything, so this must not fail.
    return dtype.type(int(x)) if inside else dtype.type(limits.min)
