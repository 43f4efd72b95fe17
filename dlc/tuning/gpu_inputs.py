"""What a program is given on a GPU: its inputs and weights, many copies of them."""

import ctypes
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from dlc.dialects.graph.structure import Array
from dlc.runtime.gpu_driver import Driver, Handle

_MOST_COPIES = 256
"""Arrays so small that these do not fill a cache are read in less time than a launch takes."""

Placed = Sequence[tuple[int, Array]]
"""Arrays, each with the byte where it begins."""


@dataclass(frozen=True)
class _Room:
    key: tuple[object, ...]
    arrays: Sequence[Array]  # so that no other array can have one's identity
    address: int
    kept: ExitStack


class GpuInputs:
    """Keeps what the last program was given: the next one is often another schedule of its group.

    Copies of what a program is given and makes are together twice as large as the L2 cache, so
    that a launch that takes the next ones reads what is not in it.
    """

    def __init__(self, driver: Driver, l2_bytes: int, kept: ExitStack):
        """l2_bytes: the size of the L2 cache. kept: gives the memory back."""
        self._driver = driver
        self._l2_bytes = l2_bytes
        self._room: _Room | None = None
        kept.callback(self.forget)

    def copies(self, given: int, made: int) -> int:
        """Return how many copies there are of so many bytes that are given, and made."""
        return min(max(1, -(-2 * self._l2_bytes // (given + made))), _MOST_COPIES)

    def place(self, placed: Placed, size: int, copies: int) -> int:
        """Return the address of the first of the copies, which follow each other.

        size: the bytes of one.
        """
        key = (size, copies, *((start, id(array)) for start, array in placed))
        if self._room is None or self._room.key != key:
            self.forget()
            with ExitStack() as kept:
                address = kept.enter_context(self._driver.memory(copies * size)).value
                self._fill(placed, address, size, copies)
                self._room = _Room(key, [array for _, array in placed], address, kept.pop_all())
        return self._room.address

    def _fill(self, placed: Placed, address: int, size: int, copies: int) -> None:
        for start, array in placed:
            self._copy_in(address + start, array)
        for copy in range(1, copies):
            to, bytes = Handle(address + copy * size), ctypes.c_size_t(size)
            self._driver("cuMemcpyDtoD_v2", to, Handle(address), bytes)
        self._driver("cuCtxSynchronize")  # the last copies may still be under way

    def _copy_in(self, address: int, array: Array) -> None:
        data = np.ascontiguousarray(array)
        if data.nbytes:
            source = ctypes.c_void_p(data.ctypes.data)
            self._driver("cuMemcpyHtoD_v2", Handle(address), source, ctypes.c_size_t(data.nbytes))

    def forget(self) -> None:
        """Give the memory back."""
        if self._room is not None:
            self._room.kept.close()
            self._room = None
