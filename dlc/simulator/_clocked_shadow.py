"""Races in shared memory where tokens order threads: by what each thread knows of the others."""

from collections.abc import Callable

import numpy as np

from dlc.simulator._buffer import Array
from dlc.simulator._clocks import MADE, Clocks, Times
from dlc.simulator._faults import Site
from dlc.simulator._races import SharedShadow
from dlc.simulator._threads import Active, Batch, Integers


class ClockedShadow(SharedShadow):
    """Per cell: the time of the last write, and of the last read of every thread.

    write_column: whose time that is, in what threads know (``Clocks.known``): the thread's that
    wrote, or the counter's of the ``mbarrier`` object whose round a copy by the hardware ends.

    Whether two accesses are ordered does not depend on which of them was simulated first, nor on
    how the threads take turns.
    """

    def __init__(
        self,
        batch: Batch,
        cells: int,
        name: Callable[[int], str],
        of_one_block: bool,
        clocks: Clocks,
    ):
        super().__init__(batch, cells, name, of_one_block)
        self.clocks = clocks
        self.write_time = np.zeros(cells, np.int32)
        self.write_column = np.zeros(cells, np.int32)
        self._known_at_fence = np.zeros_like(clocks.known[:, : clocks.threads])
        self._row = np.full(cells, -1)
        self._rows_used = 0
        self._reads = np.zeros((0, clocks.threads), np.int32)

    @property
    def _group(self) -> Integers:
        return self.batch.cluster_slot

    def _stamp(self, threads: Integers, cells: Integers) -> None:
        self.write_time[cells] = self.clocks.time[threads]
        self.write_column[cells] = self.clocks.thread[threads]

    def make_objects(self, threads: Integers, cells: Integers) -> None:
        """Note that ``threads`` have made ``mbarrier`` objects there: a fence lets blocks of the
        cluster know of those that come before a thread's ``cluster_arrive``.
        """
        early = ~self.batch.has_arrived[threads]
        self.write_time[cells[early]] = MADE

    def finish_copy_at(self, times: Times, cells: Integers) -> None:
        """Note the end of copies, of as many threads as ``cells`` has rows, that these have done at
        such times of theirs.
        """
        self._arrived(cells, by_threads=True)
        self.write_time[cells] = times[:, None]

    def finish_copy_in(self, counter: int, round: int, cells: Integers) -> None:
        """Note the end of a copy by the hardware: who knows that this round of an object is over
        knows of it, and nobody else, not even who has started it.
        """
        self._arrived(cells, by_threads=False)
        self.write_column[cells], self.write_time[cells] = counter, round

    def _arrived(self, cells: Integers, by_threads: bool) -> None:
        self.pending[cells] = False
        self.initial[cells] = True
        self.hardware.wrote(cells, by_threads)

    def finish_reading(self, threads: Integers, cells: Integers) -> None:
        """Note that the threads have waited for the hardware; all lanes of their warps know it."""
        super().finish_reading(threads, cells)
        for thread in threads:
            _, row = self.clocks.release_alone(np.array([thread]))
            warp = np.flatnonzero(self.batch.warp == self.batch.warp[thread])
            self.clocks.acquire(warp, row)

    def fence(self, active: Active) -> None:
        """Let the hardware see what these threads wrote, and what they know that others wrote."""
        self._known_at_fence[active.index] = self.clocks.known[active.index, : self.clocks.threads]
        cells = self.hardware.written_by(active, self.writer)
        self.hardware.unfenced[cells] = False
        self.hardware.fence_times[:, cells] = self.clocks.time[self.writer[cells]]

    def _is_fenced(self, threads: Integers, cells: Integers) -> Array:
        writer, view = np.maximum(self.writer[cells], 0), self.hardware
        theirs = self.clocks.knows(threads, writer, view.fence_times[0][cells])
        known = self._known_at_fence[threads, self.clocks.thread[writer]]
        mine = known > self.write_time[cells]
        return (~view.unfenced[cells] & (theirs | (writer == threads))) | mine

    def _check_writer(self, site: Site, threads: Integers, cells: Integers, verb: str) -> None:
        copied = self.write_column[cells] >= self.clocks.threads
        other = copied | self._is_other(self.writer[cells], threads)
        if other.any():
            times = self.write_time[cells]
            unknown = other & (self.clocks.known[threads, self.write_column[cells]] <= times)
            self._check(site, threads[:, 0], cells, unknown & copied, verb + _AFTER_COPY)
            self._check(site, threads[:, 0], cells, unknown, verb + _AFTER_WRITE)

    def _check_readers(self, site: Site, threads: Integers, cells: Integers) -> None:
        known = self.clocks.known[threads[:, 0], : self.clocks.threads]
        known[np.arange(len(known)), self.clocks.thread[threads[:, 0]]] = np.iinfo(np.int32).max
        rows = self._rows(cells)
        unknown = self._reads[rows] > known[:, None, :]
        bad = np.asarray(unknown.any(axis=-1))
        if bad.any():
            row, column = np.argwhere(bad)[0]
            first = threads[row, 0] - self.clocks.thread[threads[row, 0]]
            self.first_reader[cells[row, column]] = first + np.argmax(unknown[row, column])
            self._check(site, threads[:, 0], cells, bad, _AFTER_READ)

    def _note_read(self, threads: Integers, cells: Integers) -> None:
        rows = self._rows(cells)
        self._reads[rows, self.clocks.thread[threads]] = self.clocks.time[threads] + 1

    def _rows(self, cells: Integers) -> Integers:
        """Return where the readers of cells are noted: only cells that are used have a row."""
        fresh = np.unique(cells[self._row[cells] < 0])
        if len(fresh):
            self._row[fresh] = np.arange(self._rows_used, self._rows_used + len(fresh))
            self._rows_used += len(fresh)
            if self._rows_used > len(self._reads):
                more = np.zeros((self._rows_used, self._reads.shape[1]), np.int32)
                self._reads = np.concatenate([self._reads, more])
        return self._row[cells]


_AFTER_WRITE = " {where}, which {writer} has written; nothing orders the two: a race"
_AFTER_COPY = " {where}, which a copy of {writer} has filled that it did not wait for: a race"
_AFTER_READ = "writes {where}, which {reader} has read; nothing orders the two: a race"


def shadow_of(
    batch: Batch, cells: int, name: Callable[[int], str], of_one_block: bool
) -> SharedShadow:
    """Return the shadow of so many cells for the way in which the threads of a batch run."""
    if batch.clocks is None:
        return SharedShadow(batch, cells, name, of_one_block)
    return ClockedShadow(batch, cells, name, of_one_block, batch.clocks)
