"""Activation functions: elementwise formulas with a bend."""

from collections.abc import Sequence
from math import e, log2, pi, sqrt

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import FloatAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def

from dlc.dialects.graph.elementwise import BinaryOp, FloatUnaryOp, UnaryOp
from dlc.dialects.graph.math import error_function
from dlc.dialects.graph.structure import Array, SteppedOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.tensor import element_bytes, element_type

_FULL_BYTES = 4
"""Of a float; shorter ones are computed in it."""


def _clamp_to_unit(b: ScalarBuilder, x: SSAValue) -> SSAValue:
    return b.maximum(b.constant(0, x.type), b.minimum(b.constant(1, x.type), x))


def _logistic(b: ScalarBuilder, x: SSAValue, element: Attribute) -> SSAValue:
    """Write ``1 / (1 + e**-x)`` for a result of type ``element``."""
    if element_bytes(element) < _FULL_BYTES:
        return _short_logistic(b, x, (1,))
    one = b.constant(1, x.type)
    return b.ratio(one, b.add(one, b.math(math.ExpOp, b.negate(x))))


def _short_logistic(b: ScalarBuilder, x: SSAValue, logit: Sequence[float]) -> SSAValue:
    """Write ``1 / (1 + e**-(x * p))`` for a result of 16 bits; ``p``: a polynomial of ``x**2``.

    logit: its coefficients, the constant first. They take the factor that makes a power of two of
    the exponential, which is an instruction less for each element.
    """
    *lower, last = (b.constant(-log2(e) * coefficient, x.type) for coefficient in logit)
    square, power = b.mul(x, x) if lower else x, last
    for coefficient in reversed(lower):
        power = b.fma(power, square, coefficient)
    one = b.constant(1, x.type)
    return b.short_ratio(one, b.add(one, b.near_power_of_two(b.mul(x, power))))


_NORMAL_LOGIT = (
    1.59552453,
    7.30191636e-2,
    -2.19726166e-4,
    -8.12086720e-5,
    5.22760505e-6,
    -1.47759809e-7,
    1.63383981e-9,
)
"""``ln(P / (1 - P))`` of the normal distribution ``P`` at ``x``, as ``x`` times a polynomial of
``x**2``: a minimax fit for ``x * P`` in halves, within 0.1 units in the last place of each. Beyond
the halves that are not zero the last coefficient lets it grow on. In bf16, which has smaller
numbers, it is within 0.02 units up to 4 in size, 0.4 at -5, and loses the value below -6, where
that is less than 6e-9; 1 + erf in fp32 loses it there, too.
"""

_TANH_LOGIT = (2 * sqrt(2 / pi), 2 * sqrt(2 / pi) * 0.044715)
"""The same of ``(1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2``, which is the logistic
function of twice what the hyperbolic tangent is of.
"""


def _softplus(b: ScalarBuilder, x: SSAValue) -> SSAValue:
    """Write ``ln(1 + e**x)`` so that no exponential overflows."""
    decay = b.math(math.ExpOp, b.negate(b.absolute(x)))
    return b.add(b.maximum(x, b.constant(0, x.type)), b.math(math.Log1pOp, decay))


def _affine(b: ScalarBuilder, x: SSAValue, factor: float, summand: float) -> SSAValue:
    return b.fma(x, b.constant(factor, x.type), b.constant(summand, x.type))


def _select_negative(b: ScalarBuilder, x: SSAValue, below: SSAValue) -> SSAValue:
    """Write ``below`` where ``x < 0``, else ``x``."""
    return b.select(b.compare("lt", x, b.constant(0, x.type)), below, x)


@irdl_op_definition
class ReluOp(UnaryOp):
    """``y = max(x, 0)``; NaN stays NaN."""

    name = "graph.relu"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return b.maximum(x, b.constant(0, x.type))

    def reference(self, *operands: Array) -> Array:
        return np.maximum(operands[0], 0)


