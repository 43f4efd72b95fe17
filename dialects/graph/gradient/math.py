"""Functions of one variable: the derivative of each."""

from collections.abc import Callable
from math import pi, sqrt

from xdsl.ir import SSAValue

from dlc.dialects.graph import math
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.elementwise import SignOp
from dlc.dialects.graph.gradient.elementwise import negated
from dlc.dialects.graph.gradient.rules import gradient_of
from dlc.dialects.graph.structure import GraphOp

Derivative = Callable[[Composer, SSAValue, SSAValue], SSAValue]
"""Writes ``f'(x)`` of ``x`` and ``y = f(x)``."""


@gradient_of(math.FloorOp, math.CeilOp, math.RoundOp, math.TruncOp, SignOp)
def _steps(op: GraphOp, g: Composer, dy: SSAValue, number: int) -> None:
    """0 everywhere but at the steps."""


def _one_plus(g: Composer, x: SSAValue) -> SSAValue:
    return g.add(x, g.like(1, x))


def _one_minus(g: Composer, x: SSAValue) -> SSAValue:
    return g.sub(g.like(1, x), x)


def _square(g: Composer, x: SSAValue) -> SSAValue:
    return g.mul(x, x)


def inverse(g: Composer, x: SSAValue) -> SSAValue:
    """Write ``1 / x``."""
    return g.div(g.like(1, x), x)


def _erf(g: Composer, x: SSAValue, y: SSAValue) -> SSAValue:
    return g.mul(g.like(2 / sqrt(pi), x), g.exp(negated(g, _square(g, x))))


def _acosh(g: Composer, x: SSAValue, y: SSAValue) -> SSAValue:
    return inverse(g, g.sqrt(g.sub(_square(g, x), g.like(1, x))))


_DERIVATIVES: dict[type[math.FunctionOp], Derivative] = {
    math.ExpOp: lambda g, x, y: y,
    math.LogOp: lambda g, x, y: inverse(g, x),
    math.SqrtOp: lambda g, x, y: g.div(g.like(0.5, y), y),
    math.SinOp: lambda g, x, y: g.insert(math.CosOp.make(x)),
    math.CosOp: lambda g, x, y: negated(g, g.insert(math.SinOp.make(x))),
    math.TanOp: lambda g, x, y: _one_plus(g, _square(g, y)),
    math.AsinOp: lambda g, x, y: inverse(g, g.sqrt(_one_minus(g, _square(g, x)))),
    math.AcosOp: lambda g, x, y: negated(g, inverse(g, g.sqrt(_one_minus(g, _square(g, x))))),
    math.AtanOp: lambda g, x, y: inverse(g, _one_plus(g, _square(g, x))),
    math.SinhOp: lambda g, x, y: g.insert(math.CoshOp.make(x)),
    math.CoshOp: lambda g, x, y: g.insert(math.SinhOp.make(x)),
    math.TanhOp: lambda g, x, y: _one_minus(g, _square(g, y)),
    math.AsinhOp: lambda g, x, y: inverse(g, g.sqrt(_one_plus(g, _square(g, x)))),
    math.AcoshOp: _acosh,
    math.AtanhOp: lambda g, x, y: inverse(g, _one_minus(g, _square(g, x))),
    math.ErfOp: _erf,
}


@gradient_of(*_DERIVATIVES)
def _function(op: math.FunctionOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.mul(dy, _DERIVATIVES[type(op)](g, op.x, op.output))
