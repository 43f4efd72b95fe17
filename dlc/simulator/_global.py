"""Global memory, and which block wrote or read each element of it."""

from collections.abc import Iterator

import numpy as np

from dlc.simulator._buffer import (
    Array,
    AtomicBuffer,
    First,
    check_alignment,
    one_per_thread,
)
from dlc.simulator._clocked_shadow import ClockedShadow, shadow_of
from dlc.simulator._faults import Site
from dlc.simulator._races import SharedShadow
from dlc.simulator._threads import Active, Batch, Integers

NOBODY = -1
SEVERAL = -2


class Grid:
    """What the blocks of a launch know of each other.

    A thread's writes can be seen by another block once the thread, or another one that it has met
    at a barrier since, has passed a fence, the block has then made an atomic access, and the other
    block has passed a fence behind an atomic access of its own (the pattern of the last block that
    arrives; fences are cumulative, PTX ISA, "Causality order").
    Blocks of a cluster also meet at barriers, which a buffer's ``block_shadow`` follows, and those
    of the grid at others, behind which nothing before matters. clusters: the first block of each
    block's cluster.
    """

    def __init__(self, clusters: Integers, threads: int, has_fences: bool):
        blocks = len(clusters)
        self.clusters = clusters
        self.threads = threads
        self.fences = np.zeros(blocks * threads if has_fences else 1, np.int64)
        self.has_fences = has_fences
        self.asked = np.zeros(blocks, np.bool_)
        self.acquired = np.zeros(blocks, np.bool_)
        self.met = np.zeros(blocks, np.int64)
        self.released = np.zeros(blocks, np.int64)
        self.announced = np.zeros(blocks, np.int64)

    def number(self, batch: Batch, active: Active) -> Integers:
        """Return the numbers of the active threads in the grid."""
        return (batch.block * self.threads + batch.thread)[active.index]

    def pass_fence(self, batch: Batch, active: Active) -> None:
        """What the active threads have written can be seen by the whole device, and by their blocks
        what was announced before an atomic access of theirs.
        """
        self.fences[self.number(batch, active)] += 1
        blocks = batch.block[active.index]
        self.released[blocks] = self.met[blocks]
        self.acquired[blocks] = self.asked[blocks]

    def pass_atomic(self, batch: Batch, active: Active) -> None:
        """What fences of the blocks of the active threads cover is announced to others."""
        blocks = batch.block[active.index]
        self.asked[blocks] = True
        self.announced[blocks] = self.released[blocks]

    def meet(self, batch: Batch, active: Active) -> None:
        """All threads of the blocks of the active ones have met."""
        self.met[np.unique(batch.block[active.index])] += 1

    def stamp(self, thread: Integers) -> Integers:
        """Return how many fences threads have passed."""
        return self.fences[thread] if self.has_fences else np.zeros(thread.shape, np.int64)


