"""The schedules of ``row`` on a GPU that there are to choose from."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import LINE_BYTES
from dlc.arch.scope import CLUSTER_BLOCKS
from dlc.lowering.straight import HELD_ELEMENTS
from dlc.strategies.row.schedule import ACROSS, KEPT_BYTES, RowOnGpu, lines, rounds
from dlc.strategies.row.work import BLOCK_ROWS, RowWork, line_vectors, vectors

_SHAPES = (
    *((WARP_LANES, rows) for rows in BLOCK_ROWS),
    *((threads, 1) for threads in (64, 128, 256, 512, 1024)),
)
_LEAST_WARPS = 4
"""Of a block, each with a row, where there are more rows than SMs, few of an SM: with one or two
the kernels of a model around it take longer. ViT-B/16, whose norms have 197 rows, takes 325 us with
four, 355 with two, 360 with one (docs/performance.md, "Norms of 197 rows").
"""
_HOLDERS = (256, 512, 1024)
"""Threads that share a row in shared memory."""
_IN_REGISTERS = 512 * HELD_ELEMENTS
"""Elements of a row up to which registers of half of the largest block hold it: they are faster."""
_CLUSTERS = (*CLUSTER_BLOCKS[1:], CLUSTER_BLOCKS[0])
"""The smallest last: it hardly ever holds a row, and of equals the first is taken."""
_ROUNDS = (2, 3, 4, 5, 6, 7, 8, 10)
"""Lines of a thread of a cluster: so many that its threads have hardly any beyond the row."""
_HELD_ROUNDS = (5, 7)
"""The same of lines in shared memory."""
_BEYOND = 1.05
"""Lines of all threads in units of those of the row, where they stand there."""
_HELD_ELEMENT_BYTES = 2
"""Of an element whose lines stand there at most: in a register it takes twice as much when it is
computed with. Others stay in registers with all that is computed of them.
"""
_SHARE_BYTES = 32 << 10
"""Of a row that a block of a cluster has, unless there are too few blocks: an SM has several, of
which some load while others compute.
"""
_LEAST_TEAM = 128
_FEW_THREADS = (4, 8, 16)
_FEW_BLOCKS = (128, 256)
"""Lanes of a warp that share a short row, and threads of a block of such rows."""
_SHORT_BYTES = 256
"""Of a row that a few lanes share: pieces of longer ones are in too many lines at a time."""
_PACKERS = (2, 4, 8, 16, 32)
"""Threads that share a row of a run."""
_PACKED_BYTES = 48 << 10
"""Of a run, read and written, at most: so that an SM has several blocks."""
_TURNERS, _TURNS, _TURNED_THREADS = 8, 2, (32, 64)
"""Threads of a row and rows of a team where threads keep weights, and the threads of a block."""
_SPLITS = (4, 16, 64, 256)
_LEAST_STEPS = 4
"""A thread goes through its part of a row in at least so many."""
_TEAMS = (32, 16, 8, 4, 64, 128, 256)
_SHARERS = (1, 4, 8, 16, 32, 64, 128)
"""Neighbouring teams, and threads of one, where lanes go across rows."""


def candidates(work: RowWork, arch: GpuArch) -> Iterator[RowOnGpu]:
    """Yield the schedules of the space; vectors take at most 16 bytes."""
    if "cluster" in arch.capabilities:
        yield from _clusters(work)
    for whole in (*_along(work, arch), *_across(work)):
        yield whole
        parts = work.may_split and not (whole.held or whole.keeps(work.length))
        for split in _SPLITS if parts else ():
            taken = whole.threads * (1 if whole.across else whole.vector)
            if work.length >= _LEAST_STEPS * split * taken:
                yield replace(whole, split=split)


def _along(work: RowWork, arch: GpuArch) -> Iterator[RowOnGpu]:
    several = arch.sm_count < work.rows <= _LEAST_WARPS * arch.sm_count
    yield from _kept(work)
    yield from _packed(work)
    for vector in vectors(work):
        for threads in _HOLDERS:
            if work.feeding_bytes and work.length > _IN_REGISTERS:
                yield RowOnGpu(threads, 1, vector, held=True)
        for threads, rows in _SHAPES:
            is_warp = threads == WARP_LANES and not (several and rows < _LEAST_WARPS)
            if is_warp or WARP_LANES < threads < 2 * work.length / vector:
                yield RowOnGpu(threads, rows, vector)
        for threads in _FEW_THREADS:
            short = work.length * work.widest_bytes <= _SHORT_BYTES
            if work.contiguous and short and threads * vector <= work.length:
                for block in _FEW_BLOCKS:
                    yield RowOnGpu(threads, block // threads, vector)


def _kept(work: RowWork) -> Iterator[RowOnGpu]:
    """Yield schedules of rows whose lines do not divide them, where single elements of a warp are
    not whole lines of a cache anyway.
    """
    if WARP_LANES * work.widest_bytes >= LINE_BYTES:
        return
    for vector in line_vectors(work):
        most = _most_rounds(work, vector)
        for threads in (*_FEW_THREADS, *(threads for threads, _ in _SHAPES)):
            each = rounds(work.length, vector, threads)
            few = threads * vector < 2 * work.length
            if few and each <= most and (threads > WARP_LANES or each * vector <= HELD_ELEMENTS):
                for block in _FEW_BLOCKS if threads <= WARP_LANES else (threads,):
                    yield RowOnGpu(threads, block // threads, vector)


def _packed(work: RowWork) -> Iterator[RowOnGpu]:
    """Yield schedules of rows that start anywhere in a line, some of them one run of memory, where
    single elements of a warp are not whole lines of a cache anyway.
    """
    whole = WARP_LANES * work.widest_bytes >= LINE_BYTES and work.length > 2 * WARP_LANES
    if whole or work.may_pack(1):
        return
    for threads in _PACKERS:
        if work.length <= threads * HELD_ELEMENTS:
            for block in _FEW_BLOCKS:
                rows = block // threads
                if work.may_pack(rows) and rows * work.element_bytes <= _PACKED_BYTES:
                    yield RowOnGpu(threads, rows, packed=True)
    yield from _in_turns(work)


def _in_turns(work: RowWork) -> Iterator[RowOnGpu]:
    """Yield schedules of rows of a run that a team does one after the other, with weights that its
    threads keep.
    """
    few = work.weights > 0 and work.length <= _TURNERS * HELD_ELEMENTS
    for block in _TURNED_THREADS if few else ():
        rows = block // _TURNERS * _TURNS
        if work.may_pack(rows) and rows * work.element_bytes <= _PACKED_BYTES:
            yield RowOnGpu(_TURNERS, rows, packed=True, turns=_TURNS)


def _most_rounds(work: RowWork, vector: int) -> int:
    """Return the lines that a thread may have: of a row that it goes through again, keep."""
    if work.passes == 1:
        return work.length
    return KEPT_BYTES * work.length // (vector * work.made_of_bytes)


def _clusters(work: RowWork) -> Iterator[RowOnGpu]:
    """Yield schedules of rows that several blocks share, each thread with some rounds of lines."""
    if not work.is_dense or not work.feeding_bytes or work.length <= _IN_REGISTERS:
        return
    share = max(_SHARE_BYTES, 2 * work.made_of_bytes / max(_CLUSTERS))
    kinds = [(each, False) for each in _ROUNDS]
    kinds += [(each, True) for each in _HELD_ROUNDS if work.widest_bytes <= _HELD_ELEMENT_BYTES]
    for vector in dict.fromkeys((*vectors(work), *line_vectors(work))):
        most, all_lines = _most_rounds(work, vector), lines(work.length, vector)
        for cluster in _CLUSTERS if vector > 1 else ():
            for each, held in kinds:
                sharers = ceil(rounds(work.length, vector, cluster * each) / WARP_LANES)
                threads = sharers * WARP_LANES
                taken = each * threads * vector * work.made_of_bytes / work.length
                few = each * threads * cluster <= _BEYOND * all_lines
                fits = few if held else each <= most
                if fits and taken <= share and _LEAST_TEAM <= threads <= 1024:
                    yield RowOnGpu(threads, 1, vector, held=held, cluster=cluster)


def _across(work: RowWork) -> Iterator[RowOnGpu]:
    for vector in work.across_vectors:
        for lanes in _TEAMS:
            for threads in _SHARERS:
                shares = threads > 1 or work.length >= WARP_LANES  # shorter ones are a map's
                if shares and 64 <= lanes * threads <= 512 and threads <= max(1, work.length // 2):
                    yield RowOnGpu(threads, lanes * vector, vector, ACROSS)
