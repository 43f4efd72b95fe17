"""Asynchronous copies: the data arrives when the thread waits for its group, or when its copies
arrive at an ``mbarrier`` object.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dlc.simulator._buffer import Array
from dlc.simulator._clocked_shadow import ClockedShadow
from dlc.simulator._clocks import Times
from dlc.simulator._faults import Site
from dlc.simulator._shared import Piece, SharedBuffer
from dlc.simulator._threads import Active, Batch, Booleans, Integers


@dataclass(frozen=True)
class _Copy:
    """Data under way: one row per thread, and the number of each thread's group. number: of the
    copies of a batch, in the order in which they were started.
    """

    buffer: SharedBuffer
    piece: Piece
    data: Array
    threads: Integers
    groups: Integers
    number: int

    def part(self, rows: Booleans) -> "_Copy":
        piece = Piece(self.piece.elements[rows], self.piece.cells[rows])
        own = self.threads[rows], self.groups[rows], self.number
        return _Copy(self.buffer, piece, self.data[rows], *own)

    def finish(self, times: Times | None = None) -> None:
        """times: of all threads, when they were to see the copies done; now if absent."""
        self.buffer.elements[self.piece.elements] = self.data
        shadow = self.buffer.memory.shadow
        if times is not None and isinstance(shadow, ClockedShadow):
            shadow.finish_copy_at(times[self.threads], self.piece.cells, by_threads=True)
        elif shadow is not None:
            shadow.finish_copy(self.threads, self.piece.cells)


class Copies:
    """The copies of a batch that nobody has waited for yet."""

    def __init__(self, batch: Batch):
        self.commits = np.zeros(batch.size, np.int64)
        self.under_way: list[_Copy] = []
        self.started = 0

    def start(self, site: Site, active: Active, buffer: SharedBuffer, first: Array, data: Array):
        """Start a copy of ``data``, active threads x elements, to ``first`` of each thread."""
        piece = buffer.locate(site, active, first, data.shape[1])
        shadow = buffer.memory.shadow
        if shadow is not None:
            shadow.begin_copy(site, active.threads, piece.cells)
        groups = self.commits[active.index].copy()
        self.under_way.append(_Copy(buffer, piece, data, active.threads, groups, self.started))
        self.started += 1

    def commit(self, active: Active) -> None:
        """Close each thread's group."""
        self.commits[active.index] += 1

    def wait(self, active: Active, outstanding: int) -> None:
        """Finish all groups of each thread but the last ``outstanding`` ones."""
        self._finish(
            lambda copy: (
                active.mask[copy.threads] & (copy.groups < self.commits[copy.threads] - outstanding)
            )
        )

    def finish_first(self, mask: Booleans, started: int, times: Times) -> None:
        """Finish the copies of threads for which ``mask`` holds, of the first ``started`` ones, as
        of their ``times``.
        """
        self._finish(lambda copy: mask[copy.threads] & (copy.number < started), times)

    def _finish(self, chosen: Callable[[_Copy], Booleans], times: Times | None = None) -> None:
        remaining: list[_Copy] = []
        for copy in self.under_way:
            done = chosen(copy)
            if done.all():
                copy.finish(times)
            elif done.any():
                copy.part(done).finish(times)
                remaining.append(copy.part(~done))
            else:
                remaining.append(copy)
        self.under_way = remaining