class GlobalBuffer(AtomicBuffer):
    """One array of a launch. written: whether the kernel may write it.

    initial: whether its elements have values before the launch. exchanged: whether the kernel also
    reads what it writes there, so that the threads of a block may race. constant: whether no launch
    writes it, so that a thread may read it before it has waited for those before its own.
    """

    def __init__(
        self,
        name: str,
        data: Array,
        written: bool,
        initial: bool,
        checks: bool,
        exchanged: bool = False,
        constant: bool = False,
    ):
        super().__init__(data.dtype)
        self.name = name
        self.data = data.reshape(-1)
        self.written = written
        self.constant = constant
        self.shadow = _Shadow(self, initial) if checks and written else None
        self.exchanged = exchanged
        self.block_shadow: SharedShadow | None = None
        self.batch: Batch
        self.grid: Grid

    def enter(self, batch: Batch, grid: Grid) -> None:
        """Go on with the threads of another batch."""
        self.batch, self.grid = batch, grid
        if self.exchanged and self.shadow is not None:
            self.block_shadow = shadow_of(batch, self.data.size, self._element, of_one_block=False)
            self.block_shadow.initial[:] = True  # that is looked after for all blocks together

    def pass_grid_barrier(self) -> None:
        """All threads of the launch have met: what comes now is behind all that came before."""
        if self.shadow is not None:
            self.shadow.forget()

    def _element(self, number: int) -> str:
        return f"element {number} of {self.name}"

    def is_defined(self) -> Array:
        """Return for each element whether it has a value, as far as that is known."""
        return np.ones(self.data.shape, np.bool_) if self.shadow is None else self.shadow.initial

    def locate(self, site: Site, active: Active, first: First, count: int) -> Integers:
        """Return the positions of all elements: active threads x count."""
        start = one_per_thread(first, active)
        if count > 1:
            size = self.dtype.itemsize
            check_alignment(self.batch, site, active, start * size, count * size, self.name)
        return start[:, None] + np.arange(count)

    def read(self, site: Site, active: Active, first: First, count: int) -> Array:
        self._check_waited(site, active)
        place = self.locate(site, active, first, count)
        if self.shadow is not None:
            self.shadow.read(site, active, place)
        if self.block_shadow is not None:
            self.block_shadow.read(site, active, place)
        return self.data[place]

    def write(self, site: Site, active: Active, first: First, values: Array) -> None:
        self._check_waited(site, active)
        place = self.locate(site, active, first, values.shape[1])
        if not self.written:
            site.fail(self.batch, active.threads[0], f"writes {self.name}, an input")
        if self.shadow is not None:
            self.shadow.write(site, active, place)
        if self.block_shadow is not None:
            self.block_shadow.write(site, active.threads, place)
        self.data[place] = values

    def read_inside(self, site: Site, active: Active, place: Integers, inside: Array) -> Array:
        """Return the elements at ``place``, active threads x elements; zero where not inside."""
        self._check_waited(site, active)
        data = np.zeros(place.shape, self.dtype)
        for row, one in enumerate(_each(active)):
            mine = inside[row]
            at = place[row, mine][None, :]
            if self.shadow is not None and mine.any():
                self.shadow.read(site, one, at)
            if self.block_shadow is not None and mine.any():
                self.block_shadow.read(site, one, at)
            data[row, mine] = self.data[at[0]]
        return data

    def write_inside(
        self, site: Site, active: Active, place: Integers, inside: Array, data: Array
    ) -> None:
        """Store elements at ``place``, active threads x elements, where they are inside."""
        self._check_waited(site, active)
        if not self.written:
            site.fail(self.batch, active.threads[0], f"writes {self.name}, an input")
        for row, one in enumerate(_each(active)):
            mine = inside[row]
            at = place[row, mine][None, :]
            if self.shadow is not None and mine.any():
                self.shadow.write(site, one, at)
            if self.block_shadow is not None and mine.any():
                self.block_shadow.write(site, one.threads, at)
            self.data[at[0]] = data[row, mine]

    def atomic_add(self, site: Site, active: Active, first: First, values: Array) -> Array:
        self._check_waited(site, active)
        place = self.locate(site, active, first, 1)[:, 0]
        if not self.written:
            site.fail(self.batch, active.threads[0], f"writes {self.name}, an input")
        if self.shadow is not None:
            self.shadow.check_initial(site, active, place[:, None])
        if self.block_shadow is not None:
            self.block_shadow.read(site, active, place[:, None], atomic=True)
        self.grid.pass_atomic(self.batch, active)
        return add_in_order(self.data, place, values)

    def _check_waited(self, site: Site, active: Active) -> None:
        """Fail where a launch before this one may still write here, or read."""
        waited = self.batch.waited[active.index]
        if not self.constant and not waited.all():
            thread = int(active.threads[np.argmin(waited)])
            text = f"touches {self.name} and has not waited for the launches before its own"
            site.fail(self.batch, thread, text)


def _each(active: Active) -> Iterator[Active]:
    """Give each of the threads alone."""
    for thread in active.threads:
        mask = np.zeros(active.mask.shape, np.bool_)
        mask[thread] = True
        yield Active(mask)


