"""Functions of one float: exponentials, roots, rounding, trigonometry, the error function."""

from abc import ABC
from collections.abc import Callable
from functools import cache
from math import erf, pi, sqrt
from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition

from dlc.dialects.graph.elementwise import FloatUnaryOp
from dlc.dialects.graph.structure import Array, SteppedOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.tensor import element_bytes, element_type


class FunctionOp(FloatUnaryOp, ABC):
    """``y = f(x)`` for a function that the ``math`` dialect has."""

    SCALAR: ClassVar[type[Operation]]
    NUMPY: ClassVar[Callable[[Array], Array]]

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return b.math(self.SCALAR, *values)

    def reference(self, *operands: Array) -> Array:
        return type(self).NUMPY(*operands)


_ERF_STEP = 1 / 128
_ERF_BLOCK = 1 << 14
_ERF_ONE = 6.0
"""From here on the error function is 1 in double precision."""


@cache
def _erf_tables() -> tuple[Array, Array]:
    """Return the error function and its derivative at the multiples of ``_ERF_STEP``."""
    points = np.arange(0, _ERF_ONE + _ERF_STEP, _ERF_STEP)
    return np.array([erf(c) for c in points]), 2 / sqrt(pi) * np.exp(-points * points)


def error_function(x: Array) -> Array:
    """Return the error function of each element, in double precision, in the dtype of ``x``.

    Blocks stay in the cache, which makes it ten times as fast as a call for each element.
    """
    flat = np.ascontiguousarray(x).reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _ERF_BLOCK):
        block = slice(start, start + _ERF_BLOCK)
        result[block] = _erf(flat[block])
    return result.reshape(np.shape(x))


def _erf(x: Array) -> Array:
    """A Taylor polynomial of degree 5 around the nearest point of a table: the remainder is below
    ``max|erf^(6)| * (_ERF_STEP / 2)**6 / 6! < 4e-16``.
    """
    values, slopes = _erf_tables()
    magnitude = np.abs(x).astype(np.float64)
    inside = np.where(magnitude < _ERF_ONE, magnitude, _ERF_ONE)
    number = np.rint(inside / _ERF_STEP).astype(np.intp)
    c = number * _ERF_STEP
    h = inside - c
    square = c * c
    series = (16 * square * square - 48 * square + 12) / 120
    series = series * h + (12 - 8 * square) * c / 24
    series = series * h + (4 * square - 2) / 6
    series = ((series * h - c) * h + 1) * h
    result = np.copysign(values[number] + slopes[number] * series, x)
    return np.where(np.isnan(x), x, result)


@irdl_op_definition
class ExpOp(FunctionOp):
    """``y = e**x``.

    Of 16 bits it may be off before it is rounded: by ``2**-18`` of itself in ``f16``, by ``2**-16``
    in ``bf16``, as long as it is a normal number: below ``2**-126``, where ``bf16`` has subnormal
    ones, a GPU gives 0.
    """

    name = "graph.exp"
    SCALAR: ClassVar = math.ExpOp
    NUMPY: ClassVar = np.exp

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        is_short = element_bytes(element_type(self.output)) < element_bytes(x.type)
        return b.near_exponential(x) if is_short else super().scalar(b, x)


@irdl_op_definition
class LogOp(FunctionOp):
    """``y = ln(x)``; NaN below 0."""

    name = "graph.log"
    SCALAR: ClassVar = math.LogOp
    NUMPY: ClassVar = np.log


@irdl_op_definition
class SqrtOp(FunctionOp):
    """``y = sqrt(x)``; NaN below 0."""

    name = "graph.sqrt"
    SCALAR: ClassVar = math.SqrtOp
    NUMPY: ClassVar = np.sqrt


@irdl_op_definition
class FloorOp(SteppedOp, FunctionOp):
    """``y``: the largest integer that is at most ``x``."""

    name = "graph.floor"
    SCALAR: ClassVar = math.FloorOp
    NUMPY: ClassVar = np.floor


@irdl_op_definition
class CeilOp(SteppedOp, FunctionOp):
    """``y``: the smallest integer that is at least ``x``."""

    name = "graph.ceil"
    SCALAR: ClassVar = math.CeilOp
    NUMPY: ClassVar = np.ceil


