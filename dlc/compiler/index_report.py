"""What a model asks of the integers that it is given as indices, as plain data for its report."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main, input_names
from dlc.analysis.index_bounds import computed_indices, index_bounds
from dlc.compiler.outcome import Report
from dlc.core.locations import origin_text
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import GraphOp

Run = tuple[int, int, int]
"""Some elements of a tensor by their numbers in row-major order: first, end, step."""


def describe_indices(model: ModuleOp, weights: WeightStore) -> Report:
    """Return ``indices``: what each element of an input that names a place may be, and
    ``computed_indices``: the nodes whose indices are made in the model.

    model: the imported graph.
    """
    main = find_main(model)
    names = input_names(main)
    indices = {
        (bound.argument, bound.least, bound.largest, tuple(runs(bound.elements))): bound.op
        for bound in reversed(index_bounds(main, weights))
    }
    return {
        "indices": [
            {
                "input": names[argument],
                "elements": elements,
                "least": least,
                "largest": largest,
                "node": _node(op),
            }
            for (argument, least, largest, elements), op in reversed(indices.items())
        ],
        "computed_indices": list(dict.fromkeys(map(_node, computed_indices(main, weights)))),
    }


def _node(op: GraphOp) -> str:
    return origin_text(op.location) or op.name


def runs(numbers: NDArray[np.int64]) -> Sequence[Run]:
    """Return ascending numbers as runs of equal steps."""
    found: list[Run] = []
    steps, at = np.diff(numbers), 0
    changes = [*np.flatnonzero(np.diff(steps)).tolist(), len(steps) - 1]
    for last in changes:
        if last < at:  # the step between two runs
            continue
        found.append((int(numbers[at]), int(numbers[last + 1]) + 1, int(steps[at])))
        at = last + 2
    found.extend((n, n + 1, 1) for n in numbers[at:].tolist())
    return found
