"""Places buffers with known lifetimes in one arena."""

from collections.abc import Sequence
from dataclasses import dataclass

ALIGNMENT_BYTES = 256
"""Of every buffer; what vector loads, TMA and coalescing want at most."""


@dataclass(frozen=True)
class Buffer:
    """A buffer of ``bytes`` that must keep its contents from step ``first`` to ``last``."""

    bytes: int
    first: int
    last: int

    @property
    def room(self) -> int:
        """Its bytes, rounded up to the alignment."""
        return self.bytes + -self.bytes % ALIGNMENT_BYTES

    def meets(self, other: "Buffer") -> bool:
        """Return whether both must keep contents at some step."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Arena:
    """Byte offsets, one per buffer, and the bytes of the whole."""

    offsets: tuple[int, ...]
    bytes: int


def place(buffers: Sequence[Buffer]) -> Arena:
    """Return offsets such that buffers that live at the same step do not overlap.

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
    placed: list[int] = []
    for number in order:
        here = buffers[number]
        taken = sorted(
            (offsets[n], offsets[n] + buffers[n].room) for n in placed if buffers[n].meets(here)
        )
        offsets[number] = _best_gap(taken, here.room)
        placed.append(number)
    ends = (offset + b.room for offset, b in zip(offsets, buffers, strict=True))
    return Arena(tuple(offsets), max(ends, default=0))


def _best_gap(taken: Sequence[tuple[int, int]], room: int) -> int:
    """Return the start of the smallest gap of ``room`` bytes or more, else the end of ``taken``."""
    gaps: list[tuple[int, int]] = []
    end = 0
    for start, stop in taken:
        if start - end >= room:
            gaps.append((start - end, end))
        end = max(end, stop)
    return min(gaps)[1] if gaps else end
