"""Strategy ``map``: one thread computes one element of the results, everything inside on demand."""

from collections.abc import Iterator

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.ir.tensor import shape
from dlc.strategies import _rows
from dlc.strategies._limits import chooses
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.map import cpu, gpu
from dlc.strategies.map.windows import is_direct


def _obstacles(cluster: Cluster) -> Iterator[str]:
    if Role.ANCHOR in cluster.kinds and not is_direct(cluster):
        yield FOREIGN
    if Role.ROW in cluster.kinds:
        yield from _obstacles_of_rows(cluster)
    if len(cluster.ops) > 1 and len({shape(v) for v in cluster.results}) > 1:
        yield "results of different shapes"
    windows = [op for op in cluster.ops if cluster.roles[op] in (Role.WINDOW, Role.ANCHOR)]
    if not windows:
        return
    if not cluster.after(windows).isdisjoint(windows):
        yield "a window of a window would be recomputed"
    choices = [op for op in cluster.ops if chooses(cluster, op)]
    if not cluster.after(choices).isdisjoint(windows):
        yield "a choice between tensors at every point of a window"


def _obstacles_of_rows(cluster: Cluster) -> Iterator[str]:
    """Yield why a thread does not do row reductions alone: each would read the whole row again."""
    if any(_rows.obstacles(cluster)):
        yield FOREIGN
    rows = _rows.row_reductions(cluster)
    space = cluster.flow.facts(rows[0]).rows
    assert space is not None
    per_row = (space.reduced, space.squeezed)
    if any(shape(op.results[0]) not in per_row for op in cluster.after(rows)):
        yield "a value that a whole row needs"
    if len({shape(v) for v in cluster.results}) > 1:
        yield "results of different shapes"


STRATEGY = Strategy(
    "elementwise and data-movement ops, window reductions (pooling, depthwise convolution), "
    "small reductions",
    "one thread (SIMD lane) per result element or vector",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION, "cpu": cpu.IMPLEMENTATION},
    precedence=0,
)
