"""How long a kernel that streams through memory probably takes: FusionStitching's ``waves *
instructions * CPI``, with memory.

Times here rank schedules; unlike ``upper_bound`` they may be wrong in both directions.
"""

from dataclasses import dataclass
from math import ceil

from dlc.arch import GpuArch
from dlc.model.occupancy import BlockResources, blocks_per_sm

_DEPENDENT_CLOCKS = 4.5
"""Clocks between two dependent instructions of a warp (Jia et al., arXiv 1804.06826: 4 on
Volta).
"""


@dataclass(frozen=True)
class Waves:
    """The blocks of a kernel one after the other: ``count`` times ``resident`` on each SM.

    warps: of one SM at a time. threads: of the whole chip at a time.
    """

    count: int
    resident: int
    warps: float
    threads: int

    @staticmethod
    def of(blocks: int, block: BlockResources, arch: GpuArch) -> "Waves":
        """Return the waves of a kernel of ``blocks`` blocks, spread over all SMs."""
        resident = max(1, min(blocks_per_sm(block, arch), ceil(blocks / arch.sm_count)))
        slots = arch.sm_count * resident
        warps = resident * block.threads / arch.warp_threads
        return Waves(ceil(blocks / slots), resident, warps, min(blocks, slots) * block.threads)


def clocks_per_instruction(resident_warps: float, arch: GpuArch) -> float:
    """Return the clocks that a warp takes per instruction: its schedulers' share, or the latency of
    a dependent instruction where few warps are resident.
    """
    return max(_DEPENDENT_CLOCKS, resident_warps / arch.issue_per_clock_per_sm)


def program_s(waves: Waves, instructions: float, arch: GpuArch) -> float:
    """Return ``waves * instructions * CPI`` in seconds; instructions are those of one warp."""
    clocks = clocks_per_instruction(waves.warps, arch)
    return waves.count * instructions * clocks / arch.clock_hz


def traffic_s(bytes: float, bytes_in_flight: float, arch: GpuArch) -> float:
    """Return the seconds to move bytes of global memory, by Little's law:
    ``bytes / min(bandwidth, bytes in flight / latency)``.
    """
    reachable = bytes_in_flight / arch.dram_latency_s
    return bytes / min(arch.dram_bytes_per_s * arch.costs.dram_efficiency, reachable)


def scattered_s(elements: float, arch: GpuArch) -> float:
    """Return the seconds to read elements of which each is in a line of its own."""
    clocks = elements * arch.costs.scattered_clocks / arch.sm_count
    return clocks / arch.clock_hz


_LOADS_AHEAD = 8
"""Loads that a thread has under way at a time (an unrolled reduction, the operands of a vector)."""


@dataclass(frozen=True)
class Elements:
    """A kernel whose threads compute elements one by one.

    vector: elements of a thread. bytes: moved in all. operations, loads: of one element.
    """

    points: int
    vector: int
    bytes: float
    operations: float
    loads: float


def elements_s(elements: Elements, block: BlockResources, arch: GpuArch) -> float:
    """Return the seconds of an elementwise kernel: start, then a little more than the longest of
    its instructions, its waits, its traffic and the starts of its warps.
    """
    costs, clock = arch.costs, arch.clock_hz
    blocks = ceil(elements.points / (block.threads * elements.vector))
    waves = Waves.of(blocks, block, arch)
    each = costs.operation_instructions * elements.operations + costs.result_instructions
    each += costs.load_instructions * elements.loads
    instructions = elements.vector * each
    warps = blocks * block.threads / arch.warp_threads
    rounds_of_loads = ceil(elements.vector * elements.loads / _LOADS_AHEAD)
    waiting = costs.thread_wait_clocks + costs.loads_wait_clocks * rounds_of_loads
    parts = (
        program_s(waves, instructions, arch),
        waves.count * waiting / clock,
        elements.bytes / (arch.dram_bytes_per_s * costs.dram_efficiency),
        warps / arch.sm_count * costs.warp_clocks / clock,
    )
    return costs.start_us * 1e-6 + sum(part**3 for part in parts) ** (1 / 3)
