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
    copies of a batch, in the order in which they were started. promised: the time of each thread
    as of which an ``mbarrier`` object tells others that the data is there, -1 for none.
    """

    buffer: SharedBuffer
    piece: Piece
    data: Array
    threads: Integers
    groups: Integers
    number: int
    promised: Times

    def part(self, rows: Booleans) -> "_Copy":
        piece = Piece(self.piece.elements[rows], self.piece.cells[rows])
        own = self.threads[rows], self.groups[rows], self.number, self.promised[rows]
        return _Copy(self.buffer, piece, self.data[rows], *own)

    def promise(self, rows: Booleans, times: Times) -> None:
        """Note at which of their ``times`` threads arrived whose rows these are, the first time."""
        rows = rows & (self.promised < 0)
        self.promised[rows] = times[self.threads[rows]]

    def finish(self) -> None:
        """Let the data arrive: as of the time that was promised, else now."""
        self.buffer.elements[self.piece.elements] = self.data
        shadow, early = self.buffer.memory.shadow, self.promised >= 0
        if shadow is None:
            return
        if not isinstance(shadow, ClockedShadow):
            early = np.zeros_like(early)
        else:
            shadow.finish_copy_at(self.promised[early], self.piece.cells[early])
        shadow.finish_copy(self.threads[~early], self.piece.cells[~early])


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
        promised = np.full(active.count, -1, np.int32)
        copy = _Copy(buffer, piece, data, active.threads, groups, self.started, promised)
        self.under_way.append(copy)
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

    def promise(self, threads: Integers, times: Times) -> None:
        """Note that threads have arrived for all copies that they have started so far: others may
        know these as of their ``times``.
        """
        for copy in self.under_way:
            copy.promise(np.isin(copy.threads, threads), times)

    def finish_first(self, mask: Booleans, started: int) -> None:
        """Finish the copies of threads for which ``mask`` holds, of the first ``started`` ones."""
        self._finish(lambda copy: mask[copy.threads] & (copy.number < started))

    def _finish(self, chosen: Callable[[_Copy], Booleans]) -> None:
        remaining: list[_Copy] = []
        for copy in self.under_way:
            done = chosen(copy)
            if done.all():
                copy.finish()
            elif done.any():
                copy.part(done).finish()
                remaining.append(copy.part(~done))
            else:
                remaining.append(copy)
        self.under_way = remaining
