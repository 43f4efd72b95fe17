"""Registers per thread of a contraction, as the assembler allots them.

The assembler unrolls, keeps addresses and loads ahead as it sees fit; these lines were fitted to
what it said about 3,700 kernels (``test/data/contraction-space-h200.jsonl.gz`` and ``-2-``). With
them the blocks that an SM holds are right for 84 % of the kernels, and off by at most one for 94 %.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import WARPGROUP_WARPS

if TYPE_CHECKING:
    from dlc.model.contraction.tiles import Tiles

OTHER_REGISTERS = 16
"""That any kernel needs beside its buffers, at least: indices, addresses, the stack pointer."""

_FIXED = 33.0
"""Addresses and loop counters."""

_OF_ACCUMULATOR = 1.28
"""Of an accumulator: its register, and what the epilogue makes of it."""

_OF_FRAGMENT = -0.88
"""Of a register of fragments: large ones leave the assembler less to load ahead."""

_OF_FRAGMENT_AHEAD = 0.29
_OF_INTERLEAVED_FRAGMENT_AHEAD = 0.52
"""The same where an odd number of stages makes it load fragments before their use."""

_OF_GUARD = 4.8
_OF_GUARDED_COPY = 4.15
_MOST_GUARDED_COPIES = 8
"""Of a position in the padding, and of each copy that looks at it; more are computed anew."""

_OF_SPLIT = 0.24
"""Of an accumulator whose sum is cut among blocks: the other parts of it."""

_OF_EPILOGUE = 0.12
"""Of an accumulator from which more is computed than its sum: 15 for the largest tiles of a warp,
the median of 66 kernels of models.
"""

_STEPS = (128.0, 168.0)
_ABOVE_A_STEP = 1.07
"""With no more registers an SM holds four and three blocks of 128 threads. The assembler computes
addresses again rather than needing a few more; tensor copies have none that it could.
"""

_FIXED_OF_PRODUCTS = 38.0
"""Addresses, descriptors and loop counters where instructions read shared memory themselves: 26 to
38 in kernels of 32 to 128 sums a thread.
"""

_OF_READS = 16.0
"""Of what the epilogue reads for the neighbours that a thread stores together, where that is more
than a row for all: 144 for 96 sums and a residual, 128 for 96 sums and a bias.
"""

_FEW_ROWS = 8
"""Vectors along the columns that an epilogue may have."""

_OF_OPERATIONS = 8.0
_FEW_OPERATIONS = 16
"""Of what an epilogue of more operations than a few, or of several results, computes for these
neighbours. With 192 sums a thread, of 232 registers, all of them spill: a residual 168 bytes, GELU
80, three results 72.
"""

_OF_PART = 26.0
"""Of the registers of the main loop, those that hold a part of another block's sums at the end."""

_FMA_FIXED = 24.0
_FMA_REGISTERS = 4
"""What a thread loads of each row or column for a step: of lines along the reduction at once, of
others because the other factor's are.
"""
_LONG_LINE = 64
"""The bytes of a line from which on there is a next part to load ahead."""

_LEAST, _MOST = 24.0, 255.0
_UNIT = 8
"""Registers of a thread come in so many (PTX ISA, "setmaxnreg")."""
_WARPGROUP_THREADS = WARPGROUP_WARPS * WARP_LANES

Floats = npt.NDArray[np.float64]


def registers(tiles: "Tiles") -> Floats:
    """Return the registers per thread of each tiling."""
    rows, columns = tiles.m / tiles.warps_m, tiles.n / tiles.warps_n
    accumulators = rows * columns / WARP_LANES
    if tiles.instruction.is_asynchronous:
        found = _of_warpgroups(tiles, accumulators)
    elif tiles.instruction.spreads_fragments:
        found = _of_warps(tiles, accumulators, (rows + columns) / 4)
    else:
        found = _of_threads(tiles, accumulators, rows, columns)
    for step in _STEPS:
        above = (found > step) & (found < step * _ABOVE_A_STEP) & (tiles.tensor == 0)
        found = np.where(above, step, found)
    shared = _of_roles(tiles)
    found = np.clip(found, _LEAST, np.where(tiles.producers > 0, shared, _MOST))
    return np.where(tiles.kept > 0, shared, found)


