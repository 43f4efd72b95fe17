"""What no kernel can hold, whatever its strategy."""

from collections.abc import Iterator

from dlc.analysis.dataflow import Cluster
from dlc.dialects.graph.computed import ComputedOp, ElementwiseOp

MOST_OPS = 64
"""A kernel larger than this compiles slowly and spills registers."""

MOST_RESULTS = 8
MOST_CHOICES = MOST_OPS
"""Of so many tensors at most a kernel that computes one of them chooses: no kernel could hold all
of their producers, and every element would pay for the branches."""


def is_wide(cluster: Cluster) -> bool:
    """Whether ``cluster`` is so large that ``obstacles`` had better be asked before all else."""
    return len(cluster.ops) > MOST_OPS or any(len(op.operands) > MOST_CHOICES for op in cluster.ops)


def obstacles(cluster: Cluster) -> Iterator[str]:
    """Yield why no kernel can hold ``cluster``."""
    if len(cluster.ops) > MOST_OPS:
        yield f"more than {MOST_OPS} ops"
    if not cluster.results:
        yield "no result of the group is computed in it"
    if any(_chooses_too_much(cluster, op) for op in cluster.ops):
        yield f"a choice between more than {MOST_CHOICES} tensors"
    if len(cluster.results) > MOST_RESULTS:
        yield f"more than {MOST_RESULTS} results"
    if _orders_computed_elements(cluster):
        yield "an order of elements that are not in memory"


def chooses(cluster: Cluster, op: ComputedOp) -> bool:
    """Whether an element of ``op`` comes from one of several tensors (a concatenation)."""
    reads = cluster.facts(op).profile.reads
    return len(reads) > 1 and not isinstance(op, ElementwiseOp) and op.moves_data


def _chooses_too_much(cluster: Cluster, op: ComputedOp) -> bool:
    if len(op.operands) <= MOST_CHOICES or not chooses(cluster, op):
        return False
    return not cluster.members.isdisjoint(cluster.flow.producers(op))


def _orders_computed_elements(cluster: Cluster) -> bool:
    orders = [op for op in cluster.ops if op.compares_elements]
    if not orders:
        return False
    computed = cluster.after(op for op in cluster.ops if not op.moves_data)
    return not computed.isdisjoint(orders)
