"""Blocks of a cluster, which run at the same time and reach each other's shared memory."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from xdsl.ir import Operation, SSAValue

from dlc.dialects import gpu
from dlc.simulator._buffer import Array, First
from dlc.simulator._faults import Site
from dlc.simulator._machine import Compiler, Machine, Step
from dlc.simulator._shared import Piece, SharedBuffer
from dlc.simulator._threads import Active, Integers


def _cluster_barrier(machine: Machine, op: gpu.ClusterBarrierOp) -> Step:
    def run(active: Active) -> None:
        machine.batch.pass_cluster_barrier(active.threads)
        machine.grid.meet(machine.batch, active)

    return run


def _cluster_arrive(machine: Machine, op: gpu.ClusterArriveOp) -> Step:
    return lambda active: machine.batch.arrive_at_cluster(active.threads)


def _cluster_wait(machine: Machine, op: gpu.ClusterWaitOp) -> Step:
    return lambda active: machine.batch.wait_for_cluster(active.threads)


Touched = Iterator[tuple[Active, Integers]]
Ranks = Callable[[Active], Integers]
"""Gives how many ranks beside its own block each active thread touches another one."""
Remote = Callable[[Active, First, int, SharedBuffer], Piece]


def ranks_beside(machine: Machine, rank: SSAValue, site: Site) -> Ranks:
    """Compile the choice of one block of the cluster; that it is touched is noted."""
    slot, size = machine.slot(rank), machine.kernel.cluster_blocks

    def beside(active: Active) -> Integers:
        rank = np.broadcast_to(active.of(machine.values[slot]), active.count)
        bad = (rank < 0) | (rank >= size)
        if bad.any():
            thread = int(active.threads[np.argmax(bad)])
            text = f"names block {rank[np.argmax(bad)]} of a cluster of {size}"
            site.fail(machine.batch, thread, text)
        return _noted(machine, site, active, rank)

    return beside


def each_block(machine: Machine, blocks: SSAValue, site: Site) -> Callable[[Active], Touched]:
    """Compile the choice of several blocks of the cluster, a bit for each: it gives, rank by rank,
    the threads that touch that block, and how many ranks beside their own it is.
    """
    slot, size = machine.slot(blocks), machine.kernel.cluster_blocks

    def touched(active: Active) -> Touched:
        mask = np.broadcast_to(machine.values[slot], machine.batch.size)
        bad = active.mask & ((mask < 1) | (mask >= 1 << size))
        if bad.any():
            thread = int(np.argmax(bad))
            text = f"names the blocks {mask[thread]:#b} of a cluster of {size}"
            site.fail(machine.batch, thread, text)
        for rank in range(size):
            if some := active.where(mask >> rank & 1 > 0):
                yield some, _noted(machine, site, some, rank)

    return touched


def _noted(machine: Machine, site: Site, active: Active, rank: Integers | int) -> Integers:
    """Return how many ranks beside its own block each thread touches one, and note that it does."""
    batch = machine.batch
    beside = rank - batch.cluster_rank[active.index]
    machine.touches.note(site, active.threads, batch.block_slot[active.index] + beside)
    return beside


def _remote(machine: Machine, op: gpu.ClusterLoadOp | gpu.ClusterStoreOp, site: Site) -> Remote:
    """Return what finds a place in the memory of the block that ``op`` names."""
    beside = ranks_beside(machine, op.rank, site)

    def locate(active: Active, first: First, count: int, buffer: SharedBuffer) -> Piece:
        return buffer.locate(site, active, first, count, beside(active))

    return locate


def _cluster_load(machine: Machine, op: gpu.ClusterLoadOp) -> Step:
    site = Site(op)
    source, destination = (machine.place(access, site) for access in op.accesses())
    locate, count = _remote(machine, op, site), op.elements.value.data

    def run(active: Active) -> None:
        buffer, first = source(active)
        assert isinstance(buffer, SharedBuffer)
        piece = locate(active, first, count, buffer)
        if buffer.memory.shadow is not None:
            buffer.memory.shadow.read(site, active, piece.cells)
        data: Array = buffer.elements[piece.elements]
        registers, at = destination(active)
        registers.write(site, active, at, data)

    return run


def _cluster_store(machine: Machine, op: gpu.ClusterStoreOp) -> Step:
    site = Site(op)
    source, destination = (machine.place(access, site) for access in op.accesses())
    locate, count = _remote(machine, op, site), op.elements.value.data

    def run(active: Active) -> None:
        registers, at = source(active)
        data = registers.read(site, active, at, count)
        buffer, first = destination(active)
        assert isinstance(buffer, SharedBuffer)
        piece = locate(active, first, count, buffer)
        if buffer.memory.shadow is not None:
            buffer.memory.shadow.write(site, active.threads, piece.cells)
        buffer.elements[piece.elements] = data

    return run


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.ClusterBarrierOp: _cluster_barrier,
    gpu.ClusterArriveOp: _cluster_arrive,
    gpu.ClusterWaitOp: _cluster_wait,
    gpu.ClusterLoadOp: _cluster_load,
    gpu.ClusterStoreOp: _cluster_store,
}
