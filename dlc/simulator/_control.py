"""Conditions and loops: both branches, and iterations until the last thread is done, by masks."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation

from dlc.dialects import gpu, loop
from dlc.simulator._machine import Compiler, Machine, Step, expression, nothing
from dlc.simulator._scalars import constant
from dlc.simulator._threads import Active, Value


def _constant(machine: Machine, op: arith.ConstantOp) -> Step:
    value, slot = constant(op), machine.slot(op.result)
    machine.values[slot] = value
    return nothing


def _index(machine: Machine, op: loop.IndexOp) -> Step:
    evaluate, values = expression(op.expr), machine.values
    slots, result = machine.slots(op.indices), machine.slot(op.value)

    def run(active: Active) -> None:
        values[result] = evaluate([values[slot] for slot in slots])

    return run


def _thread_id(machine: Machine, op: gpu.ThreadIdOp) -> Step:
    slot, axis = machine.slot(op.output), op.axis

    def run(active: Active) -> None:
        machine.values[slot] = machine.batch.thread_ids(axis)

    return run


def _block_id(machine: Machine, op: gpu.BlockIdOp) -> Step:
    slot, axis = machine.slot(op.output), op.axis

    def run(active: Active) -> None:
        machine.values[slot] = machine.batch.block_ids(axis)

    return run


def _cluster_rank(machine: Machine, op: gpu.ClusterRankOp) -> Step:
    slot = machine.slot(op.output)

    def run(active: Active) -> None:
        machine.values[slot] = machine.batch.cluster_rank

    return run


def yielded(machine: Machine, block: Block) -> list[int]:
    """Return the slots of what a block of a condition or loop ends with."""
    last = block.last_op
    return machine.slots(last.operands) if isinstance(last, scf.YieldOp) else []


def _if(machine: Machine, op: scf.IfOp) -> Step:
    values, condition = machine.values, machine.slot(op.cond)
    results = machine.slots(op.results)
    blocks = [r.blocks[0] for r in (op.true_region, op.false_region) if r.blocks]
    branches = [(machine.block(b), yielded(machine, b)) for b in blocks]

    def run(active: Active) -> None:
        chosen = values[condition]
        sides = [active.where(chosen), active.where(np.logical_not(chosen))]
        given: list[list[Value]] = []
        for side, (step, slots) in zip(sides, branches, strict=False):
            if side is not None:
                step(side)
                given.append([values[slot] for slot in slots])
        both = len(given) == 2
        for number, result in enumerate(results):
            first = given[0][number]
            values[result] = np.where(chosen, first, given[1][number]) if both else first

    return run


def _for(machine: Machine, op: scf.ForOp) -> Step:
    return _Loop(machine, op).run


class _Loop:
    def __init__(self, machine: Machine, op: scf.ForOp):
        body = op.body.block
        self.values = machine.values
        self.bounds = machine.slots([op.lb, op.ub, op.step])
        self.initial = machine.slots(op.iter_args)
        self.variable, *self.carried = machine.slots(body.args)
        self.body = machine.block(body)
        self.yielded = yielded(machine, body)
        self.results = machine.slots(op.results)

    def run(self, active: Active) -> None:
        values = self.values
        lower, upper, step = (values[slot] for slot in self.bounds)
        self._set(self.carried, self.initial)
        if np.ndim(lower) == np.ndim(upper) == np.ndim(step) == 0:
            for index in range(int(lower), int(upper), int(step)):
                values[self.variable] = index
                self.body(active)
                self._set(self.carried, self.yielded)
        else:
            self._run_by_masks(active, lower, upper, step)
        self._set(self.results, self.carried)

    def _run_by_masks(self, active: Active, index: Value, upper: Value, step: Value) -> None:
        values = self.values
        while (inside := active.where(index < upper)) is not None:
            values[self.variable] = index
            before = [values[slot] for slot in self.carried]
            self.body(inside)
            self._set(self.carried, self.yielded)
            if inside is not active:
                self._restore(inside, before)
            active, index = inside, index + step

    def _restore(self, inside: Active, before: Sequence[Value]) -> None:
        for slot, old in zip(self.carried, before, strict=True):
            self.values[slot] = np.where(inside.mask, self.values[slot], old)

    def _set(self, targets: Sequence[int], sources: Sequence[int]) -> None:
        """Copy values; all are read before any is set, for loops may swap what they carry."""
        given = [self.values[slot] for slot in sources]
        for slot, value in zip(targets, given, strict=True):
            self.values[slot] = value


COMPILERS: Mapping[type[Operation], Compiler] = {
    arith.ConstantOp: _constant,
    loop.IndexOp: _index,
    gpu.ThreadIdOp: _thread_id,
    gpu.BlockIdOp: _block_id,
    gpu.ClusterRankOp: _cluster_rank,
    gpu.EndOp: lambda machine, op: nothing,
    scf.YieldOp: lambda machine, op: nothing,
    scf.IfOp: _if,
    scf.ForOp: _for,
}
