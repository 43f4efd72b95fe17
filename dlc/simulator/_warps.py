"""What threads do together: barriers, shuffles, asynchronous copies, matrix instructions."""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.arch.fragments import WARP_LANES
from dlc.dialects import gpu
from dlc.simulator._faults import Site
from dlc.simulator._machine import Compiler, Machine, Step
from dlc.simulator._shared import SharedBuffer
from dlc.simulator._threads import Active, Integers


def check_warps(machine: Machine, site: Site, active: Active) -> None:
    """Fail unless all 32 lanes of each warp are active or none is."""
    batch = machine.batch
    lanes = np.bincount(batch.warp[active.index], minlength=len(batch.warp_epoch))
    bad = (lanes != 0) & (lanes != WARP_LANES)
    if bad.any():
        warp = int(np.argmax(bad))
        thread = active.threads[np.argmax(batch.warp[active.index] == warp)]
        site.fail(batch, thread, f"is reached by {lanes[warp]} of the 32 lanes of its warp")


def _barrier(machine: Machine, op: gpu.BarrierOp) -> Step:
    site = Site(op)

    def run(active: Active) -> None:
        batch = machine.batch
        mask = active.mask.reshape(len(batch.blocks), batch.threads_per_block)
        arrived = mask.any(axis=1)
        missing = arrived & ~mask.all(axis=1)
        if missing.any():
            block = int(np.argmax(missing))
            thread = block * batch.threads_per_block + int(np.argmax(~mask[block]))
            site.fail(batch, thread, "does not come to a barrier where others of its block wait")
        batch.pass_barrier(np.asarray(arrived))

    return run


def _warp_barrier(machine: Machine, op: gpu.WarpBarrierOp) -> Step:
    site = Site(op)

    def run(active: Active) -> None:
        check_warps(machine, site, active)
        machine.batch.pass_warp_barrier(np.unique(machine.batch.warp[active.index]))

    return run


def _fence(machine: Machine, op: gpu.FenceOp) -> Step:
    def run(active: Active) -> None:
        machine.grid.pass_fence(machine.batch, active)

    return run


_SOURCE_LANE: dict[str, Callable[[Integers, int], Integers]] = {
    "xor": lambda lane, offset: lane ^ offset,
    "up": lambda lane, offset: np.where(lane < offset, lane, lane - offset),
    "down": lambda lane, offset: np.where(lane + offset >= WARP_LANES, lane, lane + offset),
    "index": lambda lane, offset: np.full_like(lane, offset),
}


def _shuffle(machine: Machine, op: gpu.ShuffleOp) -> Step:
    site, values = Site(op), machine.values
    value, result = machine.slot(op.value), machine.slot(op.output)
    source = _SOURCE_LANE[op.mode.data](np.arange(WARP_LANES), op.offset.value.data)

    def run(active: Active) -> None:
        check_warps(machine, site, active)
        given = active.of(values[value])
        if np.ndim(given):
            given = active.spread(given.reshape(-1, WARP_LANES)[:, source].reshape(-1))
        values[result] = given

    return run


def _cp_async(machine: Machine, op: gpu.CpAsyncOp) -> Step:
    site, values = Site(op), machine.values
    read, written = op.accesses()
    source, destination = machine.place(read, site), machine.place(written, site)
    inside = None if op.inside is None else machine.slot(op.inside)

    def run(active: Active) -> None:
        where = active if inside is None else active.where(values[inside])
        shared, first = destination(active)
        assert isinstance(shared, SharedBuffer)
        data = np.zeros((machine.batch.size, written.elements), shared.dtype)
        if where is not None:
            buffer, at = source(where)
            data[where.index] = buffer.read(site, where, at, read.elements)
        machine.copies.start(site, active, shared, first, data[active.index])

    return run


def _commit(machine: Machine, op: gpu.CpAsyncCommitOp) -> Step:
    return lambda active: machine.copies.commit(active)


def _wait(machine: Machine, op: gpu.CpAsyncWaitOp) -> Step:
    outstanding = op.outstanding.value.data
    return lambda active: machine.copies.wait(active, outstanding)


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.BarrierOp: _barrier,
    gpu.WarpBarrierOp: _warp_barrier,
    gpu.FenceOp: _fence,
    gpu.ShuffleOp: _shuffle,
    gpu.CpAsyncOp: _cp_async,
    gpu.CpAsyncCommitOp: _commit,
    gpu.CpAsyncWaitOp: _wait,
}
