"""Zeros and ones as masks have them: of padding, of what comes later, of nothing at all."""

import numpy as np

from dlc.dialects.graph.structure import Array


def marks(generator: np.random.Generator, sizes: tuple[int, ...], empty: bool = False) -> Array:
    """Return 0 and 1; of two axes and more, each row along the last one in a way of its own.

    Any of both at each place; 1 up to some length (padding), or from some place on
    (``late_marks``); 1 up to the row's own place, the last row all of them (causal); and with
    ``empty`` no 1 at all. Rows without a 1 are no accident elsewhere: what a model makes of them
    may be NaN alone, which tells nothing.
    """
    tossed = generator.integers(0, 2, sizes)
    if len(sizes) < 2 or not tossed.size:
        return tossed
    *_, rows, columns = sizes
    places = np.arange(columns)
    lengths = generator.integers(1, columns, (*sizes[:-1], 1), endpoint=True)
    own = np.arange(rows)[:, None] + max(columns - rows, 0)
    tossed[..., 0] |= ~tossed.any(-1)
    late = late_marks(generator, sizes)
    ways = [tossed, places < lengths, late, places <= own, np.zeros(sizes, np.int64)]
    chosen = generator.integers(0, len(ways) if empty else len(ways) - 1, (*sizes[:-1], 1))
    return np.choose(chosen, [np.broadcast_to(way, sizes).astype(np.int64) for way in ways])


def late_marks(generator: np.random.Generator, sizes: tuple[int, ...]) -> Array:
    """Return 1 at the last places of each row, as many as a row's own length (padding before)."""
    if not sizes:
        return np.ones(sizes, np.int64)
    *rows, columns = sizes
    lengths = generator.integers(min(1, columns), columns, (*rows, 1), endpoint=True)
    return np.asarray(np.arange(columns) >= columns - lengths, np.int64)
