"""What it takes that threads meet between stages."""

from collections.abc import Sequence
from math import fsum

from dlc.arch import GpuArch
from dlc.strategies.stitched.schedule import BLOCK, CLUSTER, GRID, NONE


def meetings_s(carry: Sequence[str], arch: GpuArch) -> float:
    """Return the seconds in which threads meet between stages."""
    costs = arch.costs
    each_us = {
        NONE: costs.start_us,  # launches that read nothing of each other overlap
        BLOCK: costs.block_meeting_us,
        CLUSTER: costs.cluster_meeting_us,
        GRID: costs.grid_meeting_us,
    }
    late_us = costs.grid_start_us if GRID in carry else 0.0
    return (late_us + fsum(each_us[each] for each in carry)) * 1e-6
