"""How fast a kernel can be at most: DeepCuts' bound, extended.

DeepCuts (Jung, Dao, Lee, PLDI 2021) bounds a kernel by ``GMRatio * SMRatio * WBRatio * COEF``,
each a fraction of the chip's peak. Here every resource gives a time and the longest counts,
since a product of fractions can be beaten by a kernel that overlaps them; the fractions are
reported. Terms for the L2 cache, padded tensor-core tiles and the launch
are added. All are lower limits of the time, so no measurement may beat the sum.
"""

from dataclasses import dataclass
from math import ceil

from dlc.arch import CpuArch, GpuArch
from dlc.model.occupancy import BlockResources, limit_violation
from dlc.model.violation import Violation


@dataclass(frozen=True)
class KernelWork:
    """What a kernel does, summed over its blocks.

    flops: what the result needs. issued_flops: with predicated tails; both on ``unit`` (a key of
    ``GpuArch.flops_per_clock_per_sm``). global_bytes: each tensor once. l2_bytes: what the
    blocks read and write together. shared_bytes: what warps move from and to shared memory.
    """

    unit: str
    flops: float
    issued_flops: float
    global_bytes: float
    l2_bytes: float
    shared_bytes: float
    blocks: int
    block: BlockResources


def streaming_work(
    flops: float, least_flops: float, bytes: float, blocks: int, block: BlockResources
) -> KernelWork:
    """Return the work of a kernel whose threads take each byte from global memory once.

    flops: by a heuristic count. least_flops: what no code for it can leave out.
    """
    return KernelWork(
        unit="fma.f32",
        flops=flops,
        issued_flops=least_flops,
        global_bytes=bytes,
        l2_bytes=bytes,
        shared_bytes=0,
        blocks=blocks,
        block=block,
    )


@dataclass(frozen=True)
class UpperBound:
    """The least time of a kernel, and the fractions of the peak that each resource allows.

    violation: which limit of the chip a block exceeds; the time is then infinite.
    """

    time_s: float
    global_ratio: float
    shared_ratio: float
    wave_efficiency: float
    violation: Violation | None = None

    @property
    def limits(self) -> int:
        """1 when the chip can hold a block, else 0 (DeepCuts' COEF)."""
        return 0 if self.violation else 1


def bandwidth_ratio(
    flops: float, bytes: float, peak_flops_per_s: float, bytes_per_s: float
) -> float:
    """Return the fraction of the peak that a bandwidth allows: ``min(1, (flops / bytes) / (peak /
    bandwidth))``.

    DeepCuts' GMRatio with the bandwidth of global memory. SMRatio is the same with that of shared
    memory: DeepCuts divides operations per load by the latency, which resident warps hide.
    """
    if bytes <= 0:
        return 1.0
    return min(1.0, (flops / bytes) / (peak_flops_per_s / bytes_per_s))


def wave_efficiency(blocks: int, slots: int) -> float:
    """Return the fraction of the slots that have a block, ``blocks / (slots * ceil(blocks /
    slots))``.

    slots: SMs, or SMs times blocks per SM. DeepCuts' WBRatio as printed penalises a nearly full
    last wave; this is the quantity that it bounds.
    """
    return blocks / (slots * ceil(blocks / slots))


def gpu_bound(work: KernelWork, arch: GpuArch) -> UpperBound:
    """Return the bound of a kernel: ``launch + max(global, L2, max(flops, shared) / waves)``.

    global: each tensor crosses once; as many bytes as the L2 holds may be there already (an earlier
    kernel left them) or stay there, the rest crosses the memory. L2: also limited by what the SMs
    in use can take in. flops and shared are done by SMs, of which the busiest has
    ``ceil(blocks / SMs)`` blocks.
    limits: 0 when a block does not fit on the chip; the time is then infinite.
    """
    peak = arch.flops_per_s(work.unit)
    waves = wave_efficiency(work.blocks, arch.sm_count)
    violation = limit_violation(work.block, arch)
    sms = min(work.blocks, arch.sm_count)
    into_sms = arch.l2_bytes_per_clock_into_sm * sms * arch.clock_hz
    beyond = max(0.0, work.global_bytes - arch.l2_bytes)
    global_s = max(work.global_bytes / arch.l2_bytes_per_s, beyond / arch.dram_bytes_per_s)
    on_sms_s = max(
        work.issued_flops / peak,
        work.shared_bytes / arch.shared_bytes_per_s,
    )
    l2_s = work.l2_bytes / min(arch.l2_bytes_per_s, into_sms)
    time_s = arch.launch_floor_us * 1e-6 + max(global_s, l2_s, on_sms_s / waves)
    return UpperBound(
        float("inf") if violation else time_s,
        bandwidth_ratio(work.flops, work.global_bytes, peak, arch.dram_bytes_per_s),
        bandwidth_ratio(work.flops, work.shared_bytes, peak, arch.shared_bytes_per_s),
        waves,
        violation,
    )


def cpu_bound(
    flops: float,
    bytes: float,
    element_bytes: int,
    cores: int,
    arch: CpuArch,
    least_flops: float | None = None,
) -> UpperBound:
    """Return the bound of a loop nest on some cores: ``max(flops / peak, bytes / bandwidth)``.

    least_flops: those that no code can leave out, where ``flops`` is a heuristic count. Each tensor
    crosses the first-level caches once; as many bytes as a cache holds may be in it already, or
    stay there, the rest crosses what is behind it.
    """
    share = cores / arch.cores
    peak = arch.flops_per_s(element_bytes) * share
    time_s = max(
        (flops if least_flops is None else least_flops) / peak,
        bytes / (arch.l1_bytes_per_s * share),
        (bytes - arch.l1_bytes * cores) / (arch.l2_bytes_per_s * share),
        (bytes - arch.l2_bytes * cores) / (arch.l3_bytes_per_s * share),
        (bytes - arch.l3_bytes) / arch.dram_bytes_per_s,
    )
    return UpperBound(
        time_s,
        bandwidth_ratio(flops, bytes, peak, arch.dram_bytes_per_s),
        1.0,
        share,
    )
