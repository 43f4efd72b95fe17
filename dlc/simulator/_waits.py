"""Operations by which threads of a block wait for tokens of each other."""

from collections.abc import Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.dialects import gpu
from dlc.dialects.gpu.mbarrier import MbarrierOp
from dlc.dialects.gpu.named_barrier import BARRIERS
from dlc.simulator._clocked_shadow import ClockedShadow
from dlc.simulator._clusters import ranks_beside
from dlc.simulator._faults import Site
from dlc.simulator._machine import Compiler, Machine, Step, Wait, nothing
from dlc.simulator._shared import SharedBuffer
from dlc.simulator._threads import Active, Booleans, Integers
from dlc.simulator._tokens import Keys


class BarrierObject:
    """The ``mbarrier`` object that an operation names."""

    def __init__(
        self,
        machine: Machine,
        op: MbarrierOp | gpu.BulkCopyOp | gpu.TensorCopyOp | gpu.StAsyncOp,
    ):
        self.machine = machine
        self.site = Site(op)
        self._access = op.accesses()[-1]
        self._place = machine.place(self._access, self.site)

    def keys(self, active: Active, beside: Integers | int = 0) -> Keys:
        """Return its name for each active thread, in its block or in one so many ranks beside; its
        creation must be ordered before.
        """
        buffer, first = self._place(active)
        assert isinstance(buffer, SharedBuffer)
        piece = buffer.locate(self.site, active, first, 1, beside)
        shadow = buffer.memory.shadow
        if shadow is not None and self._access.atomic:
            shadow.read(self.site, active, piece.cells, atomic=True)
        elif isinstance(shadow, ClockedShadow):
            shadow.write(self.site, active.threads, piece.cells)
            shadow.make_objects(active.threads, piece.cells)
        return piece.elements[:, 0]


def _mbarrier_init(machine: Machine, op: gpu.MbarrierInitOp) -> Step:
    found, arrivals = BarrierObject(machine, op), op.arrivals.value.data
    return lambda active: machine.tokens.create(active, found.keys(active), arrivals)


def _mbarrier_arrive(machine: Machine, op: gpu.MbarrierArriveOp) -> Step:
    found, bytes = BarrierObject(machine, op), op.expected_bytes
    ranks = None if op.rank is None else ranks_beside(machine, op.rank, found.site)

    def run(active: Active) -> None:
        keys = found.keys(active, 0 if ranks is None else ranks(active))
        machine.tokens.arrive(found.site, active, keys, bytes)

    return run


def _cp_async_arrive(machine: Machine, op: gpu.CpAsyncArriveOp) -> Step:
    found = BarrierObject(machine, op)

    def run(active: Active) -> None:
        keys = found.keys(active)
        machine.tokens.arrive_after_copies(found.site, active, keys, machine.copies)

    return run


class _PhaseWait(Wait):
    def __init__(self, machine: Machine, op: gpu.MbarrierWaitOp):
        self.machine = machine
        self.object = BarrierObject(machine, op)
        self.slot = machine.slot(op.parity)

    def _asked(self, active: Active) -> tuple[Site, Active, Keys, Integers]:
        parity = np.broadcast_to(active.of(self.machine.values[self.slot]), active.count)
        bad = (parity != 0) & (parity != 1)
        if bad.any():
            thread = int(active.threads[np.argmax(bad)])
            text = f"waits for parity {parity[np.argmax(bad)]}; it is 0 or 1"
            self.object.site.fail(self.machine.batch, thread, text)
        return self.object.site, active, self.object.keys(active), parity

    def is_over(self, active: Active) -> Booleans:
        return self.machine.tokens.is_over(*self._asked(active))

    def go_on(self, active: Active) -> None:
        self.machine.tokens.acquire(*self._asked(active))

    def lacks(self, active: Active) -> str:
        site, _, keys, parity = self._asked(active)
        phases, _ = next(self.machine.tokens.find(site, active, keys))
        return f"{phases.lacks}, and it waits for parity {parity[0]}"


class _Meeting(Wait):
    """A numbered barrier of the block."""

    def __init__(self, machine: Machine, op: gpu.NamedBarrierOp):
        self.machine = machine
        self.site = Site(op)
        self.slot = machine.slot(op.number)
        self.threads = op.threads.value.data

    def keys(self, active: Active) -> Keys:
        batch = self.machine.batch
        number = np.broadcast_to(active.of(self.machine.values[self.slot]), active.count)
        bad = (number < 1) | (number >= BARRIERS)
        if bad.any():
            thread = int(active.threads[np.argmax(bad)])
            self.site.fail(
                batch, thread, f"names barrier {number[np.argmax(bad)]}; 1 to 15 are free"
            )
        return -1 - (batch.block_slot[active.index] * BARRIERS + number)

    def arrive(self, active: Active) -> None:
        self.machine.tokens.meet(self.site, active, self.keys(active), self.threads)

    def is_over(self, active: Active) -> Booleans:
        return self.machine.tokens.has_met(self.site, active, self.keys(active))

    def go_on(self, active: Active) -> None:
        self.machine.tokens.leave(self.site, active, self.keys(active))

    def lacks(self, active: Active) -> str:
        phases, _ = next(self.machine.tokens.find(self.site, active, self.keys(active)))
        return phases.lacks


def _mbarrier_wait(machine: Machine, op: gpu.MbarrierWaitOp) -> Step:
    machine.waits[op] = _PhaseWait(machine, op)
    return nothing


def _named_barrier(machine: Machine, op: gpu.NamedBarrierOp) -> Step:
    meeting = _Meeting(machine, op)
    if op.acquires is not None:
        machine.waits[op] = meeting
    return meeting.arrive


def _bulk_copy(machine: Machine, op: gpu.BulkCopyOp) -> Step:
    found, site = BarrierObject(machine, op), Site(op)
    read, written, _ = op.accesses()
    source, destination = machine.place(read, site), machine.place(written, site)

    def run(active: Active) -> None:
        keys = found.keys(active)
        buffer, at = source(active)
        data = buffer.read(site, active, at, read.elements)
        buffer, at = destination(active)
        assert isinstance(buffer, SharedBuffer)
        piece = buffer.locate(site, active, at, written.elements)
        machine.tokens.start_copy(site, active, keys, buffer, piece, data)

    return run


def _st_async(machine: Machine, op: gpu.StAsyncOp) -> Step:
    found, site = BarrierObject(machine, op), Site(op)
    read, written, _ = op.accesses()
    source, destination = machine.place(read, site), machine.place(written, site)
    ranks = ranks_beside(machine, op.rank, site)

    def run(active: Active) -> None:
        beside = ranks(active)
        keys = found.keys(active, beside)
        registers, at = source(active)
        data = registers.read(site, active, at, read.elements)
        buffer, at = destination(active)
        assert isinstance(buffer, SharedBuffer)
        piece = buffer.locate(site, active, at, written.elements, beside)
        machine.tokens.start_copy(site, active, keys, buffer, piece, data)

    return run


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.MbarrierInitOp: _mbarrier_init,
    gpu.MbarrierArriveOp: _mbarrier_arrive,
    gpu.CpAsyncArriveOp: _cp_async_arrive,
    gpu.MbarrierWaitOp: _mbarrier_wait,
    gpu.BarSyncOp: _named_barrier,
    gpu.BarArriveOp: _named_barrier,
    gpu.BulkCopyOp: _bulk_copy,
    gpu.StAsyncOp: _st_async,
}
