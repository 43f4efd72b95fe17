"""Schedules of ``map`` and ``row`` groups on a CPU: one core or all."""

from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import traffic_bytes, work
from dlc.analysis.schedule._candidate import Rated, Record, best
from dlc.analysis.upper_bound import cpu_bound
from dlc.arch import CpuArch
from dlc.errors import CompileError

_SCALAR_EFFICIENCY = 0.25
"""Fraction of the peak that compiled elementwise loops reach: loads, stores and addresses share the
issue slots.
"""


def choose_map(cluster: Cluster, arch: CpuArch) -> Rated:
    """Return the best schedule of the group by strategy ``map``."""
    return _choose(cluster, "map", arch)


def choose_row(cluster: Cluster, arch: CpuArch) -> Rated:
    """Return the best schedule of the group by strategy ``row``."""
    return _choose(cluster, "row", arch)


def _choose(cluster: Cluster, kind: str, arch: CpuArch) -> Rated:
    records = ({"strategy": kind, "cores": cores} for cores in (False, True))
    return best((rate(cluster, record, arch) for record in records), "a loop nest")


def rate(cluster: Cluster, schedule: Record, arch: CpuArch) -> Rated:
    """Return what the models say about a schedule; raises CompileError for wrong keys."""
    cores = schedule.get("cores", False)
    if not isinstance(cores, bool):
        raise CompileError(f"schedule key cores should be true or false, is {cores!r}")
    used = arch.cores if cores else 1
    operations, bytes = work(cluster), traffic_bytes(cluster)
    bound = cpu_bound(operations, bytes, 4, used, arch)

    lanes = 1 if _is_scalar(cluster, schedule) else arch.vector_bytes // 4

    def latency_s() -> float:
        return _latency_s(operations * arch.vector_bytes / 4 / lanes, bytes, used, arch)

    return Rated(schedule, bound, latency_s)


def _is_scalar(cluster: Cluster, schedule: Record) -> bool:
    """Whether no SIMD lanes run: along a row that is not stored in order (``row``), or along a
    reduction, which one lane does in order (``map``).
    """
    spaces = [f.rows for f in map(cluster.flow.facts, cluster.ops) if f.rows]
    along = any(len(s.shape) - 1 in s.axes for s in spaces)
    return bool(spaces) and along == (schedule.get("strategy") == "map")


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
