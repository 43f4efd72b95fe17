"""``row`` on a GPU: threads that share a row, rows per block."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.errors import CompileError
from dlc.ir.formation import Formation
from dlc.lowering.job import Job
from dlc.model.occupancy import BlockResources, Floats, resident_blocks
from dlc.model.streaming import Stream, resident, stream_s
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import choice, size
from dlc.strategies._rated import Rated, Seconds
from dlc.strategies._schedule import Schedule
from dlc.strategies.row.across import Across
from dlc.strategies.row.along import Along
from dlc.strategies.row.lowering import space_of_job
from dlc.strategies.row.split import WHOLE_ROWS, WHOLE_THREADS, lower_in_parts, unasked
from dlc.strategies.row.work import BLOCK_ROWS, RowWork, vectors, work_of

_SHAPES = (
    *((WARP_LANES, rows) for rows in BLOCK_ROWS),
    *((threads, 1) for threads in (64, 128, 256, 512, 1024)),
)
_FEW_THREADS = (4, 8, 16)
_FEW_BLOCKS = (128, 256)
"""Lanes of a warp that share a short row, and threads of a block of such rows."""
_SPLITS = (4, 16, 64, 256)
LEAST_STEPS = 4
"""A thread goes through its part of a row in at least so many."""
_TEAMS = (32, 16, 8, 4, 64, 128, 256)
_SHARERS = (1, 4, 8, 16, 32, 64, 128)
"""Neighbouring teams, and threads of one, where lanes go across rows."""
_REGISTERS = 48
TOTAL_BYTES = 4
"""Of an accumulator in shared memory; wider ones are rare."""

HELD_ELEMENTS = 32
"""A thread's elements of a row up to which they stay in registers from pass to pass."""

ALONG, ACROSS = "along", "across"


@dataclass(frozen=True)
class RowOnGpu(Schedule, strategy="row", target="gpu"):
    """A team of threads shares a row: lanes of a warp, a warp, several, or all of a block."""

    threads: int = size(
        "threads that share a row: a power of two, or a multiple of 32. Those of a warp exchange "
        "by shuffles, others through shared memory"
    )
    rows: int = size("rows per block", default=1)
    vector: int = size(
        "neighbours that a thread takes at a time: elements of a row, or rows where `lanes` is "
        "`across`; this divides `rows` then",
        default=1,
        most=16,
    )
    lanes: str = choice(
        "what neighbouring threads have: `along`: elements of one row; `across`: the same element "
        "of neighbouring rows, for rows that are not stored in order",
        (ALONG, ACROSS),
        default=ALONG,
    )
    split: int = size(
        "parts of a row, each in another block; a second kernel combines what they give. Above 1 "
        "only where no result has all elements of a row",
        default=1,
    )

    @property
    def across(self) -> bool:
        """Whether neighbouring threads have neighbouring rows."""
        return self.lanes == ACROSS

    @property
    def teams(self) -> int:
        """The teams of a block."""
        return self.rows // self.vector if self.across else self.rows

    @property
    def block_threads(self) -> int:
        """The threads of a block."""
        return self.threads * self.teams

    def check(self) -> None:
        if self.across and self.rows % self.vector:
            raise CompileError(
                f"vector = {self.vector} rows of a thread do not divide rows = {self.rows}"
            )
        if (
            self.teams > 1
            and not Formation(self.threads, self.teams if self.across else 1).is_regular
        ):
            raise CompileError(
                f"threads = {self.threads} for each of {self.teams} teams of a block do not fit "
                f"warps of {WARP_LANES}; take powers of two, or multiples of {WARP_LANES}"
            )


def candidates(work: RowWork, _: GpuArch) -> Iterator[RowOnGpu]:
    """Yield the schedules of the space; vectors take at most 16 bytes."""
    for whole in (*_along(work), *_across(work)):
        yield whole
        for split in _SPLITS if work.may_split else ():
            taken = whole.threads * (1 if whole.across else whole.vector)
            if work.length >= LEAST_STEPS * split * taken:
                yield replace(whole, split=split)


