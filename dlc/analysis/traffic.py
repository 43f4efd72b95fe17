"""What a kernel of a cluster has to do whoever makes it: bytes that it moves, scalar operations."""

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.dialects.graph.computed import ComputedOp, ReductionOp
from dlc.ir.tensor import element_bytes, element_type, tensor_bytes

_STAGING_COST = 8
"""Operations to take an element through registers (load, convert, convert, store, addresses)
where an asynchronous copy would not.
"""


def traffic_bytes(cluster: Cluster) -> int:
    """Return the bytes that the kernel reads and writes in global memory.

    Each result is written once. Each input is read once, or as many of its elements as are asked
    for where that is less (slices, gathers).
    """
    asked: dict[SSAValue, float] = {}
    for op in cluster.ops:
        facts = cluster.facts(op)
        for access in facts.accesses:
            asked[access.value] = asked.get(access.value, 0.0) + facts.points * access.times
    written = sum(map(tensor_bytes, cluster.results))
    return written + sum(
        min(tensor_bytes(v), int(asked.get(v, 0)) * element_bytes(element_type(v)))
        for v in cluster.inputs
    )


def work(cluster: Cluster) -> float:
    """Return the scalar operations of the kernel, recomputation included, contractions left out."""
    counts = evaluations(cluster)
    own = sum(count * cluster.facts(op).cost for op, count in counts.items())
    return own + _STAGING_COST * _computed_on_staging(cluster)


def repetition(cluster: Cluster) -> float:
    """Return how many operations the kernel does for one, since values are computed again where
    they are read.
    """
    once = sum(facts.points * facts.cost for facts in map(cluster.facts, cluster.ops))
    return work(cluster) / max(1, once)


def least_work(cluster: Cluster) -> float:
    """Return the operations that no kernel of the cluster can leave out: one multiply-add, or what
    takes as long, for each point of a reduction that results do not have in common.
    """
    reductions = [op for op in cluster.ops if isinstance(op, ReductionOp) and op.domain.reduction]
    return sum(2.0 * op.least_points for op in reductions)


def _computed_on_staging(cluster: Cluster) -> float:
    """Return how many elements contractions read that are computed where they are read."""
    return sum(
        facts.points * access.times
        for facts in map(cluster.facts, cluster.ops)
        if facts.role is Role.ANCHOR
        for access in facts.accesses
        if cluster.inner(access.value)
    )


def evaluations(cluster: Cluster) -> dict[ComputedOp, float]:
    """Return how many elements of each op the kernel computes.

    A value that is read at most once per element by several ops is computed once for all of them;
    every other reader computes what it reads again. Contractions are computed once, and so is what
    a row of a row reduction has one of.
    """
    once = _computed_once(cluster)
    counts: dict[ComputedOp, float] = {}
    shared: dict[ComputedOp, float] = {}
    again: dict[ComputedOp, float] = {}
    for op in reversed(cluster.ops):
        facts = cluster.facts(op)
        if op in once or any(v in cluster.results for v in op.results):
            shared[op] = facts.points
        if op in once:
            again[op] = 0
        counts[op] = shared.get(op, 0.0) + again.get(op, 0.0)
        for access in facts.accesses:
            producer = cluster.flow.origin(access.value).owner
            if isinstance(producer, ComputedOp) and producer in cluster.members:
                _add_reads(cluster, producer, counts[op] * access.times, shared, again)
    return counts


def _computed_once(cluster: Cluster) -> set[ComputedOp]:
    facts = {op: cluster.facts(op) for op in cluster.ops}
    spaces = [f.rows for f in facts.values() if f.rows]
    per_row = {sizes for space in spaces for sizes in (space.reduced, space.squeezed)}
    return {op for op, f in facts.items() if f.role is Role.ANCHOR or f.profile.parallel in per_row}


def _add_reads(
    cluster: Cluster,
    producer: ComputedOp,
    count: float,
    shared: dict[ComputedOp, float],
    again: dict[ComputedOp, float],
) -> None:
    if count <= cluster.facts(producer).points:
        shared[producer] = max(shared.get(producer, 0.0), count)
    else:
        again[producer] = again.get(producer, 0.0) + count
