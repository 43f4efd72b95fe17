"""The activation functions of recurrent cells, by the names that ONNX gives them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from dlc.dialects.graph.activation import (
    EluOp,
    HardSigmoidOp,
    LeakyReluOp,
    ReluOp,
    SigmoidOp,
    SoftplusOp,
    SoftsignOp,
    ThresholdedReluOp,
)
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.math import TanhOp
from dlc.dialects.graph.properties import number
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError


@dataclass(frozen=True)
class CellActivation:
    """A function with two parameters, written as graph ops and as numpy. alpha, beta: what they are
    where a model does not say it; ``None`` for one that the function has not.
    """

    write: Callable[[Composer, SSAValue, float, float], SSAValue]
    reference: Callable[[Array, float, float], Array]
    alpha: float | None = None
    beta: float | None = None


def _affine(g: Composer, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return g.add(g.mul(x, g.like(alpha, x)), g.like(beta, x))


def _scaled_tanh(g: Composer, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return g.mul(g.insert(TanhOp.make(g.mul(x, g.like(beta, x)))), g.like(alpha, x))


_ACTIVATIONS = {
    "sigmoid": CellActivation(
        lambda g, x, a, b: g.insert(SigmoidOp.make(x)), lambda x, a, b: 1 / (1 + np.exp(-x))
    ),
    "tanh": CellActivation(lambda g, x, a, b: g.insert(TanhOp.make(x)), lambda x, a, b: np.tanh(x)),
    "relu": CellActivation(
        lambda g, x, a, b: g.insert(ReluOp.make(x)), lambda x, a, b: np.maximum(x, 0)
    ),
    "hardsigmoid": CellActivation(
        lambda g, x, a, b: g.insert(HardSigmoidOp.make(x, alpha=number(a), beta=number(b))),
        lambda x, a, b: np.clip(a * x + b, 0, 1),
        0.2,
        0.5,
    ),
    "leakyrelu": CellActivation(
        lambda g, x, a, b: g.insert(LeakyReluOp.make(x, alpha=number(a))),
        lambda x, a, b: np.where(x < 0, a * x, x),
        0.01,
    ),
    "thresholdedrelu": CellActivation(
        lambda g, x, a, b: g.insert(ThresholdedReluOp.make(x, alpha=number(a))),
        lambda x, a, b: np.where(x > a, x, 0),
        1.0,
    ),
    "elu": CellActivation(
        lambda g, x, a, b: g.insert(EluOp.make(x, alpha=number(a))),
        lambda x, a, b: np.where(x < 0, a * np.expm1(x), x),
        1.0,
    ),
    "softsign": CellActivation(
        lambda g, x, a, b: g.insert(SoftsignOp.make(x)), lambda x, a, b: x / (1 + np.abs(x))
    ),
    "softplus": CellActivation(
        lambda g, x, a, b: g.insert(SoftplusOp.make(x)), lambda x, a, b: np.logaddexp(x, 0)
    ),
    "affine": CellActivation(_affine, lambda x, a, b: a * x + b, 1.0, 0.0),
    "scaledtanh": CellActivation(_scaled_tanh, lambda x, a, b: a * np.tanh(b * x), 1.0, 1.0),
}


def cell_activation(name: str) -> CellActivation:
    """Return the activation of a name, upper and lower case alike.

    Raises CompileError for an unknown one.
    """
    found = _ACTIVATIONS.get(name.lower())
    if found is None:
        known = ", ".join(_ACTIVATIONS)
        raise CompileError(f"activation {name!r} is none of {known} (in upper or lower case)")
    return found
