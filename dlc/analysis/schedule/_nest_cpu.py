"""Schedules of ``map`` and ``row`` groups on a CPU: one core or all."""

from dataclasses import dataclass

from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import traffic_bytes, work
from dlc.analysis.schedule._candidate import Rated, Record
from dlc.analysis.schedule._key import flag
from dlc.analysis.schedule._strategy import Strategy
from dlc.arch import CpuArch
from dlc.model.upper_bound import cpu_bound

_CORES = flag("cores", False)

_SCALAR_EFFICIENCY = 0.25
"""Fraction of the peak that compiled elementwise loops reach: loads, stores and addresses share the
issue slots.
"""


@dataclass(frozen=True)
class NestWork:
    """What a group of loops does: scalar operations in units of an addition, bytes moved, and the
    strategies by which SIMD lanes compute it.
    """

    operations: float
    bytes: int
    on_lanes: frozenset[str]


def work_of(cluster: Cluster) -> NestWork:
    """Return the work of a cluster of either strategy."""
    return NestWork(work(cluster), traffic_bytes(cluster), _on_lanes(cluster))


def _on_lanes(cluster: Cluster) -> frozenset[str]:
    """Return the strategies with SIMD lanes. There are none along a row that is not stored in order
    (``row``), nor along a reduction, which one lane does in order (``map``).
    """
    spaces = [f.rows for f in map(cluster.flow.facts, cluster.ops) if f.rows]
    if not spaces:
        return frozenset({"map", "row"})
    along = any(len(s.shape) - 1 in s.axes for s in spaces)
    return frozenset({"row" if along else "map"})


def rate_work(work: NestWork, schedule: Record, arch: CpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    used = arch.cores if _CORES.of(schedule) else 1
    bound = cpu_bound(work.operations, work.bytes, 4, used, arch)
    lanes = arch.vector_bytes // 4 if schedule.get("strategy") in work.on_lanes else 1

    def latency_s() -> float:
        operations = work.operations * arch.vector_bytes / 4 / lanes
        return _latency_s(operations, work.bytes, used, arch)

    return Rated(schedule, bound, latency_s)


def _latency_s(operations: float, bytes: int, cores: int, arch: CpuArch) -> float:
    """Return the start of the team, then arithmetic and traffic one after the other."""
    start_s = arch.parallel_region_us * 1e-6 if cores > 1 else 0.0
    compute_s = operations / (arch.flops_per_s() * _SCALAR_EFFICIENCY * cores / arch.cores)
    return start_s + compute_s + bytes / _bandwidth(bytes, cores, arch)


def _bandwidth(bytes: int, cores: int, arch: CpuArch) -> float:
    """Return the bytes per second that some cores reach; one core cannot use the whole memory."""
    share = cores / arch.cores
    if bytes <= arch.l2_bytes * cores:
        return arch.l2_bytes_per_s * share
    if bytes <= arch.l3_bytes:
        return arch.l3_bytes_per_s * share
    return min(arch.dram_bytes_per_s, arch.l3_bytes_per_s * share)


def _strategy(kind: str) -> Strategy[NestWork, CpuArch]:
    records = [{"strategy": kind, "cores": cores} for cores in (False, True)]
    return Strategy(work_of, lambda *_: records, rate_work, lambda _: "a loop nest", (_CORES,))


MAP, ROW = _strategy("map"), _strategy("row")
