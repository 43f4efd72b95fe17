"""Between which values an integer input decides something: a length that is compared with places.

A mask of the places before a length is all true, or all false, for most integers. Found here is
between which it is neither, whatever the model makes of the length before it compares.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dlc.analysis.evaluation import constant_value, evaluate
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array, GraphOp, IndexLimits
from dlc.ir.tensor import element_count, element_type, numpy_dtype, shape

MOST_ELEMENTS = 1 << 18
"""What is made of an input before it is compared has no more than these: it is computed some fifty
times.
"""

MOST_BITS = 40
"""Longer lengths are not tried."""


@dataclass(frozen=True)
class MetRange:
    """The ends of a range of integers. allows: whether an array of them makes legal indices."""

    least: int
    largest: int
    allows: Callable[[Array], bool]


def met_range(
    main: FuncOp, argument: SSAValue, computed: Sequence[GraphOp], weights: WeightStore
) -> MetRange | None:
    """Return the range in which an argument of integers, the same everywhere, lets each comparison
    that it meets come out either way; ``None`` where it meets none.

    It meets an op that computes booleans of what is made of it, and constants of several values:
    places. A single value is a switch. computed: the ops with indices that are computed;
    those made of the argument must be legal, and made of nothing else, else there is no range.
    """
    made = _made_of(main, argument)
    values = [argument, *(x for op in made for x in op.results)]
    met, places = list(_met(values, weights)), _places(main, argument, computed)
    steps = _needed(made, [*(m.value for m in met), *(x for x, _ in places)])
    few = sum(element_count(x) for op in steps for x in op.results) <= MOST_ELEMENTS
    if not met or not few or any(x not in values for x, _ in places):
        return None
    run = _runner(argument, steps, weights)

    def is_legal(values: Mapping[SSAValue, Array]) -> bool:
        return all(((t.least <= values[x]) & (values[x] <= t.largest)).all() for x, t in places)

    def holds(number: int) -> bool:
        values = run(np.full(shape(argument), number))
        return is_legal(values) and all(m.is_beside(values) for m in met)

    limits = np.iinfo(numpy_dtype(element_type(argument)))
    signed = any(m.least < 0 for m in met)  # a length is not, though -1 / 2 is a place, too
    found = _range(holds, limits.min if signed else 0, limits.max)
    return MetRange(*found, lambda array: is_legal(run(array))) if found else None


def _places(
    main: FuncOp, argument: SSAValue, computed: Sequence[GraphOp]
) -> list[tuple[SSAValue, IndexLimits]]:
    """Return the indices of ``computed`` that depend on an argument, and what they may be."""
    reached = {argument}
    for op in main.body.block.ops:
        if any(x in reached for x in op.operands):
            reached.update(op.results)
    found = [(op.operands[n], limits) for op in computed for n, limits in op.index_limits.items()]
    return [(value, limits) for value, limits in found if value in reached]


@dataclass(frozen=True)
class _Met:
    """A value that is compared with constants from ``least`` to ``largest``."""

    value: SSAValue
    least: float
    largest: float

    def is_beside(self, values: Mapping[SSAValue, Array]) -> bool:
        """Return whether an element is among them, or one behind."""
        found = values[self.value]
        return bool(((self.least <= found) & (found <= self.largest + 1)).any())


def _made_of(main: FuncOp, argument: SSAValue) -> list[GraphOp]:
    """Return the ops that compute with an argument and constants alone, in order."""
    made: list[GraphOp] = []
    reached = {argument}
    for op in (op for op in main.body.block.ops if isinstance(op, GraphOp)):
        others = [x for x in op.operands if x not in reached]
        if len(others) < len(op.operands) and all(map(_is_constant, others)):
            made.append(op)
            reached.update(op.results)
    return made


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, GraphOp) and value.owner.is_constant


def _met(values: Sequence[SSAValue], weights: WeightStore) -> Iterator[_Met]:
    """Yield how ``values`` are compared with constants of several values."""
    users = dict.fromkeys(use.operation for x in values for use in x.uses)
    for op in users:
        if not isinstance(op, GraphOp) or element_type(op.results[0]) != i1 or op.moves_data:
            continue
        beside = [constant_value(x, weights) for x in op.operands if x not in values]
        for known in beside:
            if known is not None and known.dtype != np.bool_ and known.size > 1:
                least, largest = float(known.min()), float(known.max())
                if least < largest:
                    yield from (_Met(x, least, largest) for x in op.operands if x in values)


def _needed(ops: Sequence[GraphOp], values: Sequence[SSAValue]) -> list[GraphOp]:
    """Return those of ``ops`` that ``values`` are computed with, in order."""
    wanted, found = set(values), list[GraphOp]()
    for op in reversed(ops):
        if any(x in wanted for x in op.results):
            found.append(op)
            wanted.update(op.operands)
    return found[::-1]


def _runner(
    argument: SSAValue, steps: Sequence[GraphOp], weights: WeightStore
) -> Callable[[Array], Mapping[SSAValue, Array]]:
    """Return what gives the values of ``steps`` for an argument."""
    dtype = numpy_dtype(element_type(argument))
    known: dict[SSAValue, Array] = {}
    for x in (x for op in steps for x in op.operands):
        if (array := constant_value(x, weights)) is not None:
            known[x] = array

    def run(array: Array) -> Mapping[SSAValue, Array]:
        values = {**known, argument: array.astype(dtype)}
        for op in steps:
            results = evaluate(op, [values[x] for x in op.operands])
            values.update(zip(op.results, results, strict=True))
        return values

    return run


def _range(holds: Callable[[int], bool], least: int, largest: int) -> tuple[int, int] | None:
    """Return the ends of the range in which numbers hold, if a power of two or 0 does."""
    powers = [1 << bit for bit in range(MOST_BITS)]
    numbers = [*(-p for p in powers[::-1]), 0, *powers]
    tried = [x for x in numbers if least <= x <= largest]
    inside = [number for number, x in enumerate(tried) if holds(x)]
    if not inside:
        return None
    first, last = inside[0], inside[-1]
    before, behind = tried[max(first - 1, 0)], tried[min(last + 1, len(tried) - 1)]
    return _edge(holds, tried[first], before), _edge(holds, tried[last], behind)


def _edge(holds: Callable[[int], bool], inside: int, outside: int) -> int:
    """Return the last number that holds on the way from one that does to one that does not."""
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside
