"""How long schedules of ``row`` probably take on a GPU."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import LINE_BYTES, SECTOR_BYTES
from dlc.model.occupancy import Floats, resident_blocks
from dlc.model.streaming import Stream, resident, stream_s
from dlc.strategies._rated import Seconds
from dlc.strategies.row.schedule import RowOnGpu
from dlc.strategies.row.split import WHOLE_ROWS, WHOLE_THREADS
from dlc.strategies.row.walks import REGISTERS, TOTAL_BYTES, Walks
from dlc.strategies.row.work import RowWork

_END_INSTRUCTIONS, _RARE_END_INSTRUCTIONS = 40, 20
"""For each element of a line that may be at an end of a row: whether it is in the row, and the code
of both answers. Fitted to softmax and layer norm of 197 elements; the second one, of whole warps,
to the run that the next ones are fitted to.
"""
_PIECE_COST_BYTES = 10.0
"""What a piece of a line costs the memory beside its own bytes, where lanes go across rows; a whole
line costs nothing. This and the next two were fitted by hand to one run of rows
(docs/performance.md, "GPU: rows through shared memory, clusters without barriers").
"""
_PACKED_INSTRUCTIONS = 2.0
"""To take an element of a run from shared memory, put one there, and convert both."""
_CLUSTER_CLOCKS = 400.0
"""Until what the blocks of a cluster send to each other has arrived."""


def estimate(work: RowWork, schedules: Sequence[RowOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    walks = Walks.of(schedules, work, arch)
    kernels = Stream(
        walks.blocks,
        walks.block_threads,
        walks.fits,
        _instructions(walks),
        _waiting(walks) + _meeting(walks),
        _lines(walks),
        _fetched(walks),
        _read_bytes(walks),
        work.written_bytes,
        np.where(walks.across, work.written_bytes, work.stored_bytes) * _sectors(walks),
        _reread_bytes(walks),
    )
    return stream_s(kernels, arch) + np.where(walks.split > 1, _combining_s(walks), 0)


def _instructions(walks: Walks) -> Floats:
    """Return the instructions of a warp: those of its steps, of a row, and at the ends of rows."""
    work, costs = walks.work, walks.arch.costs
    each = walks.vector * costs.operation_instructions * work.operations
    each = each / (work.rows * work.length) + walks.loads * costs.load_instructions
    each = each * np.where(walks.stays, costs.held_instructions, 1)
    each = each + np.where(walks.packed, _PACKED_INSTRUCTIONS, 0)
    few = walks.stays | walks.across
    own = np.where(few, costs.held_row_instructions, costs.row_instructions)
    has_ends = walks.keeps & ~walks.packed
    row = walks.steps * each + own + np.where(has_ends, _end_instructions(walks), 0)
    return walks.turns * row


def _end_instructions(walks: Walks) -> Floats:
    """Return what the elements of a thread cost that may be at an end of a row: more where the
    lanes of a warp share several rows.
    """
    length = walks.work.length
    starts_inside = length % walks.vector > 0
    ends_inside = length % (walks.vector * walks.threads * walks.cluster) > 0
    each = np.where(walks.threads < WARP_LANES, _END_INSTRUCTIONS, _RARE_END_INSTRUCTIONS)
    return each * walks.vector * np.minimum(walks.steps, 1.0 * starts_inside + ends_inside)


def _waiting(walks: Walks) -> Floats:
    """Return the clocks that a block waits for memory."""
    costs = walks.arch.costs
    passes = 1 + (walks.work.passes - 1) * np.where(walks.stays, costs.held_pass, 1)
    # Where weights stay in registers from turn to turn, no step waits for memory.
    steps = np.where(walks.turns > 1, 0, walks.steps)
    return passes * (costs.pass_clocks + steps * costs.step_wait_clocks)


def _meeting(walks: Walks) -> Floats:
    """Return the clocks in which the threads and blocks that share a row put it together."""
    costs, reductions = walks.arch.costs, walks.work.reductions
    once = np.where(walks.across, costs.team_reduction_clocks, costs.block_reduction_clocks)
    in_block = np.where(walks.shared > 0, reductions * once, 0)
    return in_block + np.where(walks.cluster > 1, (1 + reductions) * _CLUSTER_CLOCKS, 0)


def _read_steps(walks: Walks) -> Floats:
    """Return the steps of all warps that read: those of passes which find nothing nearer."""
    again = np.where(walks.stays, walks.arch.costs.held_pass, 1)
    return walks.warp_steps * np.where(walks.near | walks.keeps, 1 / walks.work.passes, again)


def _lines(walks: Walks) -> Floats:
    """Return the lines that warps touch. Of a short row a team takes a piece, and those of a warp
    are in different lines; of runs count the banks that teams of a warp take of their rows.
    """
    work = walks.work
    pieces = walks.arch.warp_threads / _lanes(walks)
    apart = np.maximum(walks.lines, np.where(pieces > 1, pieces, 0))
    touched = _read_steps(walks) * np.where(walks.across, walks.lines, apart)
    taken = walks.warp_steps * walks.ways * work.element_bytes / work.length / work.widest_bytes
    return np.where(walks.packed, taken / walks.arch.costs.line_clocks, touched)


def _lanes(walks: Walks) -> Floats:
    """Return the lanes of a warp that share a row."""
    return np.minimum(walks.threads, walks.arch.warp_threads)


def _fetched(walks: Walks) -> Floats:
    """Return the lines that come from the L2."""
    touched = _read_steps(walks) * walks.fetched
    return np.where(walks.packed, walks.work.read_bytes / LINE_BYTES, touched)


def _read_bytes(walks: Walks) -> Floats:
    """Return the bytes that come from memory, and what pieces of lines cost beside them."""
    across_bytes = np.minimum(walks.rows * walks.work.widest_bytes, LINE_BYTES)
    beside = _PIECE_COST_BYTES * (1 / across_bytes - 1 / LINE_BYTES)
    return walks.work.read_bytes * (1 + np.where(walks.across, beside, 0))


def _sectors(walks: Walks) -> Floats:
    """Return the sectors that a piece of lines is in, in units of its own bytes; it begins anywhere
    in the first one.
    """
    taken_bytes = walks.vector * walks.work.widest_bytes
    piece = np.where(walks.across, LINE_BYTES, _lanes(walks) * taken_bytes)
    beside = np.where(walks.keeps, SECTOR_BYTES - taken_bytes, 0)
    sectors = np.maximum(1, SECTOR_BYTES / piece) + np.maximum(0, beside) / piece
    return np.where(walks.packed, 1.0, sectors)


def _reread_bytes(walks: Walks) -> Floats:
    """Return what later passes read again: all, where neither threads nor a first-level cache hold
    the rows that an SM has at a time.
    """
    work, arch = walks.work, walks.arch
    at_a_time = resident(walks.blocks, walks.fits, arch) * walks.rows
    cached = at_a_time * work.read_bytes / work.rows <= arch.shared_bytes_per_sm
    return np.where(walks.stays | walks.near | cached, 0.0, (work.passes - 1) * work.read_bytes)


def _combining_s(walks: Walks) -> Floats:
    """Return the seconds of the kernel that combines the parts of rows, and of their accumulators,
    each of which goes to a sector of its own.
    """
    work, arch, costs = walks.work, walks.arch, walks.arch.costs
    parts_bytes = SECTOR_BYTES * work.rows * walks.split * work.reductions
    storing_s = parts_bytes / (costs.stored_bytes_per_clock * arch.sm_count * arch.clock_hz)
    steps = np.ceil(walks.split / WHOLE_THREADS)
    read = TOTAL_BYTES * work.reductions * work.rows * walks.split
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
