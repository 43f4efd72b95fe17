"""The barrier at which all blocks of a launch wait for each other."""

from collections.abc import Mapping
from math import prod

import numpy as np
from xdsl.ir import Operation

from dlc.dialects import gpu
from dlc.simulator._buffer import First
from dlc.simulator._faults import Site
from dlc.simulator._global import GlobalBuffer
from dlc.simulator._machine import Compiler, Machine, Step
from dlc.simulator._published import FilledBuffer
from dlc.simulator._threads import Active


class _Counter:
    """The counter of one barrier: what its blocks find there and what they leave."""

    def __init__(self, machine: Machine, op: gpu.GridBarrierOp):
        self.machine, self.site = machine, Site(op)
        (access,) = op.accesses()
        self._place = machine.place(access, self.site)
        self._number = op.number.value.data
        self._blocks = prod(machine.kernel.grid_size)

    def count(self, active: Active) -> None:
        """Let all blocks arrive; fail where the last one would not let all of them go on."""
        buffer, first = self._place(active)
        assert isinstance(buffer, GlobalBuffer)
        if not isinstance(buffer, FilledBuffer):
            self._fail(active, "counts in a buffer that is not filled")
        at = self._one(active, first)
        before, blocks = int(buffer.data[at]), self._blocks
        if (before + 1) % blocks:
            self._fail(active, f"finds {before} in its counter, which something else has changed")
        if before + 1 != (self._number - 1) * blocks:
            come = (before + 1) // blocks + 1
            self._fail(active, f"has the number {self._number}, and is barrier {come} to come")
        buffer.data[at] += blocks

    def _one(self, active: Active, first: First) -> int:
        places = np.unique(first)
        if len(places) > 1:
            self._fail(active, "counts in several places")
        return int(places[0])

    def _fail(self, active: Active, text: str) -> None:
        self.site.fail(self.machine.batch, int(active.threads[0]), text)


def _grid_barrier(machine: Machine, op: gpu.GridBarrierOp) -> Step:
    counter = _Counter(machine, op)
    slots = machine.slots(machine.kernel.body.block.args)

    def run(active: Active) -> None:
        counter.count(active)
        machine.batch.pass_barrier(np.ones(len(machine.batch.blocks), np.bool_))
        machine.grid.meet(machine.batch, active)
        for buffer in (*(machine.values[slot] for slot in slots), *machine.counters):
            assert isinstance(buffer, GlobalBuffer)
            buffer.pass_grid_barrier()

    return run


COMPILERS: Mapping[type[Operation], Compiler] = {gpu.GridBarrierOp: _grid_barrier}
