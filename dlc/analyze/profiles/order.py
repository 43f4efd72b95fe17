"""Two sequences side by side: which elements of one are which of the other."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.int32]


def aligned(scores: Sequence[Scores], count: int) -> list[tuple[int, int]]:
    """Return pairs of places, in order in both sequences, whose scores are most together.

    scores: for each element of the first sequence what a pair with each of the ``count`` elements
    of the second one counts; 0: they make no pair.
    """
    best = np.zeros((len(scores) + 1, count + 1), dtype=np.int32)
    for number, row in enumerate(scores):
        before = best[number]
        with_pair = np.where(row > 0, before[:-1] + row, 0)
        best[number + 1, 1:] = np.maximum.accumulate(np.maximum(before[1:], with_pair))
    return _pairs(best, scores)[::-1]


def _pairs(best: Scores, scores: Sequence[Scores]) -> list[tuple[int, int]]:
    """Return the pairs of the best way, from its end."""
    found: list[tuple[int, int]] = []
    first, second = best.shape[0] - 1, best.shape[1] - 1
    while first and second:
        here = best[first, second]
        if here == best[first - 1, second]:
            first -= 1
        elif here == best[first, second - 1]:
            second -= 1
        else:
            first, second = first - 1, second - 1
            found.append((first, second))
    return found