class _Shadow:
    """Per element: whether it has a value, the thread that wrote it, the block that read it; where
    something else looks after the blocks of a cluster, its cluster.
    """

    def __init__(self, buffer: GlobalBuffer, initial: bool):
        elements = buffer.data.shape
        self.buffer = buffer
        self.initial = np.full(elements, initial)
        self.writer = np.full(elements, NOBODY, np.int64)
        self.stamp = np.zeros(elements, np.int64)
        self.met = np.zeros(elements, np.int64)
        self.reader = np.full(elements, NOBODY, np.int64)

    def forget(self) -> None:
        """Let nobody have written or read; what was written has its values."""
        self.writer[:] = NOBODY
        self.reader[:] = NOBODY

    def read(self, site: Site, active: Active, place: Integers) -> None:
        """Note a read; fail where the value is undefined or another block's."""
        self.check_initial(site, active, place)
        block, _ = self._who(active)
        block = self._unit(block)
        self._check_writer(site, active, place, "reads")
        before = self.reader[place]
        self.reader[place] = np.where((before == NOBODY) | (before == block), block, SEVERAL)

    def write(self, site: Site, active: Active, place: Integers) -> None:
        """Note a write; fail where another block wrote or read, or two threads write at once."""
        block, thread = self._who(active)
        self._check_writer(site, active, place, "writes")
        reader = self.reader[place]
        self._fail(site, active, place, (reader != NOBODY) & (reader != self._unit(block)), _READ)
        self.writer[place] = thread
        self._fail(site, active, place, self.writer[place] != thread, _AT_ONCE)
        self.stamp[place] = self.buffer.grid.stamp(np.broadcast_to(thread, place.shape))
        self.met[place] = np.broadcast_to(self.buffer.grid.met[block], place.shape)
        self.initial[place] = True

    def check_initial(self, site: Site, active: Active, place: Integers) -> None:
        """Fail where nothing was written."""
        self._fail(site, active, place, ~self.initial[place], _UNDEFINED)

    def _check_writer(self, site: Site, active: Active, place: Integers, verb: str) -> None:
        block, _ = self._who(active)
        grid, writer = self.buffer.grid, self.writer[place]
        known = np.maximum(writer, 0)
        foreign = (writer != NOBODY) & (self._unit(known // grid.threads) != self._unit(block))
        if foreign.any():
            announced = grid.announced[known // grid.threads] > self.met[place]
            visible = ((grid.stamp(known) > self.stamp[place]) | announced) & grid.acquired[block]
            self._fail(site, active, place, foreign & ~visible, verb + _FOREIGN)

    def _unit(self, block: Integers) -> Integers:
        is_followed = isinstance(self.buffer.block_shadow, ClockedShadow)
        return self.buffer.grid.clusters[block] if is_followed else block

    def _who(self, active: Active) -> tuple[Integers, Integers]:
        batch = self.buffer.batch
        block = batch.block[active.index][:, None]
        return block, self.buffer.grid.number(batch, active)[:, None]

    def _fail(self, site: Site, active: Active, place: Integers, bad: Array, message: str) -> None:
        if bad.any():
            thread, element = np.argwhere(bad)[0]
            at = int(place[thread, element])
            who = int(self.writer[at]) // self.buffer.grid.threads
            where = f"element {at} of {self.buffer.name}"
            text = message.format(where=where, writer=who)
            site.fail(self.buffer.batch, int(active.threads[thread]), text)


_READ = "writes {where}, which another block has read"
_AT_ONCE = "writes {where} together with another thread"
_UNDEFINED = "reads {where}, which nothing was written to"
_FOREIGN = (
    " {where}, which block {writer} has written, without a fence and an atomic in between and a "
    "fence behind that"
)


def add_in_order(data: Array, place: Integers, values: Array) -> Array:
    """Add values at flat positions one after the other; return what was there before each."""
    if len(np.unique(place)) == len(place):
        old = data[place]
        data[place] = old + values
        return old
    old = np.empty(len(place), data.dtype)
    for number, (at, value) in enumerate(zip(place, values, strict=True)):
        old[number] = data[at]
        data[at] += value
    return old
