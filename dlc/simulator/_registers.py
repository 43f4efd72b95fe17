"""How many registers the threads of a batch have."""

import numpy as np

from dlc.dialects.gpu.registers import registers_at_launch
from dlc.simulator._threads import Active, Batch, Integers


class Registers:
    """How many each thread of a batch has. of_block: what a block gets at its launch, which is all
    that its threads ever have (PTX ISA, "setmaxnreg": the pool of the CTA).
    """

    def __init__(self, batch: Batch):
        self.batch = batch
        each = registers_at_launch(batch.threads_per_block)
        self.held = np.full(batch.size, each)
        self.of_block = each * batch.threads_per_block

    def used(self) -> Integers:
        """Return how many the threads of each block have together."""
        return np.bincount(self.batch.block_slot, self.held).astype(np.int64)

    def missing(self, active: Active, count: int) -> Integers:
        """Return by how many too few each block has for its active threads to have ``count``."""
        more = np.zeros(self.batch.size, np.int64)
        more[active.index] = count - self.held[active.index]
        asked = np.bincount(self.batch.block_slot, more).astype(np.int64)
        return np.where(asked > 0, self.used() + asked - self.of_block, 0)
