"""What threads do together: barriers, shuffles, asynchronous copies, matrix instructions."""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.arch.fragments import WARP_LANES
from dlc.dialects import gpu
from dlc.simulator._faults import Site
from dlc.simulator._groups import commit_of, wait_of
from dlc.simulator._machine import Compiler, Machine, Step
from dlc.simulator._shared import SharedBuffer
from dlc.simulator._threads import Active, Integers


def _barrier(machine: Machine, op: gpu.BarrierOp) -> Step:
    def run(active: Active) -> None:
        mask = active.mask.reshape(len(machine.batch.blocks), machine.batch.threads_per_block)
        machine.batch.pass_barrier(np.asarray(mask.any(axis=1)))
        machine.grid.meet(machine.batch, active)

    return run


def _warp_barrier(machine: Machine, op: gpu.WarpBarrierOp) -> Step:
    def run(active: Active) -> None:
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
    values = machine.values
    value, result = machine.slot(op.value), machine.slot(op.output)
    source = _SOURCE_LANE[op.mode.data](np.arange(WARP_LANES), op.offset.value.data)

    def run(active: Active) -> None:
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


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.BarrierOp: _barrier,
    gpu.WarpBarrierOp: _warp_barrier,
    gpu.FenceOp: _fence,
    gpu.ShuffleOp: _shuffle,
    gpu.CpAsyncOp: _cp_async,
    gpu.CpAsyncCommitOp: commit_of(lambda machine: machine.copies),
    gpu.CpAsyncWaitOp: wait_of(lambda machine: machine.copies),
}
