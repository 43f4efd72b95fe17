"""``row`` on a GPU: threads that share a row, rows per block."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.errors import CompileError
from dlc.model.occupancy import BlockResources
from dlc.model.streaming import Stream, Waves, stream_s
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import size
from dlc.strategies._rated import Rated
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
    block = BlockResources(threads * rows, _REGISTERS, 4 * arch.warp_threads * work.reductions)
    bytes = work.read_bytes + work.written_bytes
    kernel = streaming_work(work.operations, work.least_operations, bytes, blocks, block)
    stream = partial(_stream, work, schedule, blocks, block, arch)
    return Rated(schedule, gpu_bound(kernel, arch), lambda: stream_s(stream(), arch))


def _stream(
    work: RowWork, schedule: RowOnGpu, blocks: int, block: BlockResources, arch: GpuArch
) -> Stream:
    costs, (threads, rows, vector) = arch.costs, schedule.numbers
    reads = work.reads_of(vector, rows)
    steps = ceil(work.length / (threads * vector))
    each = vector * costs.operation_instructions * work.operations / (work.rows * work.length)
    each += reads.loads * costs.load_instructions
    waiting = work.passes * (costs.pass_clocks + steps * costs.step_wait_clocks)
    if threads > arch.warp_threads:
        waiting += work.reductions * costs.block_reduction_clocks
    warp_steps = work.rows * ceil(work.length / (arch.warp_threads * vector))
    return Stream(
        blocks,
        block,
        steps * each + costs.row_instructions,
        waiting,
        warp_steps * reads.lines,
        warp_steps * reads.fetched,
        work.read_bytes,
        work.written_bytes,
        work.stored_bytes,
        _reread_bytes(work, blocks, rows, block, arch),
    )


def _reread_bytes(
    work: RowWork, blocks: int, rows: int, block: BlockResources, arch: GpuArch
) -> float:
    """Return what later passes read again: all, where a first-level cache does not hold the rows
    that an SM has at a time.
    """
    at_a_time = Waves.of(blocks, block, arch).resident * rows
    held = at_a_time * work.read_bytes / work.rows <= arch.shared_bytes_per_sm
    return 0 if held else (work.passes - 1) * work.read_bytes


IMPLEMENTATION = Implementation(
    RowOnGpu,
    work_of,
    candidates,
    rate,
    lambda work: f"a reduction of {work.rows} rows of {work.length}",
    lambda job, schedule: lower_on_threads(job, *schedule.numbers),
)