def spills(tiles: "Tiles") -> npt.NDArray[np.bool_]:
    """Return whether threads that multiply need more registers than others leave them."""
    work = tiles.work
    sums = tiles.m * tiles.n / (tiles.warps * WARP_LANES)
    is_long = work.operations > _FEW_OPERATIONS or work.results > 1
    computed = _OF_OPERATIONS if is_long else 0.0
    needed = _FIXED_OF_PRODUCTS + sums + _of_reads(tiles) + computed
    return (tiles.kept > 0) & (needed > tiles.kept)


def _of_roles(tiles: "Tiles") -> Floats:
    """Return the registers that each thread has at the launch of a block with producers, before
    these give theirs to the others: the assembler counts in whole warpgroups.
    """
    threads = (
        np.ceil((tiles.warps * tiles.turns + tiles.producers) / WARPGROUP_WARPS)
        * _WARPGROUP_THREADS
    )
    return np.minimum(_MOST, GpuArch.registers_per_sm // threads // _UNIT * _UNIT)


def _of_warps(tiles: "Tiles", accumulators: Floats, fragments: Floats) -> Floats:
    work = tiles.work
    has_epilogue = work.operations > 0 or work.read_bytes > 0
    interleaved = tiles.interleave > 1
    ahead = np.where(interleaved, _OF_INTERLEAVED_FRAGMENT_AHEAD, _OF_FRAGMENT_AHEAD)
    of_fragment = _OF_FRAGMENT + np.where(tiles.stages % 2 == 1, ahead, 0)
    of_accumulator = _OF_ACCUMULATOR + np.where(tiles.split > 1, _OF_SPLIT, 0)
    of_accumulator = of_accumulator + _OF_EPILOGUE * has_epilogue
    found = _FIXED + of_accumulator * accumulators + of_fragment * fragments
    return found + _of_guards(tiles)


def _of_warpgroups(tiles: "Tiles", accumulators: Floats) -> Floats:
    """Return those of tiles of products that read shared memory: sums, and what copies need."""
    parts = np.where(tiles.split > 1, accumulators - _OF_PART, 0)
    return _FIXED_OF_PRODUCTS + accumulators + parts + _of_reads(tiles) + _of_guards(tiles)


def _of_reads(tiles: "Tiles") -> float:
    """Return those of what the epilogue reads."""
    work = tiles.work
    rows = work.read_bytes / (work.written_bytes / (work.batch * work.m))
    return _OF_READS if rows > _FEW_ROWS else 0.0


def _of_guards(tiles: "Tiles") -> Floats:
    work = tiles.work
    if not work.guarded or not work.lhs_copy:
        return 0 * tiles.m
    copies = tiles.m * tiles.line_bytes / work.lhs_copy / (WARP_LANES * tiles.warps)
    return _OF_GUARD + _OF_GUARDED_COPY * np.minimum(copies, _MOST_GUARDED_COPIES)


def _of_threads(tiles: "Tiles", accumulators: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return those of tiles of multiply-adds: sums and the parts of both factors in them. A single
    stage lets the assembler load the next part ahead, and so does a split sum of a large tile.
    """
    down, across = tiles.instruction.lanes
    loaded = _FMA_REGISTERS if tiles.work.lhs_along_k or tiles.work.rhs_along_k else 1
    fragments = loaded * (rows / down + columns / across)
    deep = tiles.line_bytes >= _LONG_LINE
    ahead = deep & ((tiles.stages == 1) | ((tiles.split > 1) & (accumulators >= 64)))
    sums = accumulators * tiles.work.compute_bytes / 4
    return _FMA_FIXED + sums + np.where(ahead, 2, 1) * fragments
