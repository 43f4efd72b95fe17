"""How loops of scalar operations are rated on a CPU, on one core or on all."""

from dataclasses import dataclass

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes, work
from dlc.arch import CpuArch
from dlc.model.upper_bound import cpu_bound
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule

_SCALAR_EFFICIENCY = 0.25
"""Fraction of the peak that compiled elementwise loops reach: loads, stores and addresses share the
issue slots.
"""


@dataclass(frozen=True)
class NestWork:
    """What a group of loops does: scalar operations in units of an addition, bytes moved, and
    whether SIMD lanes compute it.
    """

    operations: float
    bytes: int
    on_lanes: bool


def work_of(cluster: Cluster, on_lanes: bool) -> NestWork:
    """Return the work of a cluster."""
    return NestWork(work(cluster), traffic_bytes(cluster), on_lanes)


def rows_in_order(cluster: Cluster) -> bool | None:
    """Return whether the rows that are reduced are stored in order; ``None`` without reductions."""
    spaces = [f.rows for f in map(cluster.flow.facts, cluster.ops) if f.rows]
    return any(len(s.shape) - 1 in s.axes for s in spaces) if spaces else None


def rate(work: NestWork, schedule: Schedule, cores: bool, arch: CpuArch) -> Rated:
    """Return the bound and the latency of a schedule that takes one core or all."""
    used = arch.cores if cores else 1
    bound = cpu_bound(work.operations, work.bytes, 4, used, arch)
    lanes = arch.vector_bytes // 4 if work.on_lanes else 1

    def latency_s() -> float:
        operations = work.operations * arch.vector_bytes / 4 / lanes
        return _latency_s(operations, work.bytes, used, arch)

    return Rated(schedule, bound, latency_s)


def _latency_s(operations: float, bytes: int, cores: int, arch: CpuArch) -> float:
    """Return the start of the team, then arithmetic and traffic one after the other."""
    start_s = arch.parallel_region_us * 1e-6 if cores > 1 else 0.0
    return start_s + computing_s(operations, cores, arch) + moving_s(bytes, cores, arch)


def computing_s(operations: float, cores: int, arch: CpuArch) -> float:
    """Return the seconds that loops compute, in which all lanes have work."""
    return operations / (arch.flops_per_s() * _SCALAR_EFFICIENCY * cores / arch.cores)


def moving_s(bytes: int, cores: int, arch: CpuArch) -> float:
    """Return the seconds in which some cores read or write all that a kernel touches.

    One core cannot use the whole memory.
    """
    share = cores / arch.cores
    if bytes <= arch.l2_bytes * cores:
        return bytes / (arch.l2_bytes_per_s * share)
    if bytes <= arch.l3_bytes:
        return bytes / (arch.l3_bytes_per_s * share)
    return bytes / min(arch.dram_bytes_per_s, arch.l3_bytes_per_s * share)
