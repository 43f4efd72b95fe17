"""Activation functions. What can be said by the result is: then the operand need not be kept."""

from math import pi, sqrt

from xdsl.ir import SSAValue

from dlc.dialects.graph import activation
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.gradient.elementwise import negated
from dlc.dialects.graph.gradient.math import inverse
from dlc.dialects.graph.gradient.rules import gradient_of
from dlc.dialects.graph.math import ErfOp, TanhOp


def _positive(g: Composer, x: SSAValue) -> SSAValue:
    return g.below(g.like(0, x), x)


def _sigmoid(g: Composer, x: SSAValue) -> SSAValue:
    return g.insert(activation.SigmoidOp.make(x))


def _scaled(g: Composer, factor: float, x: SSAValue) -> SSAValue:
    return x if factor == 1 else g.mul(x, g.like(factor, x))


def _shifted(g: Composer, x: SSAValue, summand: float) -> SSAValue:
    return g.add(x, g.like(summand, x))


def _inside(
    g: Composer, x: SSAValue, low: float, high: float, value: SSAValue, outside: SSAValue
) -> SSAValue:
    """Write ``value`` where ``low < x < high``, else ``outside``."""
    below_high = g.where(g.below(x, g.like(high, x)), value, outside)
    return g.where(g.below(g.like(low, x), x), below_high, outside)


@gradient_of(activation.ReluOp)
def _relu(op: activation.ReluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.where(_positive(g, op.output), dy, g.like(0, dy))


@gradient_of(activation.LeakyReluOp)
def _leaky_relu(op: activation.LeakyReluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.where(g.below(op.x, g.like(0, op.x)), _scaled(g, op.alpha.value.data, dy), dy)


@gradient_of(activation.PreluOp)
def _prelu(op: activation.PreluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``dy * b`` where ``a < 0``, else ``dy``; and ``dy * a`` there, else 0."""
    is_negative = g.below(op.lhs, g.like(0, op.lhs))
    if number:
        return g.where(is_negative, g.mul(dy, op.lhs), g.like(0, dy))
    return g.where(is_negative, g.mul(dy, op.rhs), dy)


@gradient_of(activation.EluOp)
def _elu(op: activation.EluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``alpha * e**x`` is ``y + alpha``."""
    bent = g.mul(dy, _shifted(g, op.output, op.alpha.value.data))
    return g.where(g.below(op.x, g.like(0, op.x)), bent, dy)


@gradient_of(activation.SeluOp)
def _selu(op: activation.SeluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    alpha, gamma = op.alpha.value.data, op.gamma.value.data
    bent = g.mul(dy, _shifted(g, op.output, alpha * gamma))
    return g.where(_positive(g, op.x), _scaled(g, gamma, dy), bent)


@gradient_of(activation.CeluOp)
def _celu(op: activation.CeluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    bent = g.mul(dy, g.exp(_scaled(g, 1 / op.alpha.value.data, op.x)))
    return g.where(g.below(op.x, g.like(0, op.x)), bent, dy)


@gradient_of(activation.SigmoidOp)
def _logistic(op: activation.SigmoidOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``dy * y * (1 - y)``."""
    return g.mul(dy, g.mul(op.output, g.sub(g.like(1, dy), op.output)))


@gradient_of(activation.SiluOp)
def _silu(op: activation.SiluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``s + alpha * y * (1 - s)`` with ``s = 1 / (1 + e**(-alpha * x))``."""
    alpha = op.alpha.value.data
    s = _sigmoid(g, _scaled(g, alpha, op.x))
    rest = g.mul(_scaled(g, alpha, op.output), g.sub(g.like(1, s), s))
    return g.mul(dy, g.add(s, rest))


@gradient_of(activation.HardSigmoidOp)
def _hard_sigmoid(op: activation.HardSigmoidOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    slope = _scaled(g, op.alpha.value.data, dy)
    return _inside(g, op.output, 0, 1, slope, g.like(0, dy))


@gradient_of(activation.HardSwishOp)
def _hard_swish(op: activation.HardSwishOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``x / 3 + 1 / 2`` between -3 and 3; 0 below, 1 above."""
    slope = g.mul(dy, _shifted(g, _scaled(g, 1 / 3, op.x), 0.5))
    flat = g.where(_positive(g, op.x), dy, g.like(0, dy))
    return _inside(g, op.x, -3, 3, slope, flat)


@gradient_of(activation.SoftplusOp)
def _softplus(op: activation.SoftplusOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.mul(dy, _sigmoid(g, op.x))


@gradient_of(activation.SoftsignOp)
def _softsign(op: activation.SoftsignOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``1 / (1 + |x|)**2``."""
    root = inverse(g, _shifted(g, g.absolute(op.x), 1))
    return g.mul(dy, g.mul(root, root))


@gradient_of(activation.MishOp)
def _mish(op: activation.MishOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``t + x * (1 - t**2) * s`` with ``t = tanh(ln(1 + e**x))`` and ``s = 1 / (1 + e**-x)``."""
    t = g.insert(TanhOp.make(g.insert(activation.SoftplusOp.make(op.x))))
    slope = g.mul(g.sub(g.like(1, t), g.mul(t, t)), _sigmoid(g, op.x))
    return g.mul(dy, g.add(t, g.mul(op.x, slope)))


@gradient_of(activation.GeluOp)
def _gelu(op: activation.GeluOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``P + x * P'`` with ``P`` the normal distribution, or what stands for it."""
    x = op.x
    if op.tanh is None:
        inner = g.insert(ErfOp.make(_scaled(g, sqrt(0.5), x)))
        density = g.exp(negated(g, _scaled(g, 0.5, g.mul(x, x))))
        slope = _scaled(g, 1 / sqrt(2 * pi), density)
    else:
        root, square = sqrt(2 / pi), g.mul(x, x)
        inner = g.mul(_scaled(g, root, x), _shifted(g, _scaled(g, 0.044715, square), 1))
        inner = g.insert(TanhOp.make(inner))
        outer = _shifted(g, _scaled(g, 3 * 0.044715, square), 1)
        slope = g.mul(g.sub(g.like(1, x), g.mul(inner, inner)), _scaled(g, root / 2, outer))
    share = _shifted(g, _scaled(g, 0.5, inner), 0.5)
    return g.mul(dy, g.add(share, g.mul(x, slope)))


@gradient_of(activation.ThresholdedReluOp)
def _thresholded_relu(
    op: activation.ThresholdedReluOp, g: Composer, dy: SSAValue, number: int
) -> SSAValue:
    return g.where(g.below(g.like(op.alpha.value.data, op.x), op.x), dy, g.like(0, dy))


@gradient_of(activation.ShrinkOp)
def _shrink(op: activation.ShrinkOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    threshold = op.threshold.value.data
    return g.where(g.below(g.like(threshold, op.x), g.absolute(op.x)), dy, g.like(0, dy))
