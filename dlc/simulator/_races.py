"""Shadow cells of what threads of a block share: undefined data, races, copies under way."""

from collections.abc import Callable

import numpy as np

from dlc.arch.fragments import WARP_LANES
from dlc.simulator._async_view import NEVER, READERS, AsyncView
from dlc.simulator._buffer import Array
from dlc.simulator._faults import Site
from dlc.simulator._threads import Active, Batch, Integers

NOBODY = -1
_LAST = np.iinfo(np.int32).max


class SharedShadow:
    """Per cell: whether it has a value, a copy or a store under way, the last writer and readers.

    Two accesses by different threads, one of them a write, need a barrier of the block in between,
    or one of the warp where both threads are of one warp. name: gives that of a cell. of_one_block:
    no other block touches the cells of a block.
    """

    def __init__(self, batch: Batch, cells: int, name: Callable[[int], str], of_one_block: bool):
        self.batch = batch
        self.of_one_block = of_one_block
        self.name = name
        self.initial = np.zeros(cells, np.bool_)
        self.pending = np.zeros(cells, np.bool_)
        self.writer = np.full(cells, NOBODY, np.int32)
        self.write_epochs = np.zeros((2, cells), np.int32)
        self.first_reader = np.zeros(cells, np.int32)
        self.last_reader = np.full(cells, NOBODY, np.int32)
        self.read_epochs = np.full((2, cells), NOBODY, np.int32)
        self.hardware = AsyncView(batch, cells)
        self._fences = np.full((2, batch.size), NOBODY, np.int32)

    def read(self, site: Site, active: Active, cells: Integers, atomic: bool = False) -> None:
        """Note a read of ``cells``, active threads x cells. atomic: it races with no read."""
        threads = active.threads[:, None]
        self._check(site, active.threads, cells, self.pending[cells], _PENDING)
        self._check(site, active.threads, cells, ~self.initial[cells], _UNDEFINED)
        self._check_writer(site, threads, cells, "reads")
        if not atomic:
            self._note_read(threads, cells)

    def write(self, site: Site, threads: Integers, cells: Integers) -> None:
        """Note a write of ``cells``, threads x cells; ``threads`` are positions in the batch."""
        self.begin_copy(site, threads, cells)
        self.finish_copy(threads, cells)

    def begin_copy(self, site: Site, threads: Integers, cells: Integers) -> None:
        """Note that a copy to ``cells`` begins; fail where it may overtake another access."""
        column = threads[:, None]
        self._check(site, threads, cells, self.pending[cells], _OVERTAKES)
        self._check(site, threads, cells, self.hardware.is_read(cells), _PINNED)
        self._check_writer(site, column, cells, "writes")
        self._check_readers(site, column, cells)
        self.writer[cells] = column
        at_once = self.writer[cells] != column
        self._check(site, threads, cells, at_once, _AT_ONCE)
        self._stamp(column, cells)
        self.pending[cells] = True

    def finish_copy(self, threads: Integers, cells: Integers) -> None:
        """Note that a copy has ended; its thread sees it, others after a barrier."""
        self.pending[cells] = False
        self.initial[cells] = True
        self.hardware.wrote(cells, by_threads=True)
        self._stamp(threads[:, None], cells)

    def begin_reading(self, site: Site, threads: Integers, cells: Integers, kind: int) -> None:
        """Note that the hardware begins to read ``cells``, threads x cells, for these threads; fail
        where it may not see what was written. kind: which of ``READERS`` it is.
        """
        column = threads[:, None]
        self._check(site, threads, cells, self.pending[cells], _PENDING)
        self._check(site, threads, cells, ~self.initial[cells], _UNDEFINED)
        self._check_writer(site, column, cells, "reads")
        unseen = (self.hardware.unfenced | (self.hardware.fence_times[0] != NEVER))[cells]
        if unseen.any():
            unseen &= ~self._is_fenced(column, cells)
            self._check(site, threads, cells, unseen, _UNFENCED.replace("{by}", READERS[kind]))
        self.hardware.begin_read(threads, cells, kind)

    def finish_reading(self, threads: Integers, cells: Integers) -> None:
        """Note that the threads have waited for the hardware."""
        self.hardware.finish_read(cells)
        self._note_read(threads[:, None], cells)

    def fence(self, active: Active) -> None:
        """Let the hardware see what these threads wrote, and what they know that others wrote."""
        threads = active.threads
        self._fences[:, threads] = self._epochs(threads)
        cells = self.hardware.written_by(active, self.writer)
        self.hardware.unfenced[cells] = False
        self.hardware.fence_times[:, cells] = self._epochs(self.writer[cells])

    def _is_fenced(self, threads: Integers, cells: Integers) -> Array:
        """Return where a fence stands between a write and its reader: of the writer, before the two
        met, or of the reader, after they met.
        """
        writer, view = self.writer[cells], self.hardware
        own = self._fences[:, threads]
        near = self._warp(writer) == self._warp(threads)
        block, warp = self._epochs(threads)
        theirs = (view.fence_times[0][cells] < block) | (near & (view.fence_times[1][cells] < warp))
        mine = (self.write_epochs[0][cells] < own[0]) | (
            near & (self.write_epochs[1][cells] < own[1])
        )
        return (~view.unfenced[cells] & (theirs | (writer == threads))) | mine

    def _epochs(self, threads: Array) -> tuple[Integers, Integers]:
        batch = self.batch
        block = batch.block_epoch[batch.block_slot[threads]]
        return block, batch.warp_epoch[batch.warp[threads]]

    def _is_other(self, writer: Array, threads: Integers) -> Array:
        """Return where another thread was the writer, of those that may know of each other."""
        other = (writer != NOBODY) & (writer != threads)
        if self.of_one_block:
            return other
        group = self._group
        return other & (group[np.maximum(writer, 0)] == group[threads])

    @property
    def _group(self) -> Integers:
        """For each thread the number of those that may know of each other: its block."""
        return self.batch.block_slot

    def _stamp(self, threads: Integers, cells: Integers) -> None:
        for epochs, now in zip(self.write_epochs, self._epochs(threads), strict=True):
            epochs[cells] = now

    def _warp(self, threads: Array) -> Array:
        return self.batch.warp[np.clip(threads, 0, self.batch.size - 1)]

    def _check_writer(self, site: Site, threads: Integers, cells: Integers, verb: str) -> None:
        writer = self.writer[cells]
        other = self._is_other(writer, threads)
        if not other.any():
            return
        block, warp = self._epochs(threads)
        ordered = (self.write_epochs[0][cells] < block) | (
            (self._warp(writer) == self._warp(threads)) & (self.write_epochs[1][cells] < warp)
        )
        self._check(site, threads[:, 0], cells, other & ~ordered, verb + _AFTER_WRITE)

    def _check_readers(self, site: Site, threads: Integers, cells: Integers) -> None:
        first, last = self.first_reader[cells], self.last_reader[cells]
        block, warp = self._epochs(threads)
        recent = self.read_epochs[0][cells] >= block
        other = (first != threads) | (last != threads)
        mine = self._warp(threads)
        near = (self._warp(first) == mine) & (self._warp(last) == mine)
        ordered = near & (self.read_epochs[1][cells] < warp)
        self._check(site, threads[:, 0], cells, recent & other & ~ordered, _AFTER_READ)

    def _note_read(self, threads: Integers, cells: Integers) -> None:
        block, warp = self._epochs(threads)
        mine = self._warp(threads)
        near = self._warp(self.first_reader[cells]) == mine
        near &= self._warp(self.last_reader[cells]) == mine
        old = (self.read_epochs[0][cells] < block) | (near & (self.read_epochs[1][cells] < warp))
        forgotten = cells[old]
        self.first_reader[forgotten] = _LAST
        self.last_reader[forgotten] = NOBODY
        readers = np.broadcast_to(threads, cells.shape).astype(np.int32)
        np.minimum.at(self.first_reader, cells, readers)
        np.maximum.at(self.last_reader, cells, readers)
        self.read_epochs[0][cells] = block
        self.read_epochs[1][cells] = warp

    def _check(
        self, site: Site, threads: Integers, cells: Integers, bad: Array, message: str
    ) -> None:
        if not bad.any():
            return
        row, column = np.argwhere(bad)[0]
        cell = cells[row, column]
        known = self.writer, self.first_reader, self.hardware.reader
        names = [self._lane(int(t[cell])) for t in known]
        text = message.format(
            where=self.name(int(cell)),
            writer=names[0],
            reader=names[1],
            reading=f"{READERS[self.hardware.kind[cell]]} of {names[2]}",
        )
        site.fail(self.batch, int(threads[row]), text)

    def _lane(self, thread: int) -> str:
        if not 0 <= thread < self.batch.size:
            return "nobody"
        number = int(self.batch.thread[thread])
        return f"thread {number} (warp {number // WARP_LANES})"


_PENDING = "reads {where}, which a copy of {writer} fills that was not waited for"
_UNDEFINED = "reads {where}, which nothing was written to"
_OVERTAKES = "writes {where}, which a copy of {writer} fills that was not waited for"
_PINNED = "writes {where}, which {reading} reads that was not waited for"
_UNFENCED = (
    "reads {where} by {by}, which sees nothing of what {writer} has written there: an "
    "async_fence is missing, or a barrier after it"
)
_AFTER_WRITE = " {where}, which {writer} has written since the last barrier: a race"
_AFTER_READ = "writes {where}, which {reader} has read since the last barrier: a race"
_AT_ONCE = "writes {where} together with {writer}: a race"
