"""How long schedules of ``row`` probably take on a GPU."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import LINE_BYTES
from dlc.ir.formation import Formation
from dlc.model.occupancy import Floats, resident_blocks
from dlc.model.streaming import Stream, resident, stream_s
from dlc.strategies._rated import Seconds
from dlc.strategies.row.schedule import HELD_ELEMENTS, RowOnGpu, rounds
from dlc.strategies.row.split import WHOLE_ROWS, WHOLE_THREADS
from dlc.strategies.row.work import SECTOR_BYTES, RowWork

REGISTERS = 48
BANKS, BANK_BYTES = 32, 4
"""Of shared memory."""
_KEEPING_REGISTERS = 24
"""Of a thread that keeps lines, beside one for each element."""
_END_INSTRUCTIONS, _RARE_END_INSTRUCTIONS = 40, 20
"""For each element of a line that may be at an end of a row: whether it is in the row, and the code
of both answers. Fitted to softmax and layer norm of 197 elements.
"""
_PIECE_COST_BYTES = 10.0
"""What a piece of a line costs the memory beside its own bytes, where lanes go across rows; a whole
line costs nothing.
"""
_PACKED_INSTRUCTIONS = 2.0
"""To take an element of a run from shared memory, put one there, and convert both."""
_CLUSTER_CLOCKS = 400.0
"""Until what the blocks of a cluster send to each other has arrived."""
_TOTAL_BYTES = 4
"""Of an accumulator in shared memory; wider ones are rare."""


def shared_bytes(work: RowWork, schedule: RowOnGpu, arch: GpuArch) -> int:
    """Return the bytes of shared memory that a block has rows and totals of warps in."""
    near = _near_bytes(work, schedule)
    team = Formation(schedule.threads, schedule.teams if schedule.across else 1)
    if team.threads == team.lanes:
        return near
    groups = schedule.block_threads // max(arch.warp_threads, team.apart)
    each = schedule.rows if schedule.across else 1
    return near + _TOTAL_BYTES * groups * each * work.reductions


def _near_bytes(work: RowWork, schedule: RowOnGpu) -> int:
    """Return the bytes of rows, or of lines of them, that a block has in shared memory."""
    if schedule.packed:
        return schedule.rows * work.element_bytes
    if not schedule.held:
        return 0
    if not schedule.keeps(work.length):
        return schedule.rows * work.made_of_bytes
    sharers = schedule.threads * schedule.cluster
    lines = rounds(work.length, schedule.vector, sharers) * schedule.block_threads
    return lines * schedule.vector * work.made_of_bytes // work.length


@dataclass(frozen=True)
class _Numbers:
    """Schedules as arrays: threads of a team, rows, neighbours that a thread takes at a time, teams
    and threads of a block, whether lanes go across rows, parts of a row, whether rows are held in
    shared memory, blocks of a cluster, whether threads keep lines, whether rows of a block come as
    one run.
    """

    threads: Floats
    rows: Floats
    vector: Floats
    teams: Floats
    block_threads: Floats
    across: Floats
    split: Floats
    held: Floats
    cluster: Floats
    keeps: Floats
    packed: Floats

    @staticmethod
    def of(schedules: Sequence[RowOnGpu], length: int) -> "_Numbers":
        rows = [
            (
                *(s.threads, s.rows, s.vector, s.teams, s.block_threads),
                *(s.across, s.split, s.held, s.cluster, s.keeps(length), s.packed),
            )
            for s in schedules
        ]
        return _Numbers(*np.array(rows, np.float64).T)


def estimate(work: RowWork, schedules: Sequence[RowOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    costs, n = arch.costs, _Numbers.of(schedules, work.length)
    found = [work.reads_of(s.vector, s.rows, s.teams if s.across else 0) for s in schedules]
    loads, lines, fetched = np.array([(r.loads, r.lines, r.fetched) for r in found]).T
    blocks = np.ceil(work.rows / n.rows) * n.split * n.cluster
    shared = np.array([shared_bytes(work, s, arch) for s in schedules], np.float64)
    steps = np.ceil(
        work.length / (n.threads * n.split * n.cluster * np.where(n.across, 1, n.vector))
    )
    # From registers a pass takes what is there; in shared memory, it only finds the row nearer.
    near, keeps, packed = n.held > 0, n.keeps > 0, n.packed > 0
    held = ((steps * n.vector <= HELD_ELEMENTS) & ~near | keeps) & (work.passes > 1)
    inputs = max(1, work.made_of_bytes / work.length / work.widest_bytes)
    kept = _KEEPING_REGISTERS + steps * n.vector * inputs
    registers = np.where(keeps & held & ~near, np.maximum(REGISTERS, kept), REGISTERS)
    fits = resident_blocks(n.block_threads, registers, shared, arch)
    each = n.vector * costs.operation_instructions * work.operations / (work.rows * work.length)
    each = (each + loads * costs.load_instructions) * np.where(held, costs.held_instructions, 1)
    own = np.where(held | (n.across > 0), costs.held_row_instructions, costs.row_instructions)
    passes = 1 + (work.passes - 1) * np.where(held, costs.held_pass, 1)
    waiting = passes * (costs.pass_clocks + steps * costs.step_wait_clocks)
    meeting = np.where(n.across, costs.team_reduction_clocks, costs.block_reduction_clocks)
    meeting = np.where(shared > 0, work.reductions * meeting, 0)
    meeting = meeting + np.where(n.cluster > 1, (1 + work.reductions) * _CLUSTER_CLOCKS, 0)
    warp_steps = blocks * n.block_threads / arch.warp_threads * steps
    all_steps, once = warp_steps, near | keeps
    warp_steps = warp_steps * np.where(once, 1 / work.passes, np.where(held, costs.held_pass, 1))
    # Of a short row a team takes a piece, and those of a warp are in different lines.
    lanes = np.minimum(n.threads, arch.warp_threads)
    piece = np.where(n.across, LINE_BYTES, lanes * n.vector * work.widest_bytes)
    pieces = arch.warp_threads / lanes
    lines = np.where(n.across, lines, np.maximum(lines, np.where(pieces > 1, pieces, 0)))
    # Of runs: what teams of a warp take of their rows at a time, in banks of shared memory.
    ways = np.array([_ways(s.threads, work) if s.packed else 1 for s in schedules], np.float64)
    taken = all_steps * ways * work.element_bytes / work.length / work.widest_bytes
    warp_lines = np.where(packed, taken / costs.line_clocks, warp_steps * lines)
    fetched = np.where(packed, work.read_bytes / LINE_BYTES, warp_steps * fetched)
    each = each + np.where(packed, _PACKED_INSTRUCTIONS, 0)
    across_bytes = np.minimum(n.rows * work.widest_bytes, LINE_BYTES)
    kernels = Stream(
        blocks,
        n.block_threads,
        fits,
        steps * each + own + np.where(keeps & ~packed, _end_instructions(work, n, steps), 0),
        waiting + meeting,
        warp_lines,
        fetched,
        work.read_bytes
        * (1 + np.where(n.across, _PIECE_COST_BYTES * (1 / across_bytes - 1 / LINE_BYTES), 0)),
        work.written_bytes,
        np.where(n.across, work.written_bytes, work.stored_bytes) * _sectors(work, n, piece),
        np.where(
            held | near, 0.0, _reread_bytes(work, resident(blocks, fits, arch) * n.rows, arch)
        ),
    )
    return stream_s(kernels, arch) + np.where(n.split > 1, _combining_s(work, n, arch), 0)


def _sectors(work: RowWork, n: _Numbers, piece: Floats) -> Floats:
    """Return the sectors that a piece of lines is in, in units of its own bytes; it begins anywhere
    in the first one.
    """
    beside = np.where(n.keeps > 0, SECTOR_BYTES - n.vector * work.widest_bytes, 0)
    sectors = np.maximum(1, SECTOR_BYTES / piece) + np.maximum(0, beside) / piece
    return np.where(n.packed > 0, 1.0, sectors)


def _ways(threads: int, work: RowWork) -> int:
    """Return how many words of one bank the teams of a warp ask for, each with its own row."""
    lanes = np.arange(WARP_LANES)
    places = lanes // min(threads, WARP_LANES) * work.length + lanes % threads
    words = np.unique(places * work.widest_bytes // BANK_BYTES)
    return int(np.bincount(words % BANKS).max())


def _end_instructions(work: RowWork, n: _Numbers, steps: Floats) -> Floats:
    """Return what the elements of a thread cost that may be at an end of a row: more where the
    lanes of a warp share several rows.
    """
    starts_inside = work.length % n.vector > 0
    ends_inside = work.length % (n.vector * n.threads * n.cluster) > 0
    each = np.where(n.threads < WARP_LANES, _END_INSTRUCTIONS, _RARE_END_INSTRUCTIONS)
    return each * n.vector * np.minimum(steps, 1.0 * starts_inside + ends_inside)


def _combining_s(work: RowWork, n: _Numbers, arch: GpuArch) -> Floats:
    """Return the seconds of the kernel that combines the parts of rows, and of their accumulators,
    each of which goes to a sector of its own.
    """
    costs = arch.costs
    parts_bytes = SECTOR_BYTES * work.rows * n.split * work.reductions
    storing_s = parts_bytes / (costs.stored_bytes_per_clock * arch.sm_count * arch.clock_hz)
    steps = np.ceil(n.split / WHOLE_THREADS)
    read = _TOTAL_BYTES * work.reductions * work.rows * n.split
    blocks = np.full_like(steps, ceil(work.rows / WHOLE_ROWS))
    threads = np.full_like(steps, WHOLE_THREADS * WHOLE_ROWS)
    instructions = costs.row_instructions + steps * costs.load_instructions
    waiting = costs.pass_clocks + steps * costs.step_wait_clocks
    lines = blocks * WHOLE_ROWS * steps * work.reductions
    kernels = Stream(
        blocks,
        threads,
        resident_blocks(threads, np.full_like(steps, REGISTERS), 0 * steps, arch),
        instructions,
        waiting,
        lines,
        lines,
        read,
        work.written_bytes,
        work.written_bytes,
    )
    return stream_s(kernels, arch) + storing_s


def _reread_bytes(work: RowWork, at_a_time: Floats, arch: GpuArch) -> Floats:
    """Return what later passes read again: all, where a first-level cache does not hold the rows
    that an SM has at a time.
    """
    held = at_a_time * work.read_bytes / work.rows <= arch.shared_bytes_per_sm
    return np.where(held, 0.0, (work.passes - 1) * work.read_bytes)
