"""What threads of a block wait for: the ``mbarrier`` objects and numbered barriers of a batch."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dlc.simulator._buffer import Array
from dlc.simulator._clocked_shadow import ClockedShadow
from dlc.simulator._clocks import Clocks, Times
from dlc.simulator._copies import Copies
from dlc.simulator._faults import Site
from dlc.simulator._phases import Phases
from dlc.simulator._shared import Piece, SharedBuffer
from dlc.simulator._threads import Active, Batch, Booleans, Integers

Keys = Integers
"""Names the object that each active thread means: unique over the blocks of a batch."""


@dataclass(frozen=True)
class _BulkCopy:
    """A copy under way. thread: who started it."""

    site: Site
    buffer: SharedBuffer
    piece: Piece
    data: Array
    object: Phases
    bytes: int
    thread: int

    def finish(self, batch: Batch, copies: Copies) -> None:
        """Let the bytes arrive."""
        self.buffer.elements[self.piece.elements] = self.data
        shadow = self.buffer.memory.shadow
        if isinstance(shadow, ClockedShadow):
            shadow.finish_copy_in(self.object.counter, self.object.round, self.piece.cells)
        self.object.missing_bytes -= self.bytes
        self.object.end()


@dataclass(frozen=True)
class _CopiesArrival:
    """Threads that arrive when the copies are done that they have started so far.

    started: copies of the batch. knowledge: of what these have done.
    """

    site: Site
    threads: Integers
    object: Phases
    started: int
    knowledge: Times

    @property
    def thread(self) -> int:
        return int(self.threads[0])

    def finish(self, batch: Batch, copies: Copies) -> None:
        """Finish the copies and arrive."""
        mask = np.zeros(batch.size, np.bool_)
        mask[self.threads] = True
        copies.finish_first(mask, self.started)
        if len(self.threads) > self.object.missing:
            self.site.fail(batch, self.thread, f"arrives once too often: {self.object.lacks}")
        self.object.gather(self.knowledge)
        self.object.arrive(len(self.threads))


class Tokens:
    """changes: how often something has happened that others may wait for."""

    def __init__(self, batch: Batch, clocks: Clocks):
        self.batch = batch
        self.clocks = clocks
        self.changes = 0
        self.under_way: list[_BulkCopy | _CopiesArrival] = []
        self._objects: dict[int, Phases] = {}
        self._last: dict[int, _BulkCopy] = {}
        self._waits = np.zeros(batch.size, np.int64)

    def create(self, active: Active, keys: Keys, arrivals: int) -> None:
        """Make the objects of active threads anew."""
        for key, _ in _by_key(active, keys):
            self._objects[key] = Phases(arrivals, self.clocks.new_counter())

    def find(self, site: Site, active: Active, keys: Keys) -> Iterator[tuple[Phases, Integers]]:
        """Give each object with the active threads that mean it; fail where there is none."""
        for key, threads in _by_key(active, keys):
            if key not in self._objects:
                site.fail(self.batch, int(threads[0]), "uses an mbarrier that nobody initialised")
            yield self._objects[key], threads

    def arrive(self, site: Site, active: Active, keys: Keys, bytes: int) -> None:
        """Let active threads arrive at their objects, each expecting ``bytes``."""
        self.changes += 1
        for found, threads in self.find(site, active, keys):
            while len(threads):
                if not found.missing:
                    site.fail(self.batch, int(threads[0]), f"arrives once too often: {found.lacks}")
                now, threads = np.split(threads, [found.missing])
                found.gather(self.clocks.release(now))
                found.missing_bytes += bytes * len(now)
                found.arrive(len(now))

    def is_over(self, site: Site, active: Active, keys: Keys, parity: Integers) -> Booleans:
        """Return for each active thread whether the round of this parity is over."""
        over = np.zeros(active.count, np.bool_)
        for found, threads in self.find(site, active, keys):
            mine = np.isin(active.threads, threads)
            over[mine] = found.round % 2 != parity[mine]
        return over

    def acquire(self, site: Site, active: Active, keys: Keys, parity: Integers) -> None:
        """Let active threads know what those knew who ended the round that they waited for.

        Of the rounds of this parity it is the first that a thread does not know to be over, by its
        own waits or from others: the wait says no more.
        """
        for found, threads in self.find(site, active, keys):
            rounds = self.clocks.known[threads, found.counter] - 1
            rounds += rounds % 2 != parity[np.isin(active.threads, threads)]
            self.clocks.known[threads, found.counter] = rounds + 1
            for round in np.unique(rounds[rounds >= 0]):
                self.clocks.acquire(threads[rounds == round], found.released[int(round)])

    def start_copy(
        self,
        site: Site,
        active: Active,
        keys: Keys,
        buffer: SharedBuffer,
        piece: Piece,
        data: Array,
    ) -> None:
        """Start a bulk copy of each active thread: a row of ``data`` to its row of ``piece``."""
        shadow = buffer.memory.shadow
        if shadow is not None:
            shadow.begin_copy(site, active.threads, piece.cells)
        bytes = data.shape[1] * data.itemsize
        for found, threads in self.find(site, active, keys):
            for thread in threads:
                row = active.threads == thread
                _, knowledge = self.clocks.release_alone(np.array([thread]))
                found.gather(knowledge)
                part = Piece(piece.elements[row], piece.cells[row])
                copy = _BulkCopy(site, buffer, part, data[row], found, bytes, int(thread))
                self.under_way.append(copy)
                self._last[found.counter] = copy

    def arrive_after_copies(self, site: Site, active: Active, keys: Keys, copies: Copies) -> None:
        """Let active threads arrive at their objects when their copies are done."""
        for found, threads in self.find(site, active, keys):
            _, knowledge = self.clocks.release_alone(threads)
            copies.promise(threads, self.clocks.time - 1)
            self.under_way.append(_CopiesArrival(site, threads, found, copies.started, knowledge))

    def deliver(self, copies: Copies) -> bool:
        """Finish the copies under way that arrive somewhere; return whether there were any."""
        finishing, self.under_way = self.under_way, []
        for one in finishing:
            one.finish(self.batch, copies)
        self.changes += bool(finishing)
        return bool(finishing)

    def check_end(self) -> None:
        """Fail if a copy is still under way when all threads have ended, or if more bytes came than
        were expected: a wait for them may have been over too early.
        """
        for copy in self.under_way:
            copy.site.fail(self.batch, copy.thread, "starts a copy that nobody waits for")
        for copy in self._last.values():
            if copy.object.missing_bytes < 0:
                text = f"moves {-copy.object.missing_bytes} bytes more than the mbarrier expects"
                copy.site.fail(self.batch, copy.thread, text)

    def meet(self, site: Site, active: Active, keys: Keys, threads: int) -> None:
        """Let active threads arrive at numbered barriers of so many ``threads``, and note the round
        that each may wait for.
        """
        for key, who in _by_key(active, keys):
            found = self._objects.setdefault(key, Phases(threads))
            if found.arrivals != threads:
                text = f"comes to a barrier for {threads} threads, others for {found.arrivals}"
                site.fail(self.batch, int(who[0]), text)
            if len(who) > found.missing:
                site.fail(self.batch, int(who[0]), f"is one too many: {found.lacks}")
            self._waits[who] = found.round
        self.arrive(site, active, keys, 0)

    def has_met(self, site: Site, active: Active, keys: Keys) -> Booleans:
        """Return for each active thread whether the round is over in which it arrived."""
        over = np.zeros(active.count, np.bool_)
        for found, threads in self.find(site, active, keys):
            over[np.isin(active.threads, threads)] = found.round > self._waits[threads]
        return over

    def leave(self, site: Site, active: Active, keys: Keys) -> None:
        """Let active threads know what the others knew who came to that round."""
        for found, threads in self.find(site, active, keys):
            for round in np.unique(self._waits[threads]):
                mine = threads[self._waits[threads] == round]
                self.clocks.acquire(mine, found.released[int(round)])


def _by_key(active: Active, keys: Keys) -> Iterator[tuple[int, Integers]]:
    for key in np.unique(keys):
        yield int(key), active.threads[keys == key]
