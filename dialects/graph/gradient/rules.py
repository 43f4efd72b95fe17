"""The registry of rules: of an op's result, what the gradient of an operand is."""

from collections.abc import Callable, Collection
from typing import TypeVar, cast

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import shape

OpT = TypeVar("OpT", bound=GraphOp)
Rule = Callable[[OpT, Composer, SSAValue, int], SSAValue | None]
"""Writes the gradient of operand ``number`` from that of the only result; ``None``: it is 0
everywhere. Of an operand that is broadcast it may have the shape of the result: ``gradient`` sums
what is repeated. Raises NoRuleError for what it does not know.
"""

_RULES: dict[type[GraphOp], Rule[GraphOp]] = {}


class NoRuleError(Exception):
    """Nobody knows the gradient of an op; the text says of which."""


def gradient_of(*kinds: type[OpT]) -> Callable[[Rule[OpT]], Rule[OpT]]:
    """Keep a rule for ops of some classes, and of those derived from them."""

    def keep(rule: Rule[OpT]) -> Rule[OpT]:
        for kind in kinds:
            _RULES[kind] = cast(Rule[GraphOp], rule)
        return rule

    return keep


def kinds() -> Collection[type[GraphOp]]:
    """Return the classes that have a rule of their own."""
    return _RULES.keys()


def rule_of(op: GraphOp) -> Rule[GraphOp] | None:
    """Return the rule of an op, if there is one: that of the nearest class."""
    return next((_RULES[kind] for kind in type(op).__mro__ if kind in _RULES), None)


def gradient(op: GraphOp, g: Composer, of_result: SSAValue, number: int) -> SSAValue | None:
    """Write the gradient of operand ``number`` from that of the only result, in the shape of the
    operand; ``None`` where it is 0 everywhere. Raises NoRuleError.
    """
    rule = rule_of(op)
    if rule is None or len(op.results) != 1:
        raise NoRuleError(op.name)
    found = rule(op, g, of_result, number)
    return None if found is None else summed_to(g, found, shape(op.operands[number]))


def summed_to(g: Composer, x: SSAValue, sizes: tuple[int, ...]) -> SSAValue:
    """Write the sum of ``x`` over the axes along which a tensor of these sizes was repeated."""
    old = shape(x)
    new = [1] * (len(old) - len(sizes)) + [*sizes]
    axes = [axis for axis, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    return g.reshape(g.sum(x, *axes) if axes else x, sizes)
