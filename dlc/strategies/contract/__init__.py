"""Strategy ``contract``: one contraction in tiles; elementwise ops and index maps before its lhs,
moves and paddings that copies do before its rhs, elementwise ops, permutations and cuts of axes
after it.
"""

from collections.abc import Iterator

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.epilogue import NotFusibleError, epilogue
from dlc.analysis.factor_copy import copy_bytes
from dlc.analysis.role import Role
from dlc.dialects.graph.computed import ComputedOp, ContractionOp
from dlc.strategies._limits import chooses
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.contract import cpu, gpu


def _obstacles(cluster: Cluster) -> Iterator[str]:
    if Role.ANCHOR not in cluster.kinds:
        yield FOREIGN
    root, *others = (op for op, role in cluster.roles.items() if role is Role.ANCHOR)
    if others:
        yield "two contractions"
    if Role.WINDOW in cluster.kinds:
        yield "a window reduction does not join a contraction"
    try:
        after, rows = epilogue(root.results[0], cluster.ops, cluster.profile)
    except NotFusibleError as reason:
        yield str(reason)
        return
    if rows.values.intersection(cluster.results):
        yield "totals of rows of a contraction are outputs, or others read them too"
    for op in cluster.ops:
        if op.results[0] not in after and op.results[0] not in rows.values:
            yield from _obstacles_before(cluster, op, root)


def _obstacles_before(cluster: Cluster, op: ComputedOp, root: ComputedOp) -> Iterator[str]:
    """Yield why ``op`` cannot be computed where the lhs, or another operand of the epilogue, is
    read.
    """
    if any(v in cluster.results for v in op.results):
        yield "what a contraction reads is an output, or others read it too: it is stored anyway"
    if cluster.roles[op] is Role.ROW:
        yield "a row reduction before a contraction"
    assert isinstance(root, ContractionOp)
    feeds_rhs = _feeds(cluster, op, root.operands[1])
    if feeds_rhs and root.operands[1] is not root.operands[0] and not copy_bytes(cluster, root, 1):
        yield "only the lhs of a contraction takes a prologue that computes"
    reads = cluster.facts(op).profile.reads
    if any(r.is_gather for r in reads):
        yield "a gather before a contraction"
    if chooses(cluster, op):
        yield "a choice between tensors before a contraction"


def _feeds(cluster: Cluster, op: ComputedOp, value: SSAValue) -> bool:
    """Whether ``value`` depends on ``op`` by ops of the cluster."""
    owner = cluster.flow.origin(value).owner
    return owner is op or (owner in cluster.members and owner in cluster.after([op]))


STRATEGY = Strategy(
    "a `ContractionOp` anchor with its prologue and epilogue",
    "tiles of the result; staged operands; mma or FMA micro-kernel",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION, "cpu": cpu.IMPLEMENTATION},
    precedence=2,
    has_anchor=True,
)
