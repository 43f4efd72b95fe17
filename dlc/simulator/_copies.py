"""Asynchronous copies: the data arrives when the thread waits for its group."""

from dataclasses import dataclass

import numpy as np

from dlc.simulator._buffer import Array
from dlc.simulator._faults import Site
from dlc.simulator._shared import Piece, SharedBuffer
from dlc.simulator._threads import Active, Batch, Booleans, Integers


@dataclass(frozen=True)
class _Copy:
    """Data under way: one row per thread, and the number of each thread's group."""

    buffer: SharedBuffer
    piece: Piece
    data: Array
    threads: Integers
    groups: Integers

    def part(self, rows: Booleans) -> "_Copy":
        piece = Piece(self.piece.elements[rows], self.piece.cells[rows])
        return _Copy(self.buffer, piece, self.data[rows], self.threads[rows], self.groups[rows])

    def finish(self) -> None:
        self.buffer.elements[self.piece.elements] = self.data
        shadow = self.buffer.memory.shadow
        if shadow is not None:
            shadow.finish_copy(self.threads, self.piece.cells)


class Copies:
    """The copies of a batch that nobody has waited for yet."""

    def __init__(self, batch: Batch):
        self.commits = np.zeros(batch.size, np.int64)
        self.under_way: list[_Copy] = []

    def start(self, site: Site, active: Active, buffer: SharedBuffer, first: Array, data: Array):
        """Start a copy of ``data``, active threads x elements, to ``first`` of each thread."""
        piece = buffer.locate(site, active, first, data.shape[1])
        shadow = buffer.memory.shadow
        if shadow is not None:
            shadow.begin_copy(site, active.threads, piece.cells)
        groups = self.commits[active.index].copy()
        self.under_way.append(_Copy(buffer, piece, data, active.threads, groups))

    def commit(self, active: Active) -> None:
        """Close each thread's group."""
        self.commits[active.index] += 1

    def wait(self, active: Active, outstanding: int) -> None:
        """Finish all groups of each thread but the last ``outstanding`` ones."""
        remaining: list[_Copy] = []
        for copy in self.under_way:
            done = active.mask[copy.threads]
            done &= copy.groups < self.commits[copy.threads] - outstanding
            if done.all():
                copy.finish()
            elif done.any():
                copy.part(done).finish()
                remaining.append(copy.part(~done))
            else:
                remaining.append(copy)
        self.under_way = remaining
