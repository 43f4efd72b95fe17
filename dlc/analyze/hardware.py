"""The least time that any kernel takes for some work, by the row of a chip."""

from dlc.analyze.work import Work
from dlc.arch import Arch, CpuArch, GpuArch
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import KernelWork, cpu_bound, gpu_bound

_CPU_BYTES = 4
"""Of the type whose peak on a CPU all products are counted at."""
_BYTES = {"f64": 8, "f16": 2, "bf16": 2, "i8": 1}
"""Of the types whose lanes are not those of ``f32``; no vector has more lanes than fit."""


def least_s(work: Work, chip: Arch) -> float:
    """Return the least seconds that ``work`` takes: all products at the peak of the fastest unit
    for their types on all cores, or all bytes once, whichever takes longer.

    Bytes that the caches hold may be there already. Only multiply-adds count, without those of
    padding: other operations have cheaper forms.
    """
    if isinstance(chip, CpuArch):
        return _on_cpu(work, chip)
    return _on_gpu(work, chip)


def _on_cpu(work: Work, chip: CpuArch) -> float:
    counts = work.needed.items()
    flops = sum(2.0 * n * _BYTES.get(type, _CPU_BYTES) / _CPU_BYTES for type, n in counts)
    return cpu_bound(flops, work.bytes, _CPU_BYTES, chip.cores, chip).time_s


def _on_gpu(work: Work, chip: GpuArch) -> float:
    """Count products of all types as if the fastest unit of the chip did them."""
    peaks = chip.peaks
    unit = max(peaks, key=peaks.__getitem__)
    counts = work.needed.items()
    flops = sum(2.0 * n * peaks[unit] / _peak(peaks, type) for type, n in counts)
    block = BlockResources(chip.warp_threads)
    kernel = KernelWork(unit, flops, flops, work.bytes, work.bytes, 0, chip.sm_count, block)
    return gpu_bound(kernel, chip).time_s


def _peak(peaks: dict[str, float], type: str) -> float:
    """Return the rate of the fastest unit for a type; of any, where a chip says nothing of it."""
    own = [rate for unit, rate in peaks.items() if unit.partition(".")[2] == type]
    return max(own or peaks.values())
