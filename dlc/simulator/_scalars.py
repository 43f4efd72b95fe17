"""``arith`` and ``math`` on arrays, in the dtype of the result type."""

from collections.abc import Callable

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation

from dlc.arch.tf32 import round_tf32
from dlc.dialects import gpu, loop
from dlc.dialects.graph.math import error_function
from dlc.errors import CompileError
from dlc.ir.tensor import numpy_dtype
from dlc.simulator._threads import Value

Function = Callable[..., Value]


def scalar_dtype(type: Attribute) -> np.dtype:
    """Return the dtype of a scalar type; an index has 64 bits."""
    return np.dtype(np.int64) if isinstance(type, IndexType) else numpy_dtype(type)


def constant(op: arith.ConstantOp) -> Value:
    """Return the value of a scalar constant; that of an index is a Python integer."""
    assert isinstance(op.value, IntegerAttr | FloatAttr)
    if isinstance(op.result.type, IndexType):
        return int(op.value.value.data)
    return scalar_dtype(op.result.type).type(op.value.value.data)


def _quotient(x: Value, y: Value) -> Value:
    quotient = np.floor_divide(x, y)
    return quotient + ((quotient * y != x) & ((x < 0) != (y < 0)))


def _fma(x: Value, y: Value, z: Value) -> Value:
    """``x * y + z`` with an exact product: of two f32 it is one f64, of two f64 the sum of two."""
    if np.asarray(x).dtype == np.float32:
        return np.multiply(x, y, dtype=np.float64) + z
    product = np.multiply(x, y)
    total = product + z
    moved = total - product
    rest = (product - (total - moved)) + (z - moved)  # Knuth's sum without loss
    result = total + (rest + _product_error(x, y, product))
    return np.where(np.isfinite(result), result, total)


def _product_error(x: Value, y: Value, product: Value) -> Value:
    """Return ``x * y - product`` exactly, by Dekker's halves of 26 bits."""
    (a, b), (c, d) = map(_halves, (x, y))
    return ((a * c - product) + a * d + b * c) + b * d


def _halves(x: Value) -> tuple[Value, Value]:
    scaled = np.multiply(x, 2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def _unsigned(x: Value) -> Value:
    array = np.asarray(x)
    return array.astype(np.bool_) if array.dtype == np.bool_ else array.view(f"u{array.itemsize}")


def _on_unsigned(function: Function) -> Function:
    return lambda *values: function(*map(_unsigned, values))


def _round_away(x: Value) -> Value:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _tf32(x: Value) -> Value:
    return round_tf32(np.asarray(x))


def _same(x: Value) -> Value:
    return x


_FUNCTIONS: dict[type[Operation], Function] = {
    arith.AddfOp: np.add,
    arith.AddiOp: np.add,
    arith.SubfOp: np.subtract,
    arith.SubiOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.MuliOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.DivSIOp: _quotient,
    arith.DivUIOp: _on_unsigned(np.floor_divide),
    arith.FloorDivSIOp: np.floor_divide,
    arith.CeilDivSIOp: lambda x, y: -np.floor_divide(-np.asarray(x), y),
    arith.RemSIOp: np.fmod,
    arith.RemUIOp: _on_unsigned(np.remainder),
    arith.MaximumfOp: np.maximum,
    arith.MinimumfOp: np.minimum,
    arith.MaxnumfOp: np.fmax,
    arith.MinnumfOp: np.fmin,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.MaxUIOp: _on_unsigned(np.maximum),
    arith.MinUIOp: _on_unsigned(np.minimum),
    arith.NegfOp: np.negative,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.ShLIOp: np.left_shift,
    arith.ShRSIOp: np.right_shift,
    arith.ShRUIOp: _on_unsigned(np.right_shift),
    arith.SelectOp: np.where,
    arith.ExtUIOp: _unsigned,
    arith.UIToFPOp: _unsigned,
    loop.RemfOp: np.fmod,
    gpu.CvtTf32Op: _tf32,
    math.AbsFOp: np.abs,
    math.AbsIOp: np.abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.AtanOp: np.arctan,
    math.AtanhOp: np.arctanh,
    math.Atan2Op: np.arctan2,
    math.CbrtOp: np.cbrt,
    math.CeilOp: np.ceil,
    math.CopySignOp: np.copysign,
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    math.ErfOp: lambda x: error_function(np.asarray(x, np.float64)),
    math.ExpM1Op: np.expm1,
    math.ExpOp: np.exp,
    math.Exp2Op: np.exp2,
    math.FloorOp: np.floor,
    math.FmaOp: _fma,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.Log10Op: np.log10,
    math.LogOp: np.log,
    math.PowFOp: np.float_power,
    math.RoundEvenOp: np.rint,
    math.RoundOp: _round_away,
    math.RsqrtOp: lambda x: 1 / np.sqrt(x),
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.TruncOp: np.trunc,
    **dict.fromkeys(
        (
            *(arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp),
            *(arith.ExtSIOp, arith.TruncIOp, arith.IndexCastOp),
        ),
        _same,
    ),
}
"""Operations that depend on their operands only; the result is converted to the result type."""

_SIGNED = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
_INTEGER_PREDICATES: list[Function] = [*_SIGNED, *map(_on_unsigned, _SIGNED[2:])]
_FLOAT_PREDICATES: list[Function] = [
    lambda x, y: np.zeros(np.broadcast(x, y).shape, np.bool_)[()],
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    lambda x, y: np.less(x, y) | np.greater(x, y),
    lambda x, y: np.equal(x, x) & np.equal(y, y),
    lambda x, y: ~(np.less(x, y) | np.greater(x, y)),
    lambda x, y: ~np.less_equal(x, y),
    lambda x, y: ~np.less(x, y),
    lambda x, y: ~np.greater_equal(x, y),
    lambda x, y: ~np.greater(x, y),
    np.not_equal,
    lambda x, y: np.not_equal(x, x) | np.not_equal(y, y),
    lambda x, y: np.ones(np.broadcast(x, y).shape, np.bool_)[()],
]
"""By number of the predicate: false, oeq, ogt, oge, olt, ole, one, ord, ueq, … une, uno, true."""


def scalar_function(op: Operation) -> Function:
    """Return what computes the result of ``op`` from its operands, in the dtype of its result.

    Raises CompileError for an operation that is no scalar one.
    """
    match op:
        case arith.CmpiOp():
            return _INTEGER_PREDICATES[op.predicate.value.data]
        case arith.CmpfOp():
            return _FLOAT_PREDICATES[op.predicate.value.data]
        case arith.FPToSIOp():
            return _to_integer(scalar_dtype(op.result.type))
        case _:
            return _rounded(op)


def _rounded(op: Operation) -> Function:
    if type(op) not in _FUNCTIONS:
        raise CompileError(f"{op.name} cannot be simulated; lower it to the gpu level first")
    function, dtype = _FUNCTIONS[type(op)], scalar_dtype(op.results[0].type)
    return lambda *values: np.asarray(function(*values)).astype(dtype, copy=False)[()]


def _to_integer(dtype: np.dtype) -> Function:
    """Return the conversion of the hardware: towards zero, to the nearest limit, NaN to zero."""
    limits = np.iinfo(dtype)

    def convert(x: Value) -> Value:
        result = np.asarray(x).astype(dtype)
        result = np.where(np.asarray(x) >= float(limits.max), dtype.type(limits.max), result)
        result = np.where(np.asarray(x) <= float(limits.min), dtype.type(limits.min), result)
        return np.where(np.isnan(x), dtype.type(0), result)[()]

    return convert
