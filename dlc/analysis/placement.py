"""Which concatenations need no kernel: those whose operands are written where the result wants
them.
"""

from collections.abc import Collection

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster, Dataflow, origin
from dlc.dialects.graph.computed import ComputedOp
from dlc.ir.tensor import element_count


def placed(cluster: Cluster, taken: Collection[SSAValue]) -> ComputedOp | None:
    """Return the op at the end of ``cluster`` that needs no kernel, ``None`` if there is none.

    Its result is its operands one after the other in memory (``operand_offsets``), each of them
    all that some op computes, and none of ``taken``, which has its place elsewhere. At most one
    operand is computed in ``cluster``: taking the op out of it makes no kernel more.
    """
    op = cluster.ops[-1]
    if op.operand_offsets is None or cluster.results != tuple(op.results):
        return None
    parts = [cluster.flow.origin(value) for value in op.operands]
    if len({*parts, *taken}) < len(parts) + len(taken) or sum(map(cluster.inner, parts)) > 1:
        return None
    whole = [element_count(value) for value in op.operands] == [element_count(p) for p in parts]
    return op if whole and all(p.owner in cluster.flow.position for p in parts) else None


def placeable(flow: Dataflow) -> set[ComputedOp]:
    """Return the ops that need no kernel where other kernels compute their operands."""
    found: set[ComputedOp] = set()
    taken: set[SSAValue] = set()
    for op in flow.ops:
        if placed(Cluster(flow, (op,)), taken):
            found.add(op)
            taken |= {*map(origin, op.operands), *op.results}
    return found
