"""Matrix instructions, by the layouts of ``dlc/arch/fragments.py``."""

from collections.abc import Mapping

import numpy as np
from xdsl.ir import Operation

from dlc.arch.fragments import (
    WARP_LANES,
    Fragment,
    ldmatrix_position,
)
from dlc.arch.instruction import Instruction
from dlc.arch.tf32 import cut_off
from dlc.dialects import gpu
from dlc.simulator._buffer import Array
from dlc.simulator._faults import Site
from dlc.simulator._machine import Compiler, Machine, Step
from dlc.simulator._threads import Active, Integers

_LANES = np.arange(WARP_LANES)


def by_place(fragment: Fragment) -> tuple[Integers, Integers]:
    """Return the lane and the slot of each element: rows x columns."""
    holders = [
        [fragment.holder(row, column) for column in range(fragment.columns)]
        for row in range(fragment.rows)
    ]
    lane, slot = np.moveaxis(np.array(holders), -1, 0)
    return lane, slot


def by_lane(fragment: Fragment) -> tuple[Integers, Integers]:
    """Return the row and the column of each slot of each lane: lanes x slots."""
    places = [
        [fragment.position(lane, slot) for slot in range(fragment.slots)]
        for lane in range(WARP_LANES)
    ]
    row, column = np.moveaxis(np.array(places), -1, 0)
    return row, column


def _mma(machine: Machine, op: gpu.MmaOp) -> Step:
    site, it = Site(op), op.instruction
    places = [machine.place(access, site) for access in op.accesses()]
    layouts = [(f.slots, *by_place(f)) for f in it.fragments]
    row, column = by_lane(it.fragments[2])

    def run(active: Active) -> None:
        operands: list[Array] = []
        for place, (slots, lane, slot) in zip(places, layouts, strict=True):
            buffer, first = place(active)
            held = buffer.read(site, active, first, slots).reshape(-1, WARP_LANES, slots)
            operands.append(held[:, lane, slot])
        result = product(it, *operands)
        buffer, first = places[2](active)
        buffer.write(site, active, first, result[:, row, column].reshape(active.count, -1))

    return run


def product(it: Instruction, a: Array, b: Array, c: Array) -> Array:
    """Return ``c + a @ b`` as an instruction computes it, for matrices or batches of them.

    Integers go through ``f64``, where the products of one instruction are exact.
    """
    wide = np.float32 if c.dtype.kind == "f" else np.float64
    x, y = (cut_off(x.astype(wide, copy=False), it.ignored_bits) for x in (a, b))
    return c + (x @ y).astype(c.dtype, copy=False)


def _matrix_places(op: gpu.MatrixMoveOp) -> tuple[Integers, Integers, Integers]:
    """Return the matrix, the row and the column of each element of each lane: lanes x elements."""
    transposed = op.transpose is not None
    places = [
        [ldmatrix_position(lane, slot, op.pack, transposed) for slot in range(op.lane_elements)]
        for lane in range(WARP_LANES)
    ]
    matrix, row, column = np.moveaxis(np.array(places), -1, 0)
    return matrix, row, column


def _naming(machine: Machine, op: gpu.MatrixMoveOp, active: Active) -> Active:
    """Return the threads that name a row: the first 8 lanes for each matrix."""
    naming = active.where(machine.batch.thread % WARP_LANES < 8 * op.matrices.value.data)
    assert naming is not None
    return naming


def _ldmatrix(machine: Machine, op: gpu.LdmatrixOp) -> Step:
    site, matrices = Site(op), op.matrices.value.data
    read, written = op.accesses()
    source, fragment = machine.place(read, site), machine.place(written, site)
    matrix, row, column = _matrix_places(op)

    def run(active: Active) -> None:
        naming = _naming(machine, op, active)
        buffer, first = source(naming)
        rows = buffer.read(site, naming, first, read.elements)
        held = rows.reshape(-1, matrices, 8, read.elements)[:, matrix, row, column]
        buffer, first = fragment(active)
        buffer.write(site, active, first, held.reshape(active.count, written.elements))

    return run


def _stmatrix(machine: Machine, op: gpu.StmatrixOp) -> Step:
    site, matrices = Site(op), op.matrices.value.data
    read, written = op.accesses()
    fragment, destination = machine.place(read, site), machine.place(written, site)
    matrix, row, column = _matrix_places(op)

    def run(active: Active) -> None:
        naming = _naming(machine, op, active)
        buffer, first = fragment(active)
        held = buffer.read(site, active, first, read.elements).reshape(
            -1, WARP_LANES, read.elements
        )
        rows = np.empty((len(held), matrices, 8, written.elements), held.dtype)
        rows[:, matrix, row, column] = held
        buffer, first = destination(naming)
        buffer.write(site, naming, first, rows.reshape(-1, written.elements))

    return run


COMPILERS: Mapping[type[Operation], Compiler] = {
    gpu.MmaOp: _mma,
    gpu.LdmatrixOp: _ldmatrix,
    gpu.StmatrixOp: _stmatrix,
}
