"""Values that blocks of a launch hand to each other through buffers of marks."""

from collections.abc import Iterator, Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.dialects import gpu
from dlc.dialects.gpu.publish import MARK, UNMARKED
from dlc.simulator._buffer import Array, First
from dlc.simulator._faults import Site
from dlc.simulator._global import GlobalBuffer
from dlc.simulator._machine import Compiler, Machine, Step, Wait, nothing
from dlc.simulator._threads import Active, Booleans

_STORED, _PUBLISHED = 1, 2
_BITS = {2: np.int16, 4: np.int32}
"""Integers of the bytes of an element; all bits of -1 are ones."""


class FilledBuffer(GlobalBuffer):
    """A buffer that holds marks at first. state: what has happened to each element."""

    def __init__(
        self, name: str, data: Array, checks: bool, exchanged: bool, given: Array | None = None
    ):
        """given: the elements that blocks publish which do not run, where there are any; they stand
        in ``data``.
        """
        super().__init__(name, data, True, False, checks, exchanged)
        given = np.zeros(self.data.shape, np.bool_) if given is None else given
        self.data.view(_BITS[data.itemsize])[~given] = -1
        self.state = np.where(given, _PUBLISHED, 0)

    def write(self, site: Site, active: Active, first: First, values: Array) -> None:
        place = self.locate(site, active, first, values.shape[1])
        self._fail_where(site, active, first, self.state[place] == _PUBLISHED, _OVERWRITES)
        super().write(site, active, first, values)
        self.state[place] = _STORED

    def publish(self, site: Site, active: Active, first: First, values: Array) -> None:
        """Store values, active threads x count, for who awaits them."""
        place = self.locate(site, active, first, values.shape[1])
        self._fail_where(site, active, first, self.state[place] == _PUBLISHED, _AGAIN)
        self._fail_where(site, active, first, self.state[place] == _STORED, _AFTER_STORE)
        words = np.ascontiguousarray(values).view(np.uint32)
        unmarked = np.where(words == MARK, np.uint32(UNMARKED), words)
        super().write(site, active, first, unmarked.view(values.dtype))
        self.state[place] = _PUBLISHED

    def is_published(self, site: Site, active: Active, first: First, count: int) -> Booleans:
        """Return for each active thread whether all of its elements are there."""
        state = self.state[self.locate(site, active, first, count)]
        self._fail_where(site, active, first, state == _STORED, _NOT_PUBLISHED)
        return (state == _PUBLISHED).all(axis=1)

    def take(self, site: Site, active: Active, first: First, count: int) -> Array:
        """Return elements that are published."""
        return self.data[self.locate(site, active, first, count)]

    def missing(self, site: Site, active: Active, first: First, count: int) -> str:
        """Name the first element that is not published, of the first thread."""
        place = self.locate(site, active, first, count)[0]
        at = int(place[self.state[place] != _PUBLISHED][0])
        return f"element {at} of {self.name} is published by nobody"

    def _fail_where(
        self, site: Site, active: Active, first: First, bad: Array, message: str
    ) -> None:
        if bad.any():
            thread, element = np.argwhere(bad)[0]
            at = int(self.locate(site, active, first, bad.shape[1])[thread, element])
            text = message.format(where=f"element {at} of {self.name}")
            site.fail(self.batch, int(active.threads[thread]), text)


def _publish(machine: Machine, op: gpu.PublishOp) -> Step:
    site, count = Site(op), op.elements.value.data
    source, destination = (machine.place(access, site) for access in op.accesses())

    def run(active: Active) -> None:
        registers, at = source(active)
        data = registers.read(site, active, at, count)
        buffer, first = destination(active)
        assert isinstance(buffer, FilledBuffer)
        buffer.publish(site, active, first, data)
        if machine.batch.clocks is not None:  # else nobody awaits it
            machine.tokens.changes += 1

    return run


class _Awaited(Wait):
    def __init__(self, machine: Machine, op: gpu.AwaitOp):
        self.site, self.count = Site(op), op.elements.value.data
        *sources, destination = op.accesses()
        self.sources = [machine.place(source, self.site) for source in sources]
        self.destination = machine.place(destination, self.site)

    def _pieces(self, active: Active) -> Iterator[tuple[FilledBuffer, First]]:
        for source in self.sources:
            buffer, first = source(active)
            assert isinstance(buffer, FilledBuffer)
            yield buffer, first

    def _are_over(self, active: Active) -> list[Booleans]:
        count = self.count
        return [b.is_published(self.site, active, at, count) for b, at in self._pieces(active)]

    def is_over(self, active: Active) -> Booleans:
        return np.logical_and.reduce(self._are_over(active))

    def go_on(self, active: Active) -> None:
        count = self.count
        data = [b.take(self.site, active, at, count) for b, at in self._pieces(active)]
        registers, first = self.destination(active)
        registers.write(self.site, active, first, np.concatenate(data, axis=1))

    def lacks(self, active: Active) -> str:
        for (buffer, first), over in zip(self._pieces(active), self._are_over(active), strict=True):
            if not over[0]:
                return buffer.missing(self.site, active, first, self.count)
        raise AssertionError("all pieces are there")


def _await(machine: Machine, op: gpu.AwaitOp) -> Step:
    machine.waits[op] = _Awaited(machine, op)
    return nothing


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.PublishOp: _publish,
    gpu.AwaitOp: _await,
}

_OVERWRITES = "writes {where}, which is published: a race with who awaits it"
_AGAIN = "publishes {where}, which is published: others may have taken what was there before"
_AFTER_STORE = "publishes {where}, which a plain store has written: others may take that"
_NOT_PUBLISHED = "awaits {where}, which a plain store has written: a race"
