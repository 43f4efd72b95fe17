"""The schedules of ``row`` on a GPU that there are to choose from."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import LINE_BYTES
from dlc.strategies.row.schedule import ACROSS, HELD_ELEMENTS, KEPT_BYTES, RowOnGpu, rounds
from dlc.strategies.row.work import BLOCK_ROWS, RowWork, line_vectors, vectors

_SHAPES = (
    *((WARP_LANES, rows) for rows in BLOCK_ROWS),
    *((threads, 1) for threads in (64, 128, 256, 512, 1024)),
)
_HOLDERS = (256, 512, 1024)
"""Threads that share a row in shared memory."""
_IN_REGISTERS = 512 * HELD_ELEMENTS
"""Elements of a row up to which registers of half of the largest block hold it: they are faster."""
_IN_BLOCK = 128 * HELD_ELEMENTS
"""Elements of a row up to which it is not worth the while to share it between blocks."""
_CLUSTERS = (2, 4, 8)
_ROUNDS = (2, 3, 4, 5, 6, 7, 8)
"""Lines of a thread of a cluster: so many that its threads have hardly any beyond the row."""
_LEAST_TEAM = 128
_FEW_THREADS = (4, 8, 16)
_FEW_BLOCKS = (128, 256)
"""Lanes of a warp that share a short row, and threads of a block of such rows."""
_SHORT_BYTES = 256
"""Of a row that a few lanes share: pieces of longer ones are in too many lines at a time."""
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
    for whole in (*_along(work), *_across(work)):
        yield whole
        parts = work.may_split and not (whole.held or whole.keeps(work.length))
        for split in _SPLITS if parts else ():
            taken = whole.threads * (1 if whole.across else whole.vector)
            if work.length >= _LEAST_STEPS * split * taken:
                yield replace(whole, split=split)


def _along(work: RowWork) -> Iterator[RowOnGpu]:
    yield from _kept(work)
    for vector in vectors(work):
        for threads in _HOLDERS:
            if work.feeding_bytes and work.length > _IN_REGISTERS:
                yield RowOnGpu(threads, 1, vector, held=True)
        for threads, rows in _SHAPES:
            if threads == WARP_LANES or threads * vector < 2 * work.length:
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


def _most_rounds(work: RowWork, vector: int) -> int:
    """Return the lines that a thread may have: of a row that it goes through again, keep."""
    if work.passes == 1:
        return work.length
    return KEPT_BYTES * work.length // (vector * work.made_of_bytes)


def _clusters(work: RowWork) -> Iterator[RowOnGpu]:
    """Yield schedules of rows that several blocks share, each thread with some rounds of lines."""
    if not work.is_dense or not work.feeding_bytes or work.length <= _IN_BLOCK:
        return
    for vector in (*vectors(work), *line_vectors(work)):
        most = _most_rounds(work, vector)
        for cluster in _CLUSTERS:
            for each in _ROUNDS:
                lines = rounds(work.length, vector, cluster * each)
                threads = ceil(lines / WARP_LANES) * WARP_LANES
                if vector > 1 and _LEAST_TEAM <= threads <= 1024 and each <= most:
                    yield RowOnGpu(threads, 1, vector, cluster=cluster)


def _across(work: RowWork) -> Iterator[RowOnGpu]:
    for vector in work.across_vectors:
        for lanes in _TEAMS:
            for threads in _SHARERS:
                shares = threads > 1 or work.length >= WARP_LANES  # shorter ones are a map's
                if shares and 64 <= lanes * threads <= 512 and threads <= max(1, work.length // 2):
                    yield RowOnGpu(threads, lanes * vector, vector, ACROSS)
