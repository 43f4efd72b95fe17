"""How much a fusion saves: FusionStitching's delta score, as a difference of simple kernel times.

``delta(A, B) = time(A) + time(B) - time(A and B)``: bytes saved + launches saved - work added.
The time of a kernel is here its launch, its memory traffic and its scalar work, one after the
other; the work of a contraction is left out, since a fusion never changes it.
"""

from math import prod

from xdsl.ir import SSAValue

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import Cluster, origin
from dlc.analysis.element_profile import profile
from dlc.analysis.role import Role, role
from dlc.arch import Arch, GpuArch
from dlc.dialects._tensor import element_bytes, element_count, element_type, tensor_bytes
from dlc.dialects.graph._structure import ComputedOp, ContractionOp

_ANCHOR_TILE = 128
"""A contraction reads its lhs once per this many columns."""


def delta_s(left: Cluster, right: Cluster, arch: Arch) -> float:
    """Return the seconds that one kernel for both saves over two; negative where it loses."""
    return cluster_s(left, arch) + cluster_s(right, arch) - cluster_s(left.merged(right), arch)


def cluster_s(cluster: Cluster, arch: Arch) -> float:
    """Return ``launch + bytes / bandwidth + scalar operations / rate`` in seconds.

    The scalar rate is one operation per fused multiply-add that the chip could do.
    """
    if isinstance(arch, GpuArch):
        launch_s, rate = arch.launch_us * 1e-6, arch.flops_per_s("fma.f32") / 2
    else:
        launch_s, rate = arch.parallel_region_us * 1e-6, arch.flops_per_s() / 2
    return launch_s + traffic_bytes(cluster) / arch.dram_bytes_per_s + work(cluster) / rate


def traffic_bytes(cluster: Cluster) -> int:
    """Return the bytes that the kernel reads and writes in global memory.

    Each result is written once. Each input is read once, or as many of its elements as are asked
    for where that is less (slices, gathers).
    """
    written = sum(map(tensor_bytes, cluster.results))
    return written + sum(_bytes_read(cluster, v) for v in cluster.inputs)


def _bytes_read(cluster: Cluster, value: SSAValue) -> int:
    asked = 0
    for op in cluster.readers(origin(value)):
        found = profile(op)
        for read in found.reads:
            if op.operands[read.operand] is value:
                points = found.reduction_points if read.reduced else 1
                asked += element_count(op.results[0]) * points
    return min(tensor_bytes(value), asked * element_bytes(element_type(value)))


def work(cluster: Cluster) -> float:
    """Return the scalar operations of the kernel, recomputation included, contractions left out."""
    return sum(
        count * (profile(op).cost if role(op) is Role.ANCHOR else profile(op).total_cost)
        for op, count in evaluations(cluster).items()
    )


def evaluations(cluster: Cluster) -> dict[ComputedOp, float]:
    """Return how many elements of each op the kernel computes.

    A value that is read exactly once per element by several ops is computed once for all of them;
    every other reader computes what it reads again. Contractions and row reductions are computed
    once.
    """
    counts: dict[ComputedOp, float] = {}
    for op in reversed(cluster.ops):
        own = prod(profile(op).parallel)
        if role(op) in (Role.ANCHOR, Role.ROW):
            counts[op] = own
            continue
        shared = float(own) if any(v in cluster.results for v in op.results) else 0.0
        again = 0.0
        for consumer in dict.fromkeys(c for v in op.results for c in cluster.readers(v)):
            for count in _reads_of(consumer, op, counts[consumer]):
                if count <= own:
                    shared = max(shared, count)
                else:
                    again += count
        counts[op] = shared + again
    return counts


def _reads_of(consumer: ComputedOp, producer: ComputedOp, count: float) -> list[float]:
    """Return, for each access of ``consumer`` to ``producer``, how often it is done."""
    found = profile(consumer)
    reads: list[float] = []
    for read in found.reads:
        if origin(consumer.operands[read.operand]).owner is producer:
            if isinstance(consumer, ContractionOp) and role(consumer) is Role.ANCHOR:
                reads.append(_staged_reads(consumer, read.operand))
            else:
                reads.append(count * (found.reduction_points if read.reduced else 1))
    return reads


def _staged_reads(op: ContractionOp, operand: int) -> float:
    """Return how many elements a tiled contraction reads of one of its factors."""
    product = gemm(op)
    sides = (product.m_size, product.n_size)
    own, other = sides if operand == 0 else sides[::-1]
    return product.batch_size * own * product.k_size * max(1, -(-other // _ANCHOR_TILE))
