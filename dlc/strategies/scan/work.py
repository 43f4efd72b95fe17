"""What a ``scan`` group does, as the model of the chip asks."""

from dataclasses import dataclass
from math import prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import least_work, traffic_bytes
from dlc.dialects.graph.scan import ScanOp
from dlc.ir.tensor import element_bytes, element_type, shape, tensor_bytes


@dataclass(frozen=True)
class ScanWork:
    """What a ``scan`` group does: rows, their length, bytes of the widest element, inputs that have
    all elements, ops of an element, bytes read and written, operations that no code can leave out.
    """

    rows: int
    length: int
    widest_bytes: int
    inputs: int
    ops: int
    read_bytes: int
    written_bytes: int
    least_operations: float


def scan_of(cluster: Cluster) -> ScanOp:
    """Return the running sum of a cluster."""
    return next(op for op in cluster.ops if isinstance(op, ScanOp))


def work_of(cluster: Cluster) -> ScanWork:
    """Return the work of a cluster whose strategy is ``scan``."""
    sizes = shape(scan_of(cluster).x)
    inputs = [v for v in cluster.inputs if shape(v) == sizes]
    written = sum(map(tensor_bytes, cluster.results))
    return ScanWork(
        max(1, prod(sizes[:-1])),
        max(1, sizes[-1]),
        max(element_bytes(element_type(v)) for v in (*inputs, *cluster.results)),
        len(inputs),
        len(cluster.ops),
        traffic_bytes(cluster) - written,
        written,
        least_work(cluster),
    )
