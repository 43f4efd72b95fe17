"""Strategy ``map``: one thread computes one element of the results, everything inside on demand."""

from collections.abc import Iterator

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.analysis.traffic import repetition
from dlc.dialects.graph.computed import ContractionOp
from dlc.ir.tensor import shape
from dlc.strategies._limits import chooses
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.map import cpu, gpu
from dlc.strategies.map.windows import may_be_alone

_MOST_REPEATED = 8
"""Operations for one that is needed: with more, no kernel is fast."""


def _obstacles(cluster: Cluster) -> Iterator[str]:
    if any(isinstance(op, ContractionOp) and not may_be_alone(op) for op in cluster.ops):
        yield FOREIGN
    if Role.LOOP in cluster.kinds:
        yield FOREIGN
    alone = cluster.alone
    if len(alone.ops) > 1 and len({shape(v) for v in alone.results}) > 1:
        yield "results of different shapes"
    windows = [op for op in alone.ops if alone.roles[op] is Role.WINDOW]
    if not windows:
        return
    if not alone.after(windows).isdisjoint(windows):
        yield "a window of a window would be recomputed"
    choices = [op for op in alone.ops if chooses(alone, op)]
    sliding = [op for op in windows if cluster.roles[op] is not Role.ROW]
    if not alone.after(choices).isdisjoint(sliding):
        yield "a choice between tensors at every point of a window"
    if Role.ROW in cluster.kinds and repetition(alone) > _MOST_REPEATED:
        yield "a value that a whole row needs"


STRATEGY = Strategy(
    "elementwise and data-movement ops, reductions that one thread does alone: windows (pooling, "
    "depthwise convolution), products of at most 128 terms with few rows, columns or channels",
    "one thread (SIMD lane) per result element or vector",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION, "cpu": cpu.IMPLEMENTATION},
    is_general=True,
)
