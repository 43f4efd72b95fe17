"""Runs the scalar code that ops write, one operation at a time, on numpy scalars.

The meaning of operations is the simulator's; here what is undefined on some target fails.
"""

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from dlc.simulator._scalars import scalar_function

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


def _check_division(x: Scalar, y: Scalar) -> None:
    assert y != 0, "integer division by zero"
    assert not (y == -1 and x == np.iinfo(x.dtype).min), "integer division overflows"


def _check_shift(x: Scalar, count: Scalar) -> None:
    width = x.dtype.itemsize * 8
    assert 0 <= count < width, f"a shift of {width} bits by {count}"


_CHECKS: dict[type[Operation], Callable[..., None]] = {
    **dict.fromkeys((arith.DivSIOp, arith.RemSIOp), _check_division),
    **dict.fromkeys((arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp), _check_shift),
}


def run_scalar_op(op: Operation, operands: list[Scalar]) -> Scalar:
    """Return the result of an ``arith`` or ``math`` operation, in the dtype of its result type.

    Fails for what is undefined on some target: division by zero and too large shifts.
    """
    dtype = scalar_dtype(op.results[0].type)
    if type(op) in _CHECKS:
        _CHECKS[type(op)](*operands)
    match op:
        case arith.ConstantOp():
            value = getattr(op.value, "value").data  # noqa: B009  (the field has no type)
            return dtype.type(value)
        case arith.FPToSIOp():
            return _to_integer(operands[0], dtype)
        case _:
            return scalar_function(op)(*operands)


def _to_integer(x: Scalar, dtype: np.dtype) -> Scalar:
    limits = np.iinfo(dtype)
    inside = isfinite(x) and limits.min <= int(x) <= limits.max
    # What is not selected in the end may convert anything, so this must not fail.
    return dtype.type(int(x)) if inside else dtype.type(limits.min)
