"""How long attention probably takes on a GPU where blocks have parts of the keys: few queries, so
that bringing keys and values is nearly all there is.

Constants are fitted to 126 kernels of 12 shapes on an H200, whose times lie 7 % off the estimates
(``test/data/attention-3-h200.jsonl.gz``).
"""

from collections.abc import Iterator
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.model.attention import AttentionKernel, step_work, violation
from dlc.model.contraction import EXCHANGE_RUN
from dlc.model.contraction.overlap import slower
from dlc.model.occupancy import blocks_per_sm

_READ_EFFICIENCY = 0.88
"""The part of the stated bandwidth at which keys and values come, which are only read."""

_QUEUED = 1.7
"""Latency of the memory while all blocks ask for what it brings, in units of a loaded one's."""

_ALONE = 0.75
"""Instructions that a warp issues in a clock where its scheduler has no other."""

_REMAINDER_CLOCKS = 270.0
"""Of a step whose slot is found by a remainder."""

_BEHIND = 0.33
"""The part of the work on what has come last that nothing hides: keys of one step, or of all steps
where these were asked for together, since then they come together, too.
"""

_SCRATCH_CLOCKS, _CLUSTER_CLOCKS = 130.0, 500.0
"""Until parts have met, in scratch or in a cluster, beside what follows."""

_FENCE_CLOCKS, _TURN_CLOCKS = 50.0, 600.0
"""Until what a warp has written is there for all, and of parts that are read, beside their
latency.
"""

_PARTS_TOGETHER = 16
"""Parts whose sums a thread reads at a time."""

_IN_ROUNDS = 2
"""Blocks that share an SM, up to which all end together: so those that found no room begin when all
others have ended. Of more, some end early. Of 22 measured kernels with more blocks than find room,
the 11 of the first kind take 1.13 to 1.57 times the best of their shape, the others 1.00 to 1.18.
"""


def parts_s(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return the seconds that a kernel probably takes whose blocks have parts of the keys; infinite
    where a block does not fit.
    """
    if violation(kernel, arch):
        return float("inf")
    clocks = sum(_clocks(kernel, *one, arch) for one in _rounds(kernel, arch))
    return arch.costs.start_us * 1e-6 + clocks / arch.clock_hz


def _rounds(kernel: AttentionKernel, arch: GpuArch) -> Iterator[tuple[int, float, float]]:
    """Yield, of each round: the blocks that share an SM, how often these are replaced by others,
    and the part of all blocks.
    """
    sms = arch.cluster_sms[kernel.split] if kernel.in_cluster else arch.sm_count
    resident = min(blocks_per_sm(kernel.block, arch), ceil(kernel.blocks / sms))
    at_a_time = sms * resident
    if resident > _IN_ROUNDS:
        yield resident, max(1.0, kernel.blocks / at_a_time), 1.0
        return
    for first in range(0, kernel.blocks, at_a_time):
        blocks = min(at_a_time, kernel.blocks - first)
        yield ceil(blocks / sms), 1.0, blocks / kernel.blocks


def _clocks(
    kernel: AttentionKernel, resident: int, times: float, part: float, arch: GpuArch
) -> float:
    """Return the clocks of a round. Nothing arrives while all blocks begin, and while their parts
    meet.
    """
    ends = _first_clocks(kernel, resident, arch) + _meeting_clocks(kernel, resident, arch)
    step, waiting = _step_clocks(kernel, resident, arch)
    together = min(kernel.stages, kernel.steps)
    steps = together * step + (kernel.steps - together) * waiting
    behind = _BEHIND * (kernel.steps if together == kernel.steps else 1) * step
    bandwidth = arch.dram_bytes_per_s * _READ_EFFICIENCY / arch.clock_hz
    memory = part * (kernel.read_bytes + kernel.written_bytes) / bandwidth
    return float(slower(4, ends + times * steps, ends + memory + behind))


def _first_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks until the first keys and values are there."""
    return _latency_clocks(arch) + resident * kernel.step_bytes / arch.l2_bytes_per_clock_into_sm


def _meeting_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks until the last of the blocks that share a tile has added up their parts,
    some at a time for each run of neighbours; before, each warp waits for what it has written.
    Blocks of a cluster send all their runs, and add up some.
    """
    if kernel.in_cluster:
        bandwidth = arch.shared_bytes_per_clock_per_sm * arch.costs.remote_share
        return _CLUSTER_CLOCKS + resident * kernel.split * kernel.sent_bytes / bandwidth
    runs = kernel.left_rows * kernel.columns / EXCHANGE_RUN
    rounds = ceil(runs / (WARP_LANES * kernel.all_warps))
    turns = ceil(kernel.split / _PARTS_TOGETHER)
    fences = resident * kernel.all_warps * _FENCE_CLOCKS
    return _SCRATCH_CLOCKS + fences + rounds * turns * (_latency_clocks(arch) + _TURN_CLOCKS)


def _step_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> tuple[float, float]:
    """Return the clocks of a step whose keys and values are there, and of one that waits for them,
    which were asked for when those of ``stages`` - 1 steps were under way.
    """
    work, warps = step_work(kernel, arch), kernel.all_warps / arch.issue_per_clock_per_sm
    working = (work.multiplying + work.exponentials) / min(1.0, warps)
    working += work.issuing / min(1.0, _ALONE * warps) + arch.costs.step_clocks
    if kernel.stages < kernel.steps and kernel.stages & (kernel.stages - 1):
        working += _REMAINDER_CLOCKS
    latency = _QUEUED * _latency_clocks(arch)
    if kernel.stages == 1:
        waiting = working + latency + work.arriving
    else:
        waiting = max(working, latency / (kernel.stages - 1) + work.arriving)
    shared = work.shared(resident)
    return float(slower(3, shared, working)), float(slower(3, shared, waiting))


def _latency_clocks(arch: GpuArch) -> float:
    return arch.dram_latency_s * arch.clock_hz * arch.costs.loaded_dram_latency
