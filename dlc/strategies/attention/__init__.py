"""Strategy ``attention``: two products with a softmax of rows between them, elementwise ops on the
scores, moves and paddings that copies do before keys and values, elementwise ops, permutations and
cuts of axes after it. On a GPU factors have 16 bits: of others the products and the softmax are
kernels of their own. On a CPU a core keeps the scores of some queries in its cache.

They are so, too, where scores or weights are outputs, where queries are so long that no block fits
into the registers (heads of 176 elements fit on every GPU, longer ones where there are few keys,
and on Hopper those of 192 and 256), and where three kernels take less time. ``boundaries`` in what
``--explain`` prints say which it is.

Few queries and many keys, as where a decoder makes one word after the other, have few blocks with
all keys. There the keys are split over blocks, too (``split``). Heads that share keys and values
(grouped-query attention) are rows of one tile, so that keys and values are read once for all of
them.
"""

from collections.abc import Iterator

from dlc.analysis.attention import attention_of
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.epilogue import NotFusibleError, places
from dlc.analysis.factor_copy import copy_bytes
from dlc.analysis.role import Role
from dlc.dialects.graph.computed import ComputedOp, ContractionOp
from dlc.strategies._limits import chooses
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.attention import cpu, gpu
from dlc.strategies.attention.work import attention_in


def _obstacles(cluster: Cluster) -> Iterator[str]:
    found = attention_in(cluster)
    if found is None:
        yield FOREIGN
        return
    try:
        after = places(found.product.results[0], cluster.ops, cluster.profile)
    except NotFusibleError as reason:
        yield str(reason)
        return
    if any(value not in after for value in cluster.results):
        yield "scores, weights or factors are outputs, or others read them too"
    for name, op in (("keys", found.scores), ("values", found.product)):
        if cluster.inner(op.operands[1]) and not copy_bytes(cluster, op, 1):
            yield f"{name} that are computed where they are read"
    own = {found.scores, found.product, *found.between, *found.steps}
    for op in cluster.ops:
        if op not in own and op.results[0] not in after:
            yield from _obstacles_before(cluster, op)


def _obstacles_before(cluster: Cluster, op: ComputedOp) -> Iterator[str]:
    """Yield why ``op`` cannot be computed where a factor, or what scores are computed with, is
    read.
    """
    if cluster.facts(op).role not in (Role.ELEMENTWISE, Role.MOVE):
        yield "a reduction of its own does not join attention"
    if any(read.is_gather for read in cluster.facts(op).profile.reads):
        yield "a gather before attention"
    if chooses(cluster, op):
        yield "a choice between tensors before attention"


def _spans(flow: Dataflow) -> Iterator[tuple[ComputedOp, ComputedOp]]:
    """Yield the two products of each attention."""
    for op in flow.ops:
        if isinstance(op, ContractionOp) and (found := attention_of(op)) is not None:
            yield found.scores, op


STRATEGY = Strategy(
    "attention: a product, the softmax of its rows, the product of these weights",
    "rows of queries per block (GPU: scores and weights in registers) or task of a core (CPU: in "
    "its cache)",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION, "cpu": cpu.IMPLEMENTATION},
    precedence=3,
    has_anchor=True,
    spans=_spans,
)
