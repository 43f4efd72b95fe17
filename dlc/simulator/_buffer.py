"""What global, shared and register buffers have in common, and the registers."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.arch.memory import ACCESS_BYTES
from dlc.simulator._faults import Site
from dlc.simulator._threads import Active, Batch, Integers

Array = NDArray[Any]
First = Any
"""The row-major position of the first element: one integer, or one for each active thread."""


class Buffer(ABC):
    """Elements that threads read and write, by their row-major positions.

    A position is inside the buffer. ``count`` neighbours are moved at once, as one vector.
    """

    def __init__(self, dtype: np.dtype):
        self.dtype = dtype

    @abstractmethod
    def read(self, site: Site, active: Active, first: First, count: int) -> Array:
        """Return the elements as they are stored: active threads x count."""

    @abstractmethod
    def write(self, site: Site, active: Active, first: First, values: Array) -> None:
        """Store values, active threads x count, of the stored dtype."""


class AtomicBuffer(Buffer):
    """A buffer that several threads may add to."""

    @abstractmethod
    def atomic_add(self, site: Site, active: Active, first: First, values: Array) -> Array:
        """Add values, one for each active thread in order; return what was there before."""


def one_per_thread(first: First, active: Active) -> Integers:
    """Return positions as an array with one for each active thread."""
    return np.full(active.count, first) if np.ndim(first) == 0 else first


def check_alignment(
    batch: Batch, site: Site, active: Active, address: Integers, width: int, what: str
) -> None:
    """Fail where a vector of ``width`` bytes does not start at a multiple of them, a longer row not
    at a multiple of the largest vector.
    """
    alignment = min(width, ACCESS_BYTES)
    bad = address % alignment != 0
    if bad.any():
        place = int(np.argmax(bad))
        site.fail(
            batch,
            active.threads[place],
            f"moves {width} bytes at byte {address[place]} of {what}, which is no multiple of "
            f"{alignment}",
        )


class RegisterBuffer(Buffer):
    """The registers of all threads of a batch: threads x elements."""

    def __init__(self, batch: Batch, elements: int, dtype: np.dtype, checks: bool):
        super().__init__(dtype)
        self.batch = batch
        self.data = np.zeros((batch.size, elements), dtype)
        self.initial = np.zeros((batch.size, elements), np.bool_) if checks else None

    def forget(self, active: Active) -> None:
        """Let the elements of these threads have no values."""
        if self.initial is not None:
            self.initial[active.index] = False

    def _select(self, site: Site, active: Active, first: First, count: int) -> Any:
        width = count * self.dtype.itemsize
        if count > 1 and width <= ACCESS_BYTES:
            address = one_per_thread(first, active) * self.dtype.itemsize
            check_alignment(self.batch, site, active, address, width, "a register buffer")
        if np.ndim(first) == 0:
            return active.index, slice(int(first), int(first) + count)
        return active.threads[:, None], np.asarray(first)[:, None] + np.arange(count)

    def read(self, site: Site, active: Active, first: First, count: int) -> Array:
        place = self._select(site, active, first, count)
        if self.initial is not None and not self.initial[place].all():
            thread, element = np.argwhere(~self.initial[place])[0]
            at = int(one_per_thread(first, active)[thread]) + int(element)
            site.fail(
                self.batch,
                int(active.threads[thread]),
                f"reads register element {at}, which nothing was written to",
            )
        return self.data[place]

    def peek(self, site: Site, active: Active, first: First, count: int) -> Array:
        """Return elements without a check: hardware reads them."""
        return self.data[self._select(site, active, first, count)]

    def poke(self, site: Site, active: Active, first: First, values: Array) -> None:
        """Store values without a check: hardware writes them."""
        self.data[self._select(site, active, first, values.shape[1])] = values

    def write(self, site: Site, active: Active, first: First, values: Array) -> None:
        place = self._select(site, active, first, values.shape[1])
        self.data[place] = values
        if self.initial is not None:
            self.initial[place] = True