@irdl_op_definition
class LeakyReluOp(FloatUnaryOp):
    """``y = x`` where ``x >= 0``, else ``alpha * x``."""

    name = "graph.leaky_relu"
    alpha = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return _select_negative(b, x, b.mul(x, b.constant(self.alpha.value.data, x.type)))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return np.where(x < 0, self.alpha.value.data * x, x)


@irdl_op_definition
class PreluOp(BinaryOp):
    """``y = a`` where ``a >= 0``, else ``a * b``: a leaky ReLU with a slope for each element."""

    name = "graph.prelu"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        x, slope = values
        return _select_negative(b, x, b.wrap(b.mul(x, slope), element_type(self.output)))

    def reference(self, *operands: Array) -> Array:
        x, slope = operands
        return np.where(x < 0, x * slope, x)


@irdl_op_definition
class EluOp(FloatUnaryOp):
    """``y = x`` where ``x >= 0``, else ``alpha * (e**x - 1)``."""

    name = "graph.elu"
    alpha = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        alpha = b.constant(self.alpha.value.data, x.type)
        return _select_negative(b, x, b.mul(alpha, b.math(math.ExpM1Op, x)))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return np.where(x < 0, self.alpha.value.data * np.expm1(x), x)


@irdl_op_definition
class SeluOp(FloatUnaryOp):
    """``y = gamma * x`` where ``x > 0``, else ``gamma * alpha * (e**x - 1)``."""

    name = "graph.selu"
    alpha = prop_def(FloatAttr)
    gamma = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        alpha = b.constant(self.alpha.value.data, x.type)
        bent = _select_negative(b, x, b.mul(alpha, b.math(math.ExpM1Op, x)))
        return b.mul(b.constant(self.gamma.value.data, x.type), bent)

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return self.gamma.value.data * np.where(x > 0, x, self.alpha.value.data * np.expm1(x))


@irdl_op_definition
class CeluOp(FloatUnaryOp):
    """``y = max(x, 0) + min(alpha * (e**(x / alpha) - 1), 0)``."""

    name = "graph.celu"
    alpha = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        zero, alpha = b.constant(0, x.type), b.constant(self.alpha.value.data, x.type)
        bent = b.mul(alpha, b.math(math.ExpM1Op, b.div(x, alpha)))
        return b.add(b.maximum(x, zero), b.minimum(bent, zero))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        alpha = self.alpha.value.data
        return np.maximum(x, 0) + np.minimum(alpha * np.expm1(x / alpha), 0)


@irdl_op_definition
class SigmoidOp(FloatUnaryOp):
    """``y = 1 / (1 + e**-x)``."""

    name = "graph.sigmoid"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return _logistic(b, x, element_type(self.x))

    def reference(self, *operands: Array) -> Array:
        return 1 / (1 + np.exp(-operands[0]))


@irdl_op_definition
class SiluOp(FloatUnaryOp):
    """``y = x / (1 + e**(-alpha * x))`` (SiLU, Swish)."""

    name = "graph.silu"
    alpha = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        alpha = self.alpha.value.data
        inner = x if alpha == 1 else b.mul(x, b.constant(alpha, x.type))
        return b.mul(x, _logistic(b, inner, element_type(self.x)))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return x / (1 + np.exp(-self.alpha.value.data * x))


@irdl_op_definition
class HardSigmoidOp(FloatUnaryOp):
    """``y = max(0, min(1, alpha * x + beta))``."""

    name = "graph.hard_sigmoid"
    alpha = prop_def(FloatAttr)
    beta = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return _clamp_to_unit(b, _affine(b, x, self.alpha.value.data, self.beta.value.data))

    def reference(self, *operands: Array) -> Array:
        return np.clip(self.alpha.value.data * operands[0] + self.beta.value.data, 0, 1)


