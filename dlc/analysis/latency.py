"""How long a kernel probably takes: FusionStitching's ``waves * instructions * CPI``, with memory.

Times here rank schedules; unlike ``upper_bound`` they may be wrong in both directions.
"""

from dataclasses import dataclass
from math import ceil

from dlc.analysis.occupancy import BlockResources, blocks_per_sm
from dlc.arch import GpuArch

_DEPENDENT_CLOCKS = 4.5
"""Clocks between two dependent instructions of a warp (Jia et al., arXiv 1804.06826: 4 on
Volta).
"""

_DRAM_EFFICIENCY = 0.85
"""Fraction of the stated bandwidth that long copies reach (4.1 of 4.8 TB/s on an H200)."""

_LOADED_LATENCY = 1.5
"""Latency of memory that others use too, in units of the latency of idle memory."""

_COUNTER_HOP_S = 0.65e-6
"""From an atomic release by one block to its being seen by another (measured on H100)."""


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
    return bytes / min(arch.dram_bytes_per_s * _DRAM_EFFICIENCY, reachable)


@dataclass(frozen=True)
class TiledContraction:
    """A contraction cut in tiles, seen from one SM.

    blocks, resident: thread blocks in all and on one SM at a time. steps: slices of the reduction
    per block. Per block and step: flops, factor_bytes (from global to shared memory),
    shared_bytes (both ways), instructions (of warps). parallel: the fraction of the peak that the
    block's independent multiply-adds can keep busy. stages: slices in shared memory.
    tile_bytes: what the block's epilogue reads and writes; partial_bytes: its tile of partial sums.
    """

    blocks: int
    resident: int
    steps: int
    split: int
    stages: int
    flops: float
    factor_bytes: float
    shared_bytes: float
    instructions: float
    parallel: float
    tile_bytes: float
    partial_bytes: float


def contraction_s(tiled: TiledContraction, unit: str, global_bytes: float, arch: GpuArch) -> float:
    """Return the seconds of a tiled contraction.

    ``launch + waves * (first slice + steps * slowest resource + epilogue)``, at least
    ``launch + traffic``. A step waits for arithmetic, shared memory, issue, the SM's share of the
    L2, or the latency of global memory over the slices in flight. A split adds writing and reading
    partial sums and a hop of the counter that tells the last block.
    """
    sms = min(arch.sm_count, tiled.blocks)
    resident = min(tiled.resident, ceil(tiled.blocks / arch.sm_count))
    waves = ceil(tiled.blocks / (arch.sm_count * resident))
    clock = arch.clock_hz
    l2_share = min(arch.l2_bytes_per_clock_into_sm, arch.l2_bytes_per_clock / sms)
    latency = _LOADED_LATENCY * arch.dram_latency_s * clock
    rate = arch.flops_per_clock_per_sm[unit] * min(1.0, resident * tiled.parallel)
    step = arch.block_barrier_clocks + max(
        resident * tiled.flops / rate,
        resident * tiled.shared_bytes / arch.shared_bytes_per_clock_per_sm,
        resident * tiled.instructions / arch.issue_per_clock_per_sm,
        resident * tiled.factor_bytes / l2_share,
        latency / max(1, tiled.stages - 1),
    )
    epilogue = latency / 2 + resident * tiled.tile_bytes / l2_share
    if tiled.split > 1:
        moved = tiled.partial_bytes * (resident + tiled.split)
        epilogue += _COUNTER_HOP_S * clock + latency / 2 + moved / l2_share
    block = latency + tiled.steps * step + epilogue
    traffic = global_bytes / (arch.dram_bytes_per_s * _DRAM_EFFICIENCY)
    return arch.launch_us * 1e-6 + max(waves * block / clock, traffic)
