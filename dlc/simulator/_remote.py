"""Which blocks make a cluster, and accesses to each other's shared memory."""

from dataclasses import dataclass

import numpy as np

from dlc.dialects.gpu import KernelOp
from dlc.simulator._clocks import Times
from dlc.simulator._faults import Site
from dlc.simulator._threads import Batch, Integers


def cluster_of(kernel: KernelOp, blocks: Integers) -> Integers:
    """Return the first block of each block's cluster, which stands for all of it."""
    (gx, gy, _), (cx, cy, cz) = kernel.grid_size, kernel.cluster_size
    x, y, z = blocks % gx, blocks // gx % gy, blocks // (gx * gy)
    return x // cx * cx + (y // cy * cy + z // cz * cz * gy) * gx


def whole_clusters(kernel: KernelOp, blocks: Integers) -> Integers:
    """Return the blocks of the clusters in which some are, cluster after cluster, by rank."""
    if kernel.cluster_blocks == 1:
        return blocks
    (gx, gy, _), (cx, cy, cz) = kernel.grid_size, kernel.cluster_size
    firsts = np.array(list(dict.fromkeys(cluster_of(kernel, blocks).tolist())))
    i, j, k = np.ogrid[:cz, :cy, :cx]
    return (firsts[:, None] + (k + (j + i * gy) * gx).reshape(-1)).reshape(-1)


@dataclass(frozen=True)
class _Touch:
    """An access to another block's memory. blocks: whose, by slot; times: those of the threads."""

    site: Site
    threads: Integers
    blocks: Integers
    times: Times


class RemoteTouches:
    """Accesses to the memory of other blocks: these must have begun, and must not end before."""

    def __init__(self, batch: Batch):
        self.batch = batch
        self.noted: list[_Touch] = []

    def note(self, site: Site, threads: Integers, blocks: Integers) -> None:
        """Note accesses; fail where a thread does not know that the other block has begun."""
        clocks = self.batch.clocks
        assert clocks is not None
        for thread, block in zip(threads, blocks, strict=True):
            theirs = clocks.thread[self.batch.block_slot == block]
            if block != self.batch.block_slot[thread] and not clocks.known[thread, theirs].any():
                site.fail(self.batch, int(thread), "touches a block that may not have begun")
        self.noted.append(_Touch(site, threads, blocks, clocks.time[threads].copy()))

    def check_end(self) -> None:
        """Fail where no thread of a block waited for an access to the block's memory."""
        clocks = self.batch.clocks
        for touch in self.noted:
            assert clocks is not None
            for thread, block, time in zip(touch.threads, touch.blocks, touch.times, strict=True):
                theirs = np.flatnonzero(self.batch.block_slot == block)
                known = clocks.known[theirs, clocks.thread[thread]] > time
                if block != self.batch.block_slot[thread] and not known.any():
                    text = "touches a block that may have ended"
                    touch.site.fail(self.batch, int(thread), text)
