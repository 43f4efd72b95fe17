"""``row`` on a GPU: threads that share a row, rows per block."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.errors import CompileError
from dlc.model.occupancy import BlockResources, Floats, resident_blocks
from dlc.model.streaming import Stream, resident, stream_s
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import size
from dlc.strategies._rated import Rated, Seconds
from dlc.strategies._schedule import Schedule
from dlc.strategies.row.lowering import lower_on_threads
from dlc.strategies.row.work import BLOCK_ROWS, RowWork, vectors, work_of

_SHAPES = (
    *((WARP_LANES, rows) for rows in BLOCK_ROWS),
    *((threads, 1) for threads in (64, 128, 256, 512, 1024)),
)
_REGISTERS = 48


@dataclass(frozen=True)
class RowOnGpu(Schedule, strategy="row", target="gpu"):
    """Threads share a row; a warp, or all of a block."""

    threads: int = size(
        "threads that share a row: 32 (one warp, shuffles) up to the whole block (shared memory)"
    )
    rows: int = size(
        "rows per block, above 1 only with `threads = 32`; the block has `threads * rows` threads",
        default=1,
    )
    vector: int = size(
        "neighbouring elements of the row that a thread takes at a time", default=1, most=16
    )

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The keys in their order."""
        return self.threads, self.rows, self.vector

    def check(self) -> None:
        if self.threads > WARP_LANES and self.rows > 1:
            raise CompileError(
                f"rows = {self.rows} with threads = {self.threads}: several rows per block are for "
                f"{WARP_LANES} threads per row"
            )


def candidates(work: RowWork, _: GpuArch) -> Iterator[RowOnGpu]:
    """Yield the schedules of the space; vectors divide the row and take at most 16 bytes."""
    for vector in vectors(work):
        for threads, rows in _SHAPES:
            if threads == WARP_LANES or threads * vector < 2 * work.length:
                yield RowOnGpu(threads, rows, vector)


def rate(work: RowWork, schedule: RowOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    threads, rows, _ = schedule.numbers
    blocks = ceil(work.rows / rows)
    block = BlockResources(threads * rows, _REGISTERS, _shared_bytes(work, arch))
    bytes = work.read_bytes + work.written_bytes
    kernel = streaming_work(work.operations, work.least_operations, bytes, blocks, block)
    return Rated(
        schedule, gpu_bound(kernel, arch), lambda: float(estimate(work, [schedule], arch)[0])
    )


def _shared_bytes(work: RowWork, arch: GpuArch) -> int:
    return 4 * arch.warp_threads * work.reductions


def estimate(work: RowWork, schedules: Sequence[RowOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    costs = arch.costs
    threads, rows, vector = np.array([each.numbers for each in schedules], np.float64).T
    found = [work.reads_of(each.vector, each.rows) for each in schedules]
    loads, lines, fetched = np.array([(r.loads, r.lines, r.fetched) for r in found]).T
    blocks = np.ceil(work.rows / rows)
    shared = np.full_like(threads, _shared_bytes(work, arch))
    fits = resident_blocks(threads * rows, np.full_like(threads, _REGISTERS), shared, arch)
    steps = np.ceil(work.length / (threads * vector))
    each = vector * costs.operation_instructions * work.operations / (work.rows * work.length)
    each = each + loads * costs.load_instructions
    waiting = work.passes * (costs.pass_clocks + steps * costs.step_wait_clocks)
    meeting = work.reductions * costs.block_reduction_clocks
    warp_steps = work.rows * np.ceil(work.length / (arch.warp_threads * vector))
    kernels = Stream(
        blocks,
        threads * rows,
        fits,
        steps * each + costs.row_instructions,
        waiting + np.where(threads > arch.warp_threads, meeting, 0),
        warp_steps * lines,
        warp_steps * fetched,
        work.read_bytes,
        work.written_bytes,
        work.stored_bytes,
        _reread_bytes(work, resident(blocks, fits, arch) * rows, arch),
    )
    return stream_s(kernels, arch)


def _reread_bytes(work: RowWork, at_a_time: Floats, arch: GpuArch) -> Floats:
    """Return what later passes read again: all, where a first-level cache does not hold the rows
    that an SM has at a time.
    """
    held = at_a_time * work.read_bytes / work.rows <= arch.shared_bytes_per_sm
    return np.where(held, 0.0, (work.passes - 1) * work.read_bytes)


IMPLEMENTATION = Implementation(
    RowOnGpu,
    work_of,
    candidates,
    rate,
    lambda work: f"a reduction of {work.rows} rows of {work.length}",
    lambda job, schedule: lower_on_threads(job, *schedule.numbers),
    estimate,
)
