"""Strategy ``scan``: a running sum or product along an axis, with what surrounds it."""

from collections.abc import Iterator

from dlc.analysis.dataflow import Cluster
from dlc.dialects.graph.computed import ElementwiseOp, ReductionOp
from dlc.dialects.graph.scan import ScanOp
from dlc.ir.tensor import shape
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.scan import cpu, gpu
from dlc.strategies.scan.work import scan_of


def _obstacles(cluster: Cluster) -> Iterator[str]:
    reductions = [op for op in cluster.ops if isinstance(op, ReductionOp)]
    if len(reductions) != 1 or not isinstance(reductions[0], ScanOp):
        yield FOREIGN
    scan = scan_of(cluster)
    sizes = shape(scan.x)
    if any(shape(v) != sizes for v in cluster.results):
        yield "a result that has not an element for each of the running sum"
    for op in cluster.after([scan]):
        if not isinstance(op, ElementwiseOp) or shape(op.results[0]) != sizes:
            yield "data movement after a running sum"


STRATEGY = Strategy(
    "running sums and products (CumSum), with elementwise ops",
    "a team of warps (GPU) or a core per row; along another axis than the last one, a thread or a "
    "SIMD lane per column",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION, "cpu": cpu.IMPLEMENTATION},
)