def _along(work: RowWork) -> Iterator[RowOnGpu]:
    for vector in vectors(work):
        for threads, rows in _SHAPES:
            if threads == WARP_LANES or threads * vector < 2 * work.length:
                yield RowOnGpu(threads, rows, vector)
        for threads in _FEW_THREADS:
            if work.contiguous and threads * vector <= work.length <= HELD_ELEMENTS * threads:
                for block in _FEW_BLOCKS:
                    yield RowOnGpu(threads, block // threads, vector)


def _across(work: RowWork) -> Iterator[RowOnGpu]:
    for vector in work.across_vectors:
        for lanes in _TEAMS:
            for threads in _SHARERS:
                if 64 <= lanes * threads <= 512 and threads <= max(1, work.length // 2):
                    yield RowOnGpu(threads, lanes * vector, vector, ACROSS)


def rate(work: RowWork, schedule: RowOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    blocks = ceil(work.rows / schedule.rows) * schedule.split
    shared = _shared_bytes(work, schedule, arch)
    block = BlockResources(schedule.block_threads, _REGISTERS, shared)
    bytes = work.read_bytes + work.written_bytes
    kernel = streaming_work(work.operations, work.least_operations, bytes, blocks, block)
    return Rated(
        schedule, gpu_bound(kernel, arch), lambda: float(estimate(work, [schedule], arch)[0])
    )


def _shared_bytes(work: RowWork, schedule: RowOnGpu, arch: GpuArch) -> int:
    """Return the bytes that totals of warps take."""
    team = Formation(schedule.threads, schedule.teams if schedule.across else 1)
    if team.threads == team.lanes:
        return 0
    groups = schedule.block_threads // max(arch.warp_threads, team.apart)
    each = schedule.rows if schedule.across else 1
    return TOTAL_BYTES * groups * each * work.reductions


@dataclass(frozen=True)
class _Numbers:
    """Schedules as arrays: threads of a team, rows, neighbours that a thread takes at a time, teams
    and threads of a block, whether lanes go across rows.
    """

    threads: Floats
    rows: Floats
    vector: Floats
    teams: Floats
    block_threads: Floats
    across: Floats
    split: Floats

    @staticmethod
    def of(schedules: Sequence[RowOnGpu]) -> "_Numbers":
        rows = [
            (s.threads, s.rows, s.vector, s.teams, s.block_threads, s.across, s.split)
            for s in schedules
        ]
        return _Numbers(*np.array(rows, np.float64).T)


def estimate(work: RowWork, schedules: Sequence[RowOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    costs, n = arch.costs, _Numbers.of(schedules)
    found = [work.reads_of(s.vector, s.rows, s.teams if s.across else 0) for s in schedules]
    loads, lines, fetched = np.array([(r.loads, r.lines, r.fetched) for r in found]).T
    blocks = np.ceil(work.rows / n.rows) * n.split
    shared = np.array([_shared_bytes(work, s, arch) for s in schedules], np.float64)
    fits = resident_blocks(n.block_threads, np.full_like(n.rows, _REGISTERS), shared, arch)
    steps = np.ceil(work.length / (n.threads * n.split * np.where(n.across, 1, n.vector)))
    held = (steps * n.vector <= HELD_ELEMENTS) & (work.passes > 1)
    each = n.vector * costs.operation_instructions * work.operations / (work.rows * work.length)
    each = (each + loads * costs.load_instructions) * np.where(held, costs.held_instructions, 1)
    own = np.where(held, costs.held_row_instructions, costs.row_instructions)
    passes = 1 + (work.passes - 1) * np.where(held, costs.held_pass, 1)
    waiting = passes * (costs.pass_clocks + steps * costs.step_wait_clocks)
    meeting = np.where(shared > 0, work.reductions * costs.block_reduction_clocks, 0)
    warp_steps = blocks * n.block_threads / arch.warp_threads * steps
    warp_steps = warp_steps * np.where(held, costs.held_pass, 1)
    kernels = Stream(
        blocks,
        n.block_threads,
        fits,
        steps * each + own,
        waiting + meeting,
        warp_steps * lines,
        warp_steps * fetched,
        work.read_bytes,
        work.written_bytes,
        np.where(n.across, work.written_bytes, work.stored_bytes),
        np.where(held, 0.0, _reread_bytes(work, resident(blocks, fits, arch) * n.rows, arch)),
    )
    return stream_s(kernels, arch) + np.where(n.split > 1, _combining_s(work, n, arch), 0)


def _combining_s(work: RowWork, n: _Numbers, arch: GpuArch) -> Floats:
    """Return the seconds of the kernel that combines the parts of rows."""
    costs = arch.costs
    steps = np.ceil(n.split / WHOLE_THREADS)
    read = TOTAL_BYTES * work.reductions * work.rows * n.split
    blocks = np.full_like(steps, ceil(work.rows / WHOLE_ROWS))
    threads = np.full_like(steps, WHOLE_THREADS * WHOLE_ROWS)
    instructions = costs.row_instructions + steps * costs.load_instructions
    waiting = costs.pass_clocks + steps * costs.step_wait_clocks
    lines = blocks * WHOLE_ROWS * steps * work.reductions
    kernels = Stream(
        blocks,
        threads,
        resident_blocks(threads, np.full_like(steps, _REGISTERS), 0 * steps, arch),
        instructions,
        waiting,
        lines,
        lines,
        read,
        work.written_bytes,
        work.written_bytes,
    )
    return stream_s(kernels, arch)


def _reread_bytes(work: RowWork, at_a_time: Floats, arch: GpuArch) -> Floats:
    """Return what later passes read again: all, where a first-level cache does not hold the rows
    that an SM has at a time.
    """
    held = at_a_time * work.read_bytes / work.rows <= arch.shared_bytes_per_sm
    return np.where(held, 0.0, (work.passes - 1) * work.read_bytes)


def _lower(job: Job, schedule: RowOnGpu) -> None:
    keys = schedule.threads, schedule.rows, schedule.vector
    if schedule.split > 1:
        lower_in_parts(job, *keys, schedule.across, schedule.split)
        return
    kind = Across if schedule.across else Along
    kind(job, space_of_job(job), unasked, *keys).write()


IMPLEMENTATION = Implementation(
    RowOnGpu,
    work_of,
    candidates,
    rate,
    lambda work: f"a reduction of {work.rows} rows of {work.length}",
    _lower,
    estimate,
)
