"""How long kernels that stream through memory probably take on a GPU, many at once.

Times here rank schedules; unlike ``upper_bound`` they may be wrong in both directions. What each
part costs is measured (``dlc.arch.gpu_costs``).
"""

from dataclasses import dataclass

import numpy as np

from dlc.arch import GpuArch
from dlc.model.occupancy import Floats

Numbers = Floats | float
"""A number, or one for each of many kernels."""


@dataclass(frozen=True)
class LaneReads:
    """What a warp reads for an element, or a vector, of each lane.

    loads: instructions of a lane. lines: 128-byte lines that each instruction of the warp touches,
    added up. fetched: the lines of all instructions, each counted once for a tensor.
    """

    loads: float = 0.0
    lines: float = 0.0
    fetched: float = 0.0

    def __add__(self, other: "LaneReads") -> "LaneReads":
        loads, lines = self.loads + other.loads, self.lines + other.lines
        return LaneReads(loads, lines, self.fetched + other.fetched)

    def times(self, factor: float) -> "LaneReads":
        """Return so many times the lines."""
        return LaneReads(self.loads, self.lines * factor, self.fetched * factor)


@dataclass(frozen=True)
class Stream:
    """Kernels: numbers, or arrays of equal length with an element for each.

    blocks: of the kernel. threads: of a block. fits: blocks that an SM holds at a time, 0 where not
    one does. instructions: of a warp. wait_clocks: of a block, in which it waits for what it asked
    for. lines, fetched: as in ``LaneReads``, of all warps. read_bytes, written_bytes: each tensor
    once. stored_bytes: of the sectors that stores of warps touch. reread_bytes: what is read again
    and is no longer in the first-level caches. chains: of a thread's instructions, those that do
    not wait for each other.
    """

    blocks: Numbers
    threads: Numbers
    fits: Numbers
    instructions: Numbers
    wait_clocks: Numbers
    lines: Numbers
    fetched: Numbers
    read_bytes: Numbers
    written_bytes: float
    stored_bytes: Numbers
    reread_bytes: Numbers = 0.0
    chains: Numbers = 1.0


def resident(blocks: Numbers, fits: Numbers, arch: GpuArch) -> Floats:
    """Return how many blocks an SM has at a time, where ``fits`` is how many it can hold."""
    return np.maximum(1, np.minimum(fits, np.ceil(blocks / arch.sm_count)))


def stream_s(kernel: Stream, arch: GpuArch) -> Floats:
    """Return the seconds of kernels: the start, and what the parts take, which overlap in part;
    infinite where a block does not fit.

    Parts are instructions, waits, the lines that the first-level caches look up, what comes from
    the L2 and goes there, the memory, and the starts of blocks. Blocks take each other's place one
    by one, so the waves of them on an SM need not be whole.
    """
    costs, at_a_time = arch.costs, resident(kernel.blocks, kernel.fits, arch)
    waves = np.maximum(1.0, kernel.blocks / (arch.sm_count * at_a_time))
    warps = at_a_time * kernel.threads / arch.warp_threads
    busiest = _busiest_share(kernel.blocks, arch)
    through_l2 = kernel.fetched * costs.fetch_clocks
    through_l2 = through_l2 + kernel.stored_bytes / costs.stored_bytes_per_clock
    parts = (
        waves * kernel.instructions * clocks_per_instruction(warps, arch, kernel.chains),
        waves * kernel.wait_clocks,
        kernel.lines * costs.line_clocks * busiest,
        through_l2 * busiest,
        _memory_clocks(kernel, arch),
        kernel.blocks * costs.block_clocks / arch.sm_count,
    )
    clocks = np.sqrt(sum(np.square(part) for part in parts))
    seconds = costs.start_us * 1e-6 + clocks / arch.clock_hz
    return np.where(np.greater(kernel.fits, 0), seconds, np.inf)


def clocks_per_instruction(resident_warps: Numbers, arch: GpuArch, chains: Numbers = 1.0) -> Floats:
    """Return the clocks that a warp takes per instruction: its schedulers' share, or the latency of
    a dependent instruction where few warps are resident, which chains of a thread share in part,
    but not less than the one clock in which a scheduler issues it.
    """
    latency = arch.costs.dependent_clocks / (1 + arch.costs.chain_overlap * (chains - 1))
    return np.maximum(np.maximum(latency, 1.0), resident_warps / arch.issue_per_clock_per_sm)


def _busiest_share(blocks: Numbers, arch: GpuArch) -> Floats:
    """Return the part of a kernel that the SM with most blocks does."""
    each = blocks / arch.sm_count
    return np.where(np.less_equal(each, 2), np.ceil(each), each) / blocks


def _memory_clocks(kernel: Stream, arch: GpuArch) -> Numbers:
    """Return the clocks in which all bytes cross the L2, and those that it cannot hold the memory.

    Earlier kernels left in the L2 what fits there. What does not fit pushes out what does before it
    is read: of twice as much as fits, nothing is found.
    """
    bytes = kernel.read_bytes + kernel.written_bytes
    l2_clocks = (bytes + kernel.reread_bytes) / (arch.l2_bytes_per_clock * arch.costs.l2_efficiency)
    dram_bytes_per_s = arch.dram_bytes_per_s * arch.costs.dram_efficiency
    beyond = np.clip(2 * (bytes - arch.l2_bytes), 0.0, bytes)
    return np.maximum(l2_clocks, beyond / dram_bytes_per_s * arch.clock_hz)
