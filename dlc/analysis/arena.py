"""Places buffers with known lifetimes in one arena."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dlc.core.weights import Array

ALIGNMENT_BYTES = 256
"""Of every buffer; what vector loads, TMA and coalescing want at most."""


@dataclass(frozen=True)
class Buffer:
    """A buffer of ``bytes`` that must keep its contents from step ``first`` to ``last``.

    Steps may hold launches that need not come one after the other. users: those that touch it, and
    above: those that have ended when the first of them begins, as the bits of numbers. By default
    it is in use all through its steps.
    """

    bytes: int
    first: int
    last: int
    users: int = -1
    above: int = 0

    @property
    def room(self) -> int:
        """Its bytes, rounded up to the alignment."""
        return self.bytes + -self.bytes % ALIGNMENT_BYTES

    def meets(self, other: "Buffer") -> bool:
        """Return whether both must keep contents at some time."""
        together = self.first <= other.last and other.first <= self.last
        return together and not self.precedes(other) and not other.precedes(self)

    def precedes(self, other: "Buffer") -> bool:
        """Return whether all that touch it have ended when those of the other one begin."""
        return not self.users & ~other.above


@dataclass(frozen=True)
class Arena:
    """Byte offsets, one per buffer, and the bytes of the whole."""

    offsets: tuple[int, ...]
    bytes: int


def place(buffers: Sequence[Buffer]) -> Arena:
    """Return offsets such that buffers that live at the same time do not overlap.

    Each buffer in turn takes the smallest gap that holds it between those already placed; the turn
    is by size (largest first) or by time, whichever ends smaller. Finding the optimum is NP-hard;
    ``live_bytes`` is a lower bound of it.
    """
    numbers = range(len(buffers))
    by_size = sorted(numbers, key=lambda n: (-buffers[n].bytes, buffers[n].first))
    return min((_place(buffers, order) for order in (by_size, numbers)), key=lambda x: x.bytes)


def live_bytes(buffers: Sequence[Buffer]) -> int:
    """Return the most bytes that live at one step: no arena can be smaller."""
    steps = {b.first for b in buffers}
    return max((sum(b.room for b in buffers if b.first <= s <= b.last) for s in steps), default=0)


def _place(buffers: Sequence[Buffer], order: Sequence[int]) -> Arena:
    offsets = [0] * len(buffers)
    placed = _Placed(len(buffers))
    for number in order:
        offsets[number] = placed.add(buffers[number])
    ends = (offset + b.room for offset, b in zip(offsets, buffers, strict=True))
    return Arena(tuple(offsets), max(ends, default=0))


class _Placed:
    """The buffers that have a place: first step, last step, begin and end of each, by begin.

    They stand in one array, so that a buffer is compared with all of them at once: a model has tens
    of thousands of buffers, and a loop over pairs would take minutes.
    """

    def __init__(self, most: int):
        self._rows = np.zeros((4, most), np.int64)
        self._buffers: list[Buffer] = []

    def add(self, buffer: Buffer) -> int:
        """Place a buffer in the smallest gap that holds it, else behind all; return its offset."""
        count = len(self._buffers)
        rows = self._rows[:, :count]
        first, last, begin, end = rows
        meets = (first <= buffer.last) & (last >= buffer.first)
        if buffer.users >= 0:  # of these few it is asked more closely
            for number in np.flatnonzero(meets):
                meets[number] = buffer.meets(self._buffers[number])
        offset = _best_gap(begin[meets], end[meets], buffer.room)
        at = int(np.searchsorted(begin, offset))
        self._rows[:, at + 1 : count + 1] = rows[:, at:]
        self._rows[:, at] = buffer.first, buffer.last, offset, offset + buffer.room
        self._buffers.insert(at, buffer)
        return offset


def _best_gap(begins: Array, ends: Array, room: int) -> int:
    """Return the start of the smallest gap of ``room`` bytes or more, else the last of ``ends``.

    begins, ends: what is taken, by begin.
    """
    if not begins.size:
        return 0
    reached = np.maximum.accumulate(ends)
    before = np.concatenate([[0], reached[:-1]])
    gaps = begins - before
    fits = gaps >= room
    if not fits.any():
        return int(reached[-1])
    return int(before[np.argmin(np.where(fits, gaps, np.iinfo(np.int64).max))])
