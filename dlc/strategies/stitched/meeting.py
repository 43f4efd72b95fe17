"""What it takes that threads meet between stages."""

from collections.abc import Mapping, Sequence
from math import fsum

from dlc.arch import GpuArch
from dlc.arch.gpu_costs import GpuCosts
from dlc.strategies.stitched.schedule import BLOCK, CLUSTER, GRID, NONE


def meetings_s(carry: Sequence[str], arch: GpuArch) -> float:
    """Return the seconds in which threads meet between stages."""
    each_us = _each_us(arch.costs)
    late_us = arch.costs.grid_start_us if GRID in carry else 0.0
    return (late_us + fsum(each_us[each] for each in carry)) * 1e-6


def may_gain(carry: str, arch: GpuArch) -> bool:
    """Whether such a meeting takes less than the start of a kernel. Where it does not, no kernel
    whose stages meet so takes less than its stages as kernels.
    """
    return _each_us(arch.costs)[carry] < arch.costs.start_us


def _each_us(costs: GpuCosts) -> Mapping[str, float]:
    return {
        NONE: costs.start_us,  # launches that read nothing of each other overlap
        BLOCK: costs.block_meeting_us,
        CLUSTER: costs.cluster_meeting_us,
        GRID: costs.grid_meeting_us,
    }