@irdl_op_definition
class RoundOp(SteppedOp, FunctionOp):
    """``y``: the nearest integer, halves to the even one."""

    name = "graph.round"
    SCALAR: ClassVar = math.RoundEvenOp
    NUMPY: ClassVar = np.rint


@irdl_op_definition
class TruncOp(SteppedOp, FunctionOp):
    """``y``: ``x`` without its fraction."""

    name = "graph.trunc"
    SCALAR: ClassVar = math.TruncOp
    NUMPY: ClassVar = np.trunc


@irdl_op_definition
class SinOp(FunctionOp):
    """``y = sin(x)``, in radians."""

    name = "graph.sin"
    SCALAR: ClassVar = math.SinOp
    NUMPY: ClassVar = np.sin


@irdl_op_definition
class CosOp(FunctionOp):
    """``y = cos(x)``, in radians."""

    name = "graph.cos"
    SCALAR: ClassVar = math.CosOp
    NUMPY: ClassVar = np.cos


@irdl_op_definition
class TanOp(FunctionOp):
    """``y = tan(x)``, in radians."""

    name = "graph.tan"
    SCALAR: ClassVar = math.TanOp
    NUMPY: ClassVar = np.tan


@irdl_op_definition
class AsinOp(FunctionOp):
    """``y = arcsin(x)``; NaN outside [-1, 1]."""

    name = "graph.asin"
    SCALAR: ClassVar = math.AsinOp
    NUMPY: ClassVar = np.arcsin


@irdl_op_definition
class AcosOp(FunctionOp):
    """``y = arccos(x)``; NaN outside [-1, 1]."""

    name = "graph.acos"
    SCALAR: ClassVar = math.AcosOp
    NUMPY: ClassVar = np.arccos


@irdl_op_definition
class AtanOp(FunctionOp):
    """``y = arctan(x)``."""

    name = "graph.atan"
    SCALAR: ClassVar = math.AtanOp
    NUMPY: ClassVar = np.arctan


@irdl_op_definition
class SinhOp(FunctionOp):
    """``y = sinh(x)``."""

    name = "graph.sinh"
    SCALAR: ClassVar = math.SinhOp
    NUMPY: ClassVar = np.sinh


@irdl_op_definition
class CoshOp(FunctionOp):
    """``y = cosh(x)``."""

    name = "graph.cosh"
    SCALAR: ClassVar = math.CoshOp
    NUMPY: ClassVar = np.cosh


@irdl_op_definition
class TanhOp(FunctionOp):
    """``y = tanh(x)``."""

    name = "graph.tanh"
    SCALAR: ClassVar = math.TanhOp
    NUMPY: ClassVar = np.tanh


@irdl_op_definition
class AsinhOp(FunctionOp):
    """``y = arsinh(x)``."""

    name = "graph.asinh"
    SCALAR: ClassVar = math.AsinhOp
    NUMPY: ClassVar = np.arcsinh


@irdl_op_definition
class AcoshOp(FunctionOp):
    """``y = arcosh(x)``; NaN below 1."""

    name = "graph.acosh"
    SCALAR: ClassVar = math.AcoshOp
    NUMPY: ClassVar = np.arccosh


@irdl_op_definition
class AtanhOp(FunctionOp):
    """``y = artanh(x)``; NaN outside [-1, 1]."""

    name = "graph.atanh"
    SCALAR: ClassVar = math.AtanhOp
    NUMPY: ClassVar = np.arctanh


@irdl_op_definition
class ErfOp(FunctionOp):
    """``y = 2 / sqrt(pi) * integral of e**(-t * t) for t from 0 to x``."""

    name = "graph.erf"
    SCALAR: ClassVar = math.ErfOp
    NUMPY: ClassVar = staticmethod(error_function)


OPERATIONS = [
    ExpOp,
    LogOp,
    SqrtOp,
    FloorOp,
    CeilOp,
    RoundOp,
    TruncOp,
    SinOp,
    CosOp,
    TanOp,
    AsinOp,
    AcosOp,
    AtanOp,
    SinhOp,
    CoshOp,
    TanhOp,
    AsinhOp,
    AcoshOp,
    AtanhOp,
    ErfOp,
]
