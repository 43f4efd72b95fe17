"""How loops of scalar operations are rated on a CPU, on one core or on all."""

from dataclasses import dataclass
from math import hypot, inf

from dlc.analysis.dataflow import Cluster
from dlc.analysis.element_profile import profile
from dlc.analysis.form import once_per_form
from dlc.analysis.traffic import least_work, traffic_bytes, work
from dlc.arch import STACK_BYTES, CpuArch
from dlc.core.affine import Ranges, extent, interval_of, stride
from dlc.dialects.graph.computed import ReductionOp
from dlc.ir.tensor import shape
from dlc.model.upper_bound import cpu_bound
from dlc.model.violation import Resource, Violation
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule


@dataclass(frozen=True)
class NestWork:
    """What a group of loops does: scalar operations in units of an addition, bytes moved, whether
    SIMD lanes compute it, the operations that no code can leave out, and the rows or results, each
    of which is one core's.
    """

    operations: float
    bytes: int
    on_lanes: bool
    least_operations: float = 0.0
    pieces: float = inf


def stack_violation(bytes: int) -> Violation | None:
    """Return why a kernel cannot have buffers of so many bytes; ``None`` where it can."""
    if bytes <= STACK_BYTES:
        return None
    return Violation(
        Resource.MEMORY,
        f"needs {bytes} bytes of a thread's stack, of which a kernel may take {STACK_BYTES}",
    )


def work_of(cluster: Cluster, on_lanes: bool, pieces: float = inf) -> NestWork:
    """Return the work of a cluster."""
    return NestWork(work(cluster), traffic_bytes(cluster), on_lanes, least_work(cluster), pieces)


def reduces_on_lanes(cluster: Cluster) -> bool:
    """Return whether there are neighbouring results, each in a SIMD lane, that read neighbouring
    elements, or the same, at each point of a reduction, and all of them or none.
    """
    return all(_on_lanes(op) for op in cluster.ops if isinstance(op, ReductionOp))


@once_per_form
def _on_lanes(op: ReductionOp) -> bool:
    found = profile(op)
    lane = max((d for d, n in enumerate(found.parallel) if n > 1), default=None)
    if lane is None:
        return found.reduction_points <= 1  # one chain, in which each waits for the one before
    ranges = Ranges([extent(n) for n in (*found.parallel, *found.reduction)])
    for read in found.reads:
        sizes = shape(op.operands[read.operand]) if read.reduced else ()
        for axis, size in enumerate(sizes):
            expr = read.map.results[axis]
            if lane in expr.used_dims():
                low, high = interval_of(expr, ranges)
                inside = low is not None and high is not None and low >= 0 and high < size
                last = all(n == 1 for n in sizes[axis + 1 :])
                if not (inside and last and stride(expr, lane, ranges) == 1):
                    return False
    return True


def rate(work: NestWork, schedule: Schedule, cores: bool, arch: CpuArch) -> Rated:
    """Return the bound and the latency of a schedule that takes one core or all."""
    used = int(min(arch.cores, max(1, work.pieces))) if cores else 1
    bound = cpu_bound(work.operations, work.bytes, 4, used, arch, work.least_operations)
    lanes = arch.vector_bytes // 4 if work.on_lanes else 1

    def latency_s() -> float:
        operations = work.operations * arch.vector_bytes / 4 / lanes
        own_s = hypot(computing_s(operations, used, arch), moving_s(work.bytes, used, arch))
        return start_s(arch.cores if cores else 1, arch) + own_s  # arithmetic and traffic overlap

    return Rated(schedule, bound, latency_s)


def start_s(cores: int, arch: CpuArch, regions: int = 1) -> float:
    """Return the seconds of a launch with loops that are spread ``regions`` times."""
    spread_us = regions * arch.parallel_region_us if cores > 1 else 0.0
    return (arch.costs.launch_us + spread_us) * 1e-6


def computing_s(operations: float, cores: int, arch: CpuArch) -> float:
    """Return the seconds that loops compute, in which all lanes have work."""
    return operations / (arch.flops_per_s() * arch.costs.scalar_efficiency * cores / arch.cores)


def moving_s(bytes: int, cores: int, arch: CpuArch, again: bool = False) -> float:
    """Return the seconds in which some cores read or write all that a kernel touches.

    What the second-level caches cannot hold comes from the third, and from the memory what that
    cannot hold. One core cannot use the whole memory. again: nothing else is read or written
    between two times.
    """
    share, near = cores / arch.cores, arch.l2_bytes * cores
    l2_efficiency = arch.costs.swept_l2_efficiency if again else arch.costs.l2_efficiency
    l2_bytes_per_s = arch.l2_bytes_per_s * l2_efficiency * share
    l3_bytes_per_s = arch.l3_bytes_per_s * arch.costs.l3_efficiency * share
    far_bytes_per_s = min(arch.dram_bytes_per_s, l3_bytes_per_s)
    far = max(0, bytes - arch.l3_bytes)
    middle = max(0, bytes - near - far)
    near_s = (bytes - middle - far) / l2_bytes_per_s
    return near_s + middle / l3_bytes_per_s + far / far_bytes_per_s


def third_level_s(bytes: float, cores: int, arch: CpuArch) -> float:
    """Return the seconds in which some cores read what is in the third-level cache."""
    return bytes / (arch.l3_bytes_per_s * arch.costs.l3_efficiency * cores / arch.cores)
