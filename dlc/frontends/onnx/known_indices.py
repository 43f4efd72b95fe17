"""Refuses indices that are known when compiling and name no place."""

from collections.abc import Callable, Iterator

import numpy as np
from xdsl.ir import SSAValue

from dlc.analysis.evaluation import evaluate, round_to
from dlc.dialects.graph.structure import Array, GraphOp, IndexLimits
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, element_count, shape
from dlc.option_text import option

MOST_ELEMENTS = 1 << 20
"""Indices are computed for this check where no tensor on their way is larger."""

Known = Callable[[SSAValue], Array | None]
"""Returns the elements of a constant, ``None`` for any other value."""


def check_known_indices(op: GraphOp, known: Known) -> None:
    """Raise CompileError for the first index of ``op`` that is known and outside of its axis."""
    for number, limits in op.index_limits.items():
        if not any(DYNAMIC in shape(value) for value in op.operands):
            indices = _computed(op.operands[number], known)
            if indices is not None:
                _check(indices, limits)


def _check(indices: Array, limits: IndexLimits) -> None:
    wrong = (indices < limits.least) | (indices > limits.largest)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        least, largest = (
            np.broadcast_to(x, indices.shape)[place] for x in (limits.least, limits.largest)
        )
        raise CompileError(
            f"index {indices[place]} names no place: it may be {least} to {largest}; "
            f"where it counts elements of an input, give a smaller size in {option('shape')}"
        )


def _computed(value: SSAValue, known: Known) -> Array | None:
    """Return the elements of a value that needs no input; ``None`` for others, and large ones."""
    found: dict[SSAValue, Array] = {}
    for here in _producers_first(value):
        if DYNAMIC in shape(here) or element_count(here) > MOST_ELEMENTS:
            return None
        array, op = known(here), here.owner
        if array is None and isinstance(op, GraphOp) and op.operands and len(op.results) == 1:
            array = round_to(evaluate(op, [found[x] for x in op.operands])[0], here.type)
        if array is None:
            return None
        found[here] = array
    return found[value]


def _producers_first(value: SSAValue) -> Iterator[SSAValue]:
    """Yield ``value`` last, everything that it is computed from before."""
    seen: set[SSAValue] = set()
    pending = [(value, False)]
    while pending:
        here, ready = pending.pop()
        if ready:
            yield here
        elif here not in seen:
            seen.add(here)
            pending.append((here, True))
            if isinstance(here.owner, GraphOp):
                pending.extend((x, False) for x in here.owner.operands)
