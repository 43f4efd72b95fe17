"""What asynchronous hardware sees of shared memory: products of warpgroups, and stores of tiles,
read it until a wait, and see what threads have written there after a fence only.
"""

import numpy as np

from dlc.simulator._buffer import Array
from dlc.simulator._threads import Active, Batch, Booleans, Integers

NEVER = -1
READERS = ("a product", "a store of a tile")
PRODUCT, STORE = range(2)


class AsyncView:
    """Per cell: whether a thread has written it without a fence since, when that fence was, and how
    many operations under way read it; kind: which of ``READERS`` the last of these is.

    fenced: for each thread, when it came to its last fence. A time is that of the clock of the
    shadow that has the cells: epochs of the block and of the warp, or a vector clock's.
    """

    def __init__(self, batch: Batch, cells: int):
        self.batch = batch
        self.unfenced = np.zeros(cells, np.bool_)
        self.fence_times = np.full((2, cells), NEVER, np.int32)
        self.readers = np.zeros(cells, np.int32)
        self.reader = np.zeros(cells, np.int32)
        self.kind = np.zeros(cells, np.int8)

    def wrote(self, cells: Integers, by_threads: bool) -> None:
        """Note a write by threads, or by the hardware itself, which sees it without a fence."""
        self.unfenced[cells] = by_threads
        self.fence_times[:, cells] = NEVER

    def written_by(self, active: Active, writer: Array) -> Integers:
        """Return the cells that active threads have written and no fence has followed."""
        cells = np.flatnonzero(self.unfenced)
        return cells[active.mask[np.maximum(writer[cells], 0)]]

    def begin_read(self, threads: Integers, cells: Integers, kind: int) -> None:
        """Note that an operation of these threads, one for each row of ``cells``, may read them."""
        self.reader[cells] = threads[:, None]
        self.kind[cells] = kind
        np.add.at(self.readers, cells, 1)

    def finish_read(self, cells: Integers) -> None:
        """Note that it reads them no longer."""
        np.subtract.at(self.readers, cells, 1)

    def is_read(self, cells: Integers) -> Booleans:
        """Return which cells operations under way may read."""
        return self.readers[cells] > 0
