"""Patterns of small graphs, for recognising what an exporter has taken apart.

A pattern is a value: build it from ``Variable``, ``Number``, ``Apply`` and ``Either``. The same
object at two places of a pattern must match the same tensor.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation, SSAValue

from dlc.dialects.graph.structure import GraphOp

TOLERANCE = 1e-3
"""Exporters round constants such as sqrt(2) to a few digits, at worst to those of float16."""


class Pattern:
    """Anything that a tensor can match; compared by identity."""


@dataclass(frozen=True, eq=False)
class Variable(Pattern):
    """Matches any tensor."""


@dataclass(frozen=True, eq=False)
class Number(Pattern):
    """Matches a constant all of whose elements are ``value``; any value for ``None``."""

    value: float | None = None


@dataclass(frozen=True, eq=False)
class Apply(Pattern):
    """Matches the result of an op of class ``op`` on operands that match, in any order if it
    ``commutes``.
    """

    op: type[GraphOp]
    operands: Sequence[Pattern]
    commutes: bool = False


@dataclass(frozen=True, eq=False)
class Either(Pattern):
    """Matches what one of several patterns matches."""

    choices: Sequence[Pattern] = field(default_factory=tuple)


Bindings = Mapping[Pattern, SSAValue]
"""The tensor that each part of a pattern has matched."""


@dataclass(frozen=True)
class Form:
    """A small graph that equals one op. build: makes the op from the bindings and the matched
    root, or returns ``None`` where axes or shapes do not fit.
    """

    pattern: Apply
    build: Callable[[Bindings, GraphOp], GraphOp | None]


def matches(pattern: Pattern, value: SSAValue, known: Bindings) -> Iterator[Bindings]:
    """Yield every way in which ``value`` matches, each with what the parts have matched."""
    if pattern in known:
        if known[pattern] is value:
            yield known
        return
    extended = {**known, pattern: value}
    match pattern:
        case Either():
            for choice in pattern.choices:
                for found in matches(choice, value, known):
                    yield {**found, pattern: value}
        case Apply():
            owner = value.owner
            if isinstance(owner, pattern.op):
                yield from _match_operands(pattern, owner, extended)
        case Number():
            number = constant_number(value)
            if number is not None and _equal(number, pattern.value):
                yield extended
        case _:
            yield extended


def _match_operands(pattern: Apply, op: Operation, known: Bindings) -> Iterator[Bindings]:
    orders = [list(op.operands)]
    if pattern.commutes:
        orders.append(orders[0][::-1])
    for operands in orders:
        if len(operands) == len(pattern.operands):
            yield from _match_all(list(zip(pattern.operands, operands, strict=True)), known)


def _match_all(pairs: Sequence[tuple[Pattern, SSAValue]], known: Bindings) -> Iterator[Bindings]:
    if not pairs:
        yield known
        return
    (pattern, value), *rest = pairs
    for found in matches(pattern, value, known):
        yield from _match_all(rest, found)


def constant_number(value: SSAValue) -> float | None:
    """Return the one value of all elements of a constant in the IR, else ``None``."""
    owner = value.owner
    if not isinstance(owner, GraphOp) or not owner.is_constant or "value" not in owner.properties:
        return None
    array = np.asarray(owner.reference(), np.float64)
    return float(array.flat[0]) if array.size and np.all(array == array.flat[0]) else None


def _equal(number: float, wanted: float | None) -> bool:
    return wanted is None or abs(number - wanted) <= TOLERANCE * abs(wanted)
