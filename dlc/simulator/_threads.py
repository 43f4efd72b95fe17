"""The threads that are simulated together, and which of them run an operation."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import Scope
from dlc.dialects.gpu import KernelOp
from dlc.simulator._clocks import Clocks, Times

Value = Any
"""What a thread holds: one number for all threads, or an array with one for each of the batch."""
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


class Active:
    """The threads of a batch that run an operation, by ``mask``."""

    def __init__(self, mask: Booleans):
        self.mask = mask
        self.full = bool(mask.all())

    @cached_property
    def threads(self) -> Integers:
        """Their positions in the batch, in order."""
        return np.flatnonzero(self.mask)

    @cached_property
    def index(self) -> "Integers | slice":
        """What selects them from an array over the batch."""
        return slice(None) if self.full else self.threads

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.threads)

    def of(self, value: Value) -> Value:
        """Return the value in these threads."""
        return value if self.full or np.ndim(value) == 0 else value[self.index]

    def spread(self, values: Value) -> Value:
        """Return ``values``, one for each of these threads, as an array over the batch."""
        if self.full:
            return values
        result = np.zeros(self.mask.shape, values.dtype)
        result[self.index] = values
        return result

    def where(self, condition: Value) -> "Active | None":
        """Return those of them for which ``condition``, over the batch, holds."""
        if np.ndim(condition) == 0:
            return self if condition else None
        mask = self.mask & condition
        if mask.all():
            return self
        return Active(mask) if mask.any() else None


class Batch:
    """All threads of some blocks of a grid, block after block, with the waits they have done.

    blocks: the numbers of the blocks, x fastest; those of a cluster stand together, by rank. An
    *epoch* counts the barriers that a block or a
    warp has passed: accesses of different epochs are ordered. clocks: where tokens order threads.
    waited: which threads need not wait for the launches before this one, or have done so.
    has_arrived: which have told their clusters that they have begun.
    """

    def __init__(self, kernel: KernelOp, blocks: Integers):
        self.kernel = kernel
        self.blocks = blocks
        self.threads_per_block = kernel.threads
        self.size = len(blocks) * kernel.threads
        self.block_slot, self.thread = np.divmod(np.arange(self.size), kernel.threads)
        self.block = blocks[self.block_slot]
        self.cluster_slot = self.block_slot // kernel.cluster_blocks
        warps = -(-kernel.threads // WARP_LANES)
        self.warp = self.block_slot * warps + self.thread // WARP_LANES
        self.block_epoch = np.zeros(len(blocks), np.int64)
        self.warp_epoch = np.zeros(len(blocks) * warps, np.int64)
        self.everyone = Active(np.ones(self.size, np.bool_))
        self.clocks: Clocks | None = None
        self.waited = np.full(self.size, kernel.constant_inputs is None)
        self.has_arrived = np.zeros(self.size, np.bool_)
        self._arrived: dict[int, Times] = {}

    @cached_property
    def cluster_rank(self) -> Integers:
        """The number of each thread's block in its cluster, x first."""
        (gx, gy, _), (cx, cy, cz) = self.kernel.grid_size, self.kernel.cluster_size
        x, y, z = self.block % gx, self.block // gx % gy, self.block // (gx * gy)
        return x % cx + (y % cy + z % cz * cy) * cx

    def groups(self, scope: Scope) -> Integers:
        """Return for each thread the number of its warp, warpgroup, block or cluster; of the grid
        there is one.
        """
        if scope is Scope.GRID:
            return np.zeros(self.size, np.int64)
        if scope is Scope.BLOCK:
            return self.block_slot
        if scope is Scope.CLUSTER:
            return self.cluster_slot
        groups = -(-self.threads_per_block // scope.threads)
        return self.block_slot * groups + self.thread // scope.threads

    def threads_of(self, scope: Scope) -> int:
        """Return how many threads a warp, warpgroup, block, cluster or the grid has."""
        if scope is Scope.GRID:
            return self.size
        if scope is Scope.BLOCK:
            return self.threads_per_block
        if scope is Scope.CLUSTER:
            return self.threads_per_block * self.kernel.cluster_blocks
        return scope.threads

    def position(self, slot: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Return the positions of a thread's block in the grid and of the thread in its block."""
        block = split_position(int(self.block[slot]), self.kernel.grid_size)
        return block, split_position(int(self.thread[slot]), self.kernel.block_size)

    def pass_barrier(self, blocks: Booleans) -> None:
        """All threads of ``blocks`` have waited for each other."""
        self.block_epoch += blocks
        self.warp_epoch += np.repeat(blocks, len(self.warp_epoch) // len(self.blocks))
        if self.clocks is not None:
            self.clocks.meet([np.flatnonzero(self.block_slot == n) for n in np.flatnonzero(blocks)])

    def pass_cluster_barrier(self, threads: Integers) -> None:
        """Those of ``threads`` that are of one cluster have waited for each other."""
        assert self.clocks is not None
        clusters = self.cluster_slot[threads]
        self.clocks.meet([threads[clusters == n] for n in np.unique(clusters)])

    def arrive_at_cluster(self, threads: Integers) -> None:
        """Others of the clusters of ``threads`` may wait for these. They learn that the threads
        have begun, and of the objects that these have made: a relaxed arrival orders nothing else.
        """
        assert self.clocks is not None
        self.has_arrived[threads] = True
        clusters = self.cluster_slot[threads]
        for n in np.unique(clusters):
            row = self.clocks.begun(threads[clusters == n])
            self._arrived[n] = np.maximum(self._arrived.get(n, row), row)

    def wait_for_cluster(self, threads: Integers) -> None:
        """``threads`` have waited until all of their clusters had arrived."""
        assert self.clocks is not None
        clusters = self.cluster_slot[threads]
        for n in np.unique(clusters):
            self.clocks.acquire(threads[clusters == n], self._arrived[n])

    def pass_warp_barrier(self, warps: Integers) -> None:
        """All lanes of ``warps`` have waited for each other."""
        self.warp_epoch[warps] += 1
        if self.clocks is not None:
            self.clocks.meet([np.flatnonzero(self.warp == n) for n in warps])

    def thread_ids(self, axis: int) -> Value:
        """Return the position of each thread in its block along x, y or z."""
        return _along(self.thread, self.kernel.block_size, axis)

    def block_ids(self, axis: int) -> Value:
        """Return the position of each thread's block in the grid along x, y or z."""
        block = int(self.blocks[0]) if len(self.blocks) == 1 else self.block
        return _along(block, self.kernel.grid_size, axis)


def _along(position: Value, sizes: tuple[int, int, int], axis: int) -> Value:
    if sizes[axis] == 1:
        return 0
    x, y, _ = sizes
    return position // (1, x, x * y)[axis] % sizes[axis]


def split_position(number: int, sizes: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return (x, y, z) of the position ``number``, x fastest."""
    x, y, _ = sizes
    return number % x, number // x % y, number // (x * y)
