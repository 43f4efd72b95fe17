"""Strategy ``row``: reductions over the same axes of one shape, with what computes and uses the
elements of the rows.
"""

from collections.abc import Iterator

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.strategies import _rows
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.row import cpu, gpu


def _obstacles(cluster: Cluster) -> Iterator[str]:
    if Role.ANCHOR in cluster.kinds or Role.ROW not in cluster.kinds:
        yield FOREIGN
    yield from _rows.obstacles(cluster)


STRATEGY = Strategy(
    "reductions over whole axes with what surrounds them (softmax, layer norm, mean)",
    "a team of threads (GPU) or a core (CPU) per row",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION, "cpu": cpu.IMPLEMENTATION},
    precedence=1,
)
