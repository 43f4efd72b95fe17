"""Registers that products of warpgroups use: who may touch them when."""

import numpy as np

from dlc.simulator._buffer import Array, First, RegisterBuffer
from dlc.simulator._faults import Site
from dlc.simulator._threads import Active, Batch

_FENCED = 0
_TOUCHED = -1


class GuardedRegisters(RegisterBuffer):
    """Per element: what has touched it since the last fence of products (0 nothing, -1 anything, a
    positive number the product of this number), and how many products under way add to it or read
    it (PTX ISA, "wgmma.fence" and "wgmma.wait_group").
    """

    def __init__(self, batch: Batch, elements: int, dtype: np.dtype):
        super().__init__(batch, elements, dtype, checks=True)
        self.touched = np.zeros((batch.size, elements), np.int32)
        self.adding = np.zeros((batch.size, elements), np.int16)
        self.reading = np.zeros((batch.size, elements), np.int16)

    def read(self, site: Site, active: Active, first: First, count: int) -> Array:
        place = self._select(site, active, first, count)
        self._check(site, active, self.adding[place] > 0, "reads", _SUMS)
        self.touched[place] = _TOUCHED
        return super().read(site, active, first, count)

    def write(self, site: Site, active: Active, first: First, values: Array) -> None:
        place = self._select(site, active, first, values.shape[1])
        self._check(site, active, self.adding[place] > 0, "writes", _SUMS)
        self._check(site, active, self.reading[place] > 0, "writes", _FACTORS)
        self.touched[place] = _TOUCHED
        super().write(site, active, first, values)

    def fence(self, active: Active) -> None:
        """What these threads did with their registers is over, for the products that follow."""
        self.touched[active.index] = _FENCED

    def begin(self, site: Site, active: Active, first: First, count: int, number: int) -> None:
        """Note that a product uses elements: it adds to them, if it has a ``number``, else it reads
        them. Those of one number that add to the same elements keep their order.
        """
        place = self._select(site, active, first, count)
        super().read(site, active, first, count)
        bad = (self.touched[place] != _FENCED) & (self.touched[place] != number)
        self._check(site, active, bad, "uses in a product", _UNFENCED)
        if number:
            self._check(site, active, self.reading[place] > 0, "adds to", _FACTORS)
            self.touched[place] = number
            self.adding[place] += 1
        else:
            self._check(site, active, self.adding[place] > 0, "multiplies", _SUMS)
            self.reading[place] += 1

    def finish(self, site: Site, active: Active, first: First, count: int, number: int) -> None:
        """Note that a product is done."""
        counts = self.adding if number else self.reading
        counts[self._select(site, active, first, count)] -= 1

    def _check(self, site: Site, active: Active, bad: Array, verb: str, why: str) -> None:
        if bad.any():
            thread, element = np.argwhere(bad)[0]
            site.fail(
                self.batch,
                int(active.threads[thread]),
                f"{verb} a register, number {element} of its fragment, {why}",
            )


_SUMS = "to which a product adds that was not waited for"
_FACTORS = "which a product reads that was not waited for"
_UNFENCED = "which something else has touched since the last wgmma_fence"
