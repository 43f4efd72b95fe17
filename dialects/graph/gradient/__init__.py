"""Gradients of graph ops, written as graph ops.

Each file here has the rules of a family of ops; the pass ``graph-append-gradients`` puts them
together for a whole model.
"""

from dlc.dialects.graph.gradient import (
    activation,
    contraction,
    convolution,
    elementwise,
    math,
    movement,
    normalization,
    pooling,
    reduction,
)
from dlc.dialects.graph.gradient.rules import NoRuleError, gradient, kinds, rule_of

FAMILIES = [
    activation,
    contraction,
    convolution,
    elementwise,
    math,
    movement,
    normalization,
    pooling,
    reduction,
]
"""They have filled the registry when they were imported."""

__all__ = ["FAMILIES", "NoRuleError", "gradient", "kinds", "rule_of"]
