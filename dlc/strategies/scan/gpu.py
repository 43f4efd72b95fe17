"""``scan`` on a GPU: teams of warps that share rows."""

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import ACCESS_BYTES, LINE_BYTES
from dlc.model.occupancy import BlockResources, Floats, resident_blocks
from dlc.model.streaming import Stream, stream_s
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated, Seconds
from dlc.strategies.row.schedule import rounds
from dlc.strategies.scan.lowering import lower
from dlc.strategies.scan.schedule import ScanOnGpu, rounds_of_chunk
from dlc.strategies.scan.work import ScanWork, work_of

_THREADS = (32, 64, 128, 256, 512, 1024)
_BLOCKS = (128, 256)
"""Threads of a block of rows that a warp each has."""
_VECTORS = (8, 4, 2, 1)
_REGISTERS = 40
_EXCHANGE_INSTRUCTIONS = 25
"""Of a lane for a round: five exchanges, each with a choice; the one before, and all."""
_ACROSS_STEP_CLOCKS = 150.0
"""Latency of an element of a column: a few loads are under way at a time. Not measured yet."""
_WARP_INSTRUCTIONS = 4
"""For a round and each warp of a team."""


def candidates(work: ScanWork, _: GpuArch) -> Iterator[ScanOnGpu]:
    """Yield the schedules of the space; vectors take at most 16 bytes."""
    most = 1 if work.length == 1 and not work.across else ACCESS_BYTES // work.widest_bytes
    for vector in (v for v in _VECTORS if v <= max(1, most)):
        if work.across:
            yield from (ScanOnGpu(n, 1, vector) for n in _BLOCKS if work.neighbours % vector == 0)
            continue
        for threads in _THREADS:
            is_one = rounds(work.length, vector, threads) <= rounds_of_chunk(vector)
            if threads > WARP_LANES and threads * vector < 2 * work.length:
                yield ScanOnGpu(threads, 1, vector)
            for block in _BLOCKS if threads == WARP_LANES and is_one else ():
                yield ScanOnGpu(threads, block // threads, vector)


def rate(work: ScanWork, schedule: ScanOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    block = BlockResources(schedule.block_threads, _REGISTERS, 0)
    bytes, least = work.read_bytes + work.written_bytes, work.least_operations
    blocks = ceil(
        work.rows / (schedule.block_threads * schedule.vector if work.across else schedule.rows)
    )
    kernel = streaming_work(least, least, bytes, blocks, block)
    return Rated(
        schedule, gpu_bound(kernel, arch), lambda: float(estimate(work, [schedule], arch)[0])
    )


def estimate(work: ScanWork, schedules: Sequence[ScanOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    if work.across:
        return _across_s(work, schedules, arch)
    costs = arch.costs
    keys = [
        (s.threads, s.rows, s.vector, rounds(work.length, s.vector, s.threads)) for s in schedules
    ]
    threads, rows, vector, each = np.array(keys, np.float64).T
    blocks, warps = np.ceil(work.rows / rows), threads / WARP_LANES
    at_once = np.array([rounds_of_chunk(s.vector) for s in schedules], np.float64)
    chunks = np.ceil(each / at_once)
    registers = _REGISTERS + np.minimum(each, at_once) * vector
    exchange = _EXCHANGE_INSTRUCTIONS + np.where(warps > 1, _WARP_INSTRUCTIONS * warps, 0)
    element = work.ops * costs.operation_instructions + costs.result_instructions / vector
    loads = each * work.inputs * costs.load_instructions
    instructions = each * (vector * element + exchange) + loads + costs.held_row_instructions
    waiting = costs.pass_clocks + np.where(warps > 1, costs.block_reduction_clocks, 0)
    waiting = chunks * waiting + each * costs.step_wait_clocks
    lines = _lines(work, blocks * rows * warps * each, vector)
    kernels = Stream(
        blocks,
        threads * rows,
        resident_blocks(threads * rows, registers, np.zeros_like(rows), arch),
        instructions,
        waiting,
        lines,
        lines,
        work.read_bytes,
        work.written_bytes,
        work.written_bytes,
    )
    return stream_s(kernels, arch)


def _across_s(work: ScanWork, schedules: Sequence[ScanOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules whose threads go along columns."""
    costs = arch.costs
    threads, vector = np.array([(s.threads, s.vector) for s in schedules], np.float64).T
    blocks = np.ceil(work.rows / (threads * vector))
    element = work.ops * costs.operation_instructions + costs.result_instructions / vector
    loads = work.inputs * costs.load_instructions
    lines = _lines(work, blocks * threads / WARP_LANES * work.length, vector)
    kernels = Stream(
        blocks,
        threads,
        resident_blocks(threads, _REGISTERS + vector, np.zeros_like(vector), arch),
        work.length * (vector * element + loads) + costs.row_instructions,
        costs.pass_clocks + work.length * _ACROSS_STEP_CLOCKS,
        lines,
        lines,
        work.read_bytes,
        work.written_bytes,
        work.written_bytes,
    )
    return stream_s(kernels, arch)


def _lines(work: ScanWork, loads: Floats, vector: Floats) -> Floats:
    """Return the lines of the caches that warps touch."""
    return work.inputs * loads * np.ceil(WARP_LANES * vector * work.widest_bytes / LINE_BYTES)


IMPLEMENTATION = Implementation(
    ScanOnGpu,
    work_of,
    candidates,
    rate,
    lambda work: f"a running sum of {work.rows} rows of {work.length}",
    lower,
    estimate,
    check=ScanWork.check,
)
