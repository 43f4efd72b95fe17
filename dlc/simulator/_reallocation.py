"""Warpgroups that give registers back to their block, and others that wait for them."""

from collections.abc import Mapping

from xdsl.ir import Operation

from dlc.dialects import gpu
from dlc.simulator._machine import Compiler, Machine, Step, Wait, nothing
from dlc.simulator._threads import Active, Booleans


class _Reallocation(Wait):
    def __init__(self, machine: Machine, op: gpu.SetRegistersOp):
        self.machine = machine
        self.count = op.count.value.data

    def is_over(self, active: Active) -> Booleans:
        missing = self.machine.held.missing(active, self.count)
        return missing[self.machine.batch.block_slot[active.index]] <= 0

    def go_on(self, active: Active) -> None:
        self.machine.held.held[active.index] = self.count
        self.machine.tokens.changes += 1

    def lacks(self, active: Active) -> str:
        block = self.machine.batch.block_slot[active.threads[0]]
        missing = int(self.machine.held.missing(active, self.count)[block])
        return (
            f"for {self.count} registers a thread, {missing} more are needed than the "
            f"{self.machine.held.of_block} that the block was launched with"
        )


def _set_registers(machine: Machine, op: gpu.SetRegistersOp) -> Step:
    machine.waits[op] = _Reallocation(machine, op)
    return nothing


COMPILERS: Mapping[type[Operation], Compiler] = {gpu.SetRegistersOp: _set_registers}
