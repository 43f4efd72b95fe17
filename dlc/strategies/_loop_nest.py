"""How loops of scalar operations are rated on a CPU, on one core or on all."""

from dataclasses import dataclass
from math import hypot

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import least_work, traffic_bytes, work
from dlc.arch import CpuArch
from dlc.model.upper_bound import cpu_bound
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule


@dataclass(frozen=True)
class NestWork:
    """What a group of loops does: scalar operations in units of an addition, bytes moved, whether
    SIMD lanes compute it, and the operations that no code can leave out.
    """

    operations: float
    bytes: int
    on_lanes: bool
    least_operations: float = 0.0


def work_of(cluster: Cluster, on_lanes: bool) -> NestWork:
    """Return the work of a cluster."""
    return NestWork(work(cluster), traffic_bytes(cluster), on_lanes, least_work(cluster))


def rows_in_order(cluster: Cluster) -> bool | None:
    """Return whether the rows that are reduced are stored in order; ``None`` without reductions."""
    spaces = [f.rows for f in map(cluster.facts, cluster.ops) if f.rows]
    return any(len(s.shape) - 1 in s.axes for s in spaces) if spaces else None


def rate(work: NestWork, schedule: Schedule, cores: bool, arch: CpuArch) -> Rated:
    """Return the bound and the latency of a schedule that takes one core or all."""
    used = arch.cores if cores else 1
    bound = cpu_bound(work.operations, work.bytes, 4, used, arch, work.least_operations)
    lanes = arch.vector_bytes // 4 if work.on_lanes else 1

    def latency_s() -> float:
        operations = work.operations * arch.vector_bytes / 4 / lanes
        return _latency_s(operations, work.bytes, used, arch)

    return Rated(schedule, bound, latency_s)


def _latency_s(operations: float, bytes: int, cores: int, arch: CpuArch) -> float:
    """Return the start, then arithmetic and traffic, which overlap in part."""
    own_s = hypot(computing_s(operations, cores, arch), moving_s(bytes, cores, arch))
    return start_s(cores, arch) + own_s


def start_s(cores: int, arch: CpuArch, regions: int = 1) -> float:
    """Return the seconds of a launch with loops that are spread ``regions`` times."""
    spread_us = regions * arch.parallel_region_us if cores > 1 else 0.0
    return (arch.costs.launch_us + spread_us) * 1e-6


def computing_s(operations: float, cores: int, arch: CpuArch) -> float:
    """Return the seconds that loops compute, in which all lanes have work."""
    return operations / (arch.flops_per_s() * arch.costs.scalar_efficiency * cores / arch.cores)


def moving_s(bytes: int, cores: int, arch: CpuArch) -> float:
    """Return the seconds in which some cores read or write all that a kernel touches.

    What the second-level caches cannot hold comes from the third, and from the memory what that
    cannot hold. One core cannot use the whole memory.
    """
    share, near = cores / arch.cores, arch.l2_bytes * cores
    l2_bytes_per_s = arch.l2_bytes_per_s * arch.costs.l2_efficiency * share
    l3_bytes_per_s = arch.l3_bytes_per_s * arch.costs.l3_efficiency * share
    far_bytes_per_s = min(arch.dram_bytes_per_s, l3_bytes_per_s)
    far = max(0, bytes - arch.l3_bytes)
    middle = max(0, bytes - near - far)
    near_s = (bytes - middle - far) / l2_bytes_per_s
    return near_s + middle / l3_bytes_per_s + far / far_bytes_per_s
