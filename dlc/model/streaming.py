"""How long a kernel that streams through memory probably takes on a GPU.

Times here rank schedules; unlike ``upper_bound`` they may be wrong in both directions. What each
part costs is measured (``dlc.arch.gpu_costs``).
"""

from dataclasses import dataclass
from math import ceil, sqrt

from dlc.arch import GpuArch
from dlc.model.occupancy import BlockResources, blocks_per_sm


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


@dataclass(frozen=True)
class Stream:
    """A kernel.

    instructions: of a warp. wait_clocks: of a block, in which it waits for what it asked for.
    lines, fetched: as in ``LaneReads``, of all warps. read_bytes, written_bytes: each tensor once.
    stored_bytes: of the sectors that stores of warps touch. reread_bytes: what is read again and is
    no longer in the first-level caches.
    """

    blocks: int
    block: BlockResources
    instructions: float
    wait_clocks: float
    lines: float
    fetched: float
    read_bytes: float
    written_bytes: float
    stored_bytes: float
    reread_bytes: float = 0.0


@dataclass(frozen=True)
class Waves:
    """The blocks of a kernel one after the other: ``count`` times ``resident`` on each SM.

    count: 1 at least; blocks take each other's place one by one, so it need not be whole.
    """

    count: float
    resident: int

    @staticmethod
    def of(blocks: int, block: BlockResources, arch: GpuArch) -> "Waves":
        """Return the waves of a kernel of ``blocks`` blocks, spread over all SMs."""
        resident = max(1, min(blocks_per_sm(block, arch), ceil(blocks / arch.sm_count)))
        return Waves(max(1.0, blocks / (arch.sm_count * resident)), resident)


def stream_s(kernel: Stream, arch: GpuArch) -> float:
    """Return the seconds of a kernel: its start, and what its parts take, which overlap in part.

    Parts are instructions, waits, the lines that the first-level caches look up, what comes from
    the L2 and goes there, the memory, and the starts of blocks.
    """
    costs, waves = arch.costs, Waves.of(kernel.blocks, kernel.block, arch)
    warps = waves.resident * kernel.block.threads / arch.warp_threads
    busiest = _busiest_share(kernel.blocks, arch)
    through_l2 = kernel.fetched * costs.fetch_clocks
    through_l2 += kernel.stored_bytes / costs.stored_bytes_per_clock
    parts = (
        waves.count * kernel.instructions * clocks_per_instruction(warps, arch),
        waves.count * kernel.wait_clocks,
        kernel.lines * costs.line_clocks * busiest,
        through_l2 * busiest,
        _memory_clocks(kernel, arch),
        kernel.blocks * costs.block_clocks / arch.sm_count,
    )
    return costs.start_us * 1e-6 + sqrt(sum(part**2 for part in parts)) / arch.clock_hz


def clocks_per_instruction(resident_warps: float, arch: GpuArch) -> float:
    """Return the clocks that a warp takes per instruction: its schedulers' share, or the latency of
    a dependent instruction where few warps are resident.
    """
    return max(arch.costs.dependent_clocks, resident_warps / arch.issue_per_clock_per_sm)


def _busiest_share(blocks: int, arch: GpuArch) -> float:
    """Return the part of a kernel that the SM with most blocks does."""
    each = blocks / arch.sm_count
    return (ceil(each) if each <= 2 else each) / blocks


def _memory_clocks(kernel: Stream, arch: GpuArch) -> float:
    """Return the clocks in which all bytes cross the L2, and those that it cannot hold the memory.

    Earlier kernels left in the L2 what fits there.
    """
    bytes = kernel.read_bytes + kernel.written_bytes
    l2_clocks = (bytes + kernel.reread_bytes) / (arch.l2_bytes_per_clock * arch.costs.l2_efficiency)
    dram_bytes_per_s = arch.dram_bytes_per_s * arch.costs.dram_efficiency
    beyond = max(0.0, bytes - arch.l2_bytes)
    return max(l2_clocks, beyond / dram_bytes_per_s * arch.clock_hz)