@irdl_op_definition
class HardSwishOp(FloatUnaryOp):
    """``y = x * max(0, min(1, x / 6 + 1 / 2))``."""

    name = "graph.hard_swish"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return b.mul(x, _clamp_to_unit(b, _affine(b, x, 1 / 6, 0.5)))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return x * np.clip(x / 6 + 0.5, 0, 1)


@irdl_op_definition
class SoftplusOp(FloatUnaryOp):
    """``y = ln(1 + e**x)``."""

    name = "graph.softplus"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        return _softplus(b, *values)

    def reference(self, *operands: Array) -> Array:
        return np.logaddexp(0, operands[0])


@irdl_op_definition
class SoftsignOp(FloatUnaryOp):
    """``y = x / (1 + |x|)``."""

    name = "graph.softsign"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return b.div(x, b.add(b.constant(1, x.type), b.absolute(x)))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return x / (1 + np.abs(x))


@irdl_op_definition
class MishOp(FloatUnaryOp):
    """``y = x * tanh(ln(1 + e**x))``."""

    name = "graph.mish"

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        return b.mul(x, b.math(math.TanhOp, _softplus(b, x)))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return x * np.tanh(np.logaddexp(0, x))


@irdl_op_definition
class GeluOp(FloatUnaryOp):
    """``y = x / 2 * (1 + erf(x / sqrt(2)))``.

    ``tanh``: ``y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))`` instead.
    """

    name = "graph.gelu"
    tanh = opt_prop_def(UnitAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        element = element_type(self.x)
        if element_bytes(element) < _FULL_BYTES:
            logit = _NORMAL_LOGIT if self.tanh is None else _TANH_LOGIT
            return b.mul(x, _short_logistic(b, x, logit))
        if self.tanh is not None:
            cubic = b.mul(x, _affine(b, b.mul(x, x), 0.044715, 1))
            inner = b.mul(cubic, b.constant(_TANH_LOGIT[0], x.type))
            return b.mul(x, _logistic(b, inner, element))
        inner = b.math(math.ErfOp, b.mul(x, b.constant(sqrt(0.5), x.type)))
        half = b.mul(x, b.constant(0.5, x.type))
        return b.mul(half, b.add(inner, b.constant(1, x.type)))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        if self.tanh is None:
            return x / 2 * (1 + error_function(x / sqrt(2)))
        return x / 2 * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))


@irdl_op_definition
class ThresholdedReluOp(SteppedOp, FloatUnaryOp):
    """``y = x`` where ``x > alpha``, else 0 (also for NaN)."""

    name = "graph.thresholded_relu"
    alpha = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        above = b.compare("gt", x, b.constant(self.alpha.value.data, x.type))
        return b.select(above, x, b.constant(0, x.type))

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return np.where(x > self.alpha.value.data, x, 0)


@irdl_op_definition
class ShrinkOp(SteppedOp, FloatUnaryOp):
    """``y = x + bias`` where ``x < -threshold``, ``x - bias`` where ``x > threshold``, else 0."""

    name = "graph.shrink"
    bias = prop_def(FloatAttr)
    threshold = prop_def(FloatAttr)

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        bias = b.constant(self.bias.value.data, x.type)
        threshold = self.threshold.value.data
        below = b.compare("lt", x, b.constant(-threshold, x.type))
        above = b.compare("gt", x, b.constant(threshold, x.type))
        inside = b.select(above, b.sub(x, bias), b.constant(0, x.type))
        return b.select(below, b.add(x, bias), inside)

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        bias, threshold = self.bias.value.data, self.threshold.value.data
        return np.where(x < -threshold, x + bias, np.where(x > threshold, x - bias, 0))


OPERATIONS = [
    ReluOp,
    LeakyReluOp,
    PreluOp,
    EluOp,
    SeluOp,
    CeluOp,
    SigmoidOp,
    SiluOp,
    HardSigmoidOp,
    HardSwishOp,
    SoftplusOp,
    SoftsignOp,
    MishOp,
    GeluOp,
    ThresholdedReluOp,
    ShrinkOp,
]
