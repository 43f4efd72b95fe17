"""Stores of tiles: they read shared memory until their thread waits for their group."""

from dataclasses import dataclass

import numpy as np

from dlc.simulator._async_view import STORE
from dlc.simulator._buffer import Array
from dlc.simulator._faults import Site
from dlc.simulator._shared import Piece, SharedBuffer
from dlc.simulator._threads import Active, Batch


@dataclass(frozen=True)
class _Store:
    """A tile that is being read. group: the number of its thread's group."""

    site: Site
    buffer: SharedBuffer
    piece: Piece
    thread: int
    group: int


class Stores:
    """The stores of a batch that nobody has waited for yet."""

    def __init__(self, batch: Batch):
        self.batch = batch
        self.commits = np.zeros(batch.size, np.int64)
        self.under_way: list[_Store] = []

    def start(self, site: Site, active: Active, buffer: SharedBuffer, piece: Piece) -> Array:
        """Note that tiles are read from now on; return what is in them."""
        shadow = buffer.memory.shadow
        if shadow is not None:
            shadow.begin_reading(site, active.threads, piece.cells, STORE)
        for row, thread in enumerate(active.threads):
            part = Piece(piece.elements[row : row + 1], piece.cells[row : row + 1])
            group = int(self.commits[thread])
            self.under_way.append(_Store(site, buffer, part, int(thread), group))
        return buffer.elements[piece.elements]

    def commit(self, active: Active) -> None:
        """Close each thread's group."""
        self.commits[active.index] += 1

    def wait(self, active: Active, outstanding: int) -> None:
        """Finish all groups of each thread but the last ``outstanding`` ones."""
        remaining: list[_Store] = []
        for store in self.under_way:
            open_groups = self.commits[store.thread] - outstanding
            if active.mask[store.thread] and store.group < open_groups:
                self._finish(store)
            else:
                remaining.append(store)
        self.under_way = remaining

    def _finish(self, store: _Store) -> None:
        shadow = store.buffer.memory.shadow
        if shadow is not None:
            shadow.finish_reading(np.array([store.thread]), store.piece.cells)

    def check_end(self) -> None:
        """Fail if a tile is still being read when all threads have ended."""
        for store in self.under_way:
            text = "starts a store that nobody waits for"
            store.site.fail(self.batch, store.thread, text)
