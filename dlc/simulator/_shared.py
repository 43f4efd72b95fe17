"""Shared memory of a batch's blocks, and who wrote and read each piece of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dlc.arch.memory import ACCESS_BYTES
from dlc.dialects.gpu import SwizzleAttr
from dlc.simulator._banks import BankCounter
from dlc.simulator._buffer import (
    Array,
    AtomicBuffer,
    First,
    check_alignment,
    one_per_thread,
)
from dlc.simulator._clocked_shadow import shadow_of
from dlc.simulator._faults import Site
from dlc.simulator._global import add_in_order
from dlc.simulator._threads import Active, Batch, Integers


class SharedMemory:
    """The bytes of all blocks, one block after the other.

    granule: the bytes of a shadow cell; every access moves a multiple of it. banks: counts
    accesses, if these are to be counted.
    """

    def __init__(
        self,
        batch: Batch,
        bytes_per_block: int,
        granule: int,
        checks: bool,
        banks: BankCounter | None = None,
    ):
        self.batch = batch
        self.limit = bytes_per_block
        self.stride = -(-bytes_per_block // ACCESS_BYTES) * ACCESS_BYTES
        self.data = np.zeros(self.stride * len(batch.blocks), np.uint8)
        self.granule = granule
        cells = self.data.size // granule
        per_block = cells // len(batch.blocks)
        name = self._name_in(per_block)
        self.shadow = shadow_of(batch, cells, name, of_one_block=True) if checks else None
        self.banks = banks

    def _name_in(self, per_block: int) -> Callable[[int], str]:
        return lambda cell: f"byte {cell % per_block * self.granule} of shared memory"


@dataclass(frozen=True)
class Piece:
    """Where an access is: positions in the memory as an array of elements, and shadow cells."""

    elements: Integers
    cells: Integers


class SharedBuffer(AtomicBuffer):
    """A part of the shared memory, from byte ``offset`` on."""

    def __init__(
        self, memory: SharedMemory, offset: int, dtype: np.dtype, swizzle: SwizzleAttr | None
    ):
        super().__init__(dtype)
        self.memory = memory
        self.offset = offset
        self.swizzle = swizzle
        self.elements = memory.data.view(dtype)

    def locate(
        self, site: Site, active: Active, first: First, count: int, beside: Integers | int = 0
    ) -> Piece:
        """Return where the vectors are that start at ``first``, in the memory of the thread's block
        or of one so many ranks ``beside`` it; fail where they cannot be.
        """
        memory, width = self.memory, count * self.dtype.itemsize
        address = one_per_thread(first, active) * self.dtype.itemsize
        if self.swizzle is not None:
            address = permuted(self.swizzle, address)
        address = address + self.offset
        if count > 1:
            check_alignment(memory.batch, site, active, address, width, "shared memory")
        if (address + width > memory.limit).any():
            thread = int(np.argmax(address))
            message = f"is at byte {address[thread]} of {memory.limit} of shared memory"
            site.fail(memory.batch, active.threads[thread], message)
        if memory.banks is not None:
            memory.banks.count(active, address, width)
        place = address + (memory.batch.block_slot[active.index] + beside) * memory.stride
        return Piece(
            (place // self.dtype.itemsize)[:, None] + np.arange(count),
            (place // memory.granule)[:, None] + np.arange(width // memory.granule),
        )

    def read(self, site: Site, active: Active, first: First, count: int) -> Array:
        piece = self.locate(site, active, first, count)
        if self.memory.shadow is not None:
            self.memory.shadow.read(site, active, piece.cells)
        return self.elements[piece.elements]

    def write(self, site: Site, active: Active, first: First, values: Array) -> None:
        piece = self.locate(site, active, first, values.shape[1])
        if self.memory.shadow is not None:
            self.memory.shadow.write(site, active.threads, piece.cells)
        self.elements[piece.elements] = values

    def atomic_add(self, site: Site, active: Active, first: First, values: Array) -> Array:
        piece = self.locate(site, active, first, 1)
        if self.memory.shadow is not None:
            self.memory.shadow.read(site, active, piece.cells, atomic=True)
        return add_in_order(self.elements, piece.elements[:, 0], values)


def permuted(swizzle: SwizzleAttr, offsets: Any) -> Integers:
    """Return where the bytes at ``offsets`` of the unswizzled buffer are."""
    return np.asarray(swizzle.apply(offsets))
