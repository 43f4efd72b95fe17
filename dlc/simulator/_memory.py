"""Allocations, loads and stores, vector copies, atomics."""

from collections.abc import Mapping
from math import prod

import numpy as np
from xdsl.ir import Operation

from dlc.dialects import gpu, loop
from dlc.ir.space import buffer_type
from dlc.ir.tensor import compute_type, numpy_dtype
from dlc.simulator._buffer import AtomicBuffer, RegisterBuffer, one_per_thread
from dlc.simulator._faults import Site
from dlc.simulator._global import GlobalBuffer
from dlc.simulator._guarded_registers import GuardedRegisters
from dlc.simulator._machine import Compiler, Machine, Step, index_expressions, nothing
from dlc.simulator._scalars import scalar_dtype
from dlc.simulator._shared import SharedBuffer
from dlc.simulator._threads import Active, Value


def _shared_alloc(machine: Machine, op: gpu.SharedAllocOp) -> Step:
    slot, dtype = machine.slot(op.output), numpy_dtype(buffer_type(op.output).element_type)
    offset = 0 if op.offset is None else op.offset.value.data

    def run(active: Active) -> None:
        machine.values[slot] = SharedBuffer(machine.shared, offset, dtype, op.swizzle)

    return run


def _register_alloc(machine: Machine, op: gpu.RegisterAllocOp) -> Step:
    type = buffer_type(op.output)
    slot, dtype = machine.slot(op.output), numpy_dtype(type.element_type)
    elements = prod(type.get_shape())
    guarded = machine.checks and any(isinstance(x.operation, gpu.WgmmaOp) for x in op.output.uses)

    def run(active: Active) -> None:
        buffer = None if active.full else machine.registers.get(slot)
        if buffer is None and guarded:
            buffer = GuardedRegisters(machine.batch, elements, dtype)
            machine.registers[slot] = buffer
        elif buffer is None:
            buffer = RegisterBuffer(machine.batch, elements, dtype, machine.checks)
            machine.registers[slot] = buffer
        else:  # those of other threads stand in it
            buffer.forget(active)
        machine.values[slot] = buffer

    return run


def _counter_alloc(machine: Machine, op: gpu.CounterAllocOp) -> Step:
    type = buffer_type(op.output)
    zeros = np.zeros(type.get_shape(), numpy_dtype(type.element_type))
    counters = GlobalBuffer("a counter", zeros, written=True, initial=True, checks=machine.checks)
    machine.counters.append(counters)
    machine.values[machine.slot(op.output)] = counters
    return nothing


def _load(machine: Machine, op: loop.LoadOp) -> Step:
    (access,) = op.accesses()
    site, values, result = Site(op), machine.values, machine.slot(op.value)
    place, dtype = machine.place(access, site), scalar_dtype(op.value.type)

    def run(active: Active) -> None:
        buffer, first = place(active)
        loaded = buffer.read(site, active, first, 1)[:, 0].astype(dtype)
        values[result] = active.spread(loaded)

    return run if not op.guard_axes else _guarded(machine, op, run)


def _guarded(machine: Machine, op: loop.LoadOp, load: Step) -> Step:
    (access,) = op.accesses()
    assert op.fill is not None
    fill = scalar_dtype(op.value.type).type(op.fill.value.data)
    axes, sizes = index_expressions(access), access.type.get_shape()
    values, result = machine.values, machine.slot(op.value)
    slots = machine.slots(access.operands)

    def run(active: Active) -> None:
        dims = [values[slot] for slot in slots]
        inside: Value = True
        for axis in op.guard_axes:
            index = axes[axis](dims)
            inside = inside & (index >= 0) & (index < sizes[axis])
        where = active.where(inside)
        if where is None:
            values[result] = fill
            return
        load(where)
        if where is not active:
            values[result] = np.where(where.mask, values[result], fill)

    return run


def _store(machine: Machine, op: loop.StoreOp) -> Step:
    (access,) = op.accesses()
    site, values, value = Site(op), machine.values, machine.slot(op.value)
    place, dtype = machine.place(access, site), numpy_dtype(access.type.element_type)

    def run(active: Active) -> None:
        buffer, first = place(active)
        stored = np.asarray(active.of(values[value])).astype(dtype)
        buffer.write(site, active, first, np.broadcast_to(stored, active.count)[:, None])

    return run


def _copy(machine: Machine, op: gpu.CopyOp) -> Step:
    site, count = Site(op), op.elements.value.data
    source, destination = (machine.place(access, site) for access in op.accesses())

    def run(active: Active) -> None:
        buffer, first = source(active)
        data = buffer.read(site, active, first, count)
        buffer, first = destination(active)
        buffer.write(site, active, first, data)

    return run


def _atomic_add(machine: Machine, op: gpu.AtomicAddOp) -> Step:
    (access,) = op.accesses()
    site, values = Site(op), machine.values
    place, value, result = (
        machine.place(access, site),
        machine.slot(op.value),
        machine.slot(op.output),
    )
    dtype = numpy_dtype(compute_type(access.type.element_type))

    def run(active: Active) -> None:
        buffer, first = place(active)
        assert isinstance(buffer, AtomicBuffer)
        added = np.broadcast_to(np.asarray(active.of(values[value]), dtype), active.count)
        where = one_per_thread(first, active)
        values[result] = active.spread(buffer.atomic_add(site, active, where, added))

    return run


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.SharedAllocOp: _shared_alloc,
    gpu.CounterAllocOp: _counter_alloc,
    gpu.RegisterAllocOp: _register_alloc,
    loop.LoadOp: _load,
    loop.StoreOp: _store,
    gpu.CopyOp: _copy,
    gpu.AtomicAddOp: _atomic_add,
}
