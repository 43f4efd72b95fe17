"""Schedules of ``map`` and ``row`` groups on a CPU: one core or all."""

from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import traffic_bytes, work
from dlc.analysis.fusibility import strategy
from dlc.analysis.schedule._candidate import Rated, Record, best
from dlc.analysis.upper_bound import cpu_bound
from dlc.arch import CpuArch
from dlc.errors import CompileError

_SCALAR_EFFICIENCY = 0.25
"""Fraction of the peak that compiled elementwise loops reach: loads, stores and addresses share the
issue slots.
"""


def choose(cluster: Cluster, arch: CpuArch) -> Rated:
    """Return the best schedule of the group."""
    kind = strategy(cluster)
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

    def latency_s() -> float:
        return _latency_s(operations, bytes, used, arch)

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
