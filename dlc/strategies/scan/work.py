"""What a ``scan`` group does, as the model of the chip asks."""

from dataclasses import dataclass
from math import prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import least_work, traffic_bytes
from dlc.dialects.graph.scan import ScanOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_type, shape, tensor_bytes
from dlc.strategies.row.schedule import rounds
from dlc.strategies.scan.schedule import ScanOnGpu, rounds_of_chunk


@dataclass(frozen=True)
class ScanWork:
    """What a ``scan`` group does: rows (or columns), their length, how many neighbours of a column
    there are (1 for rows), bytes of the widest element, inputs that have
    all elements, ops of an element, bytes read and written, operations that no code can leave out.
    """

    rows: int
    length: int
    neighbours: int
    widest_bytes: int
    inputs: int
    ops: int
    read_bytes: int
    written_bytes: int
    least_operations: float

    @property
    def across(self) -> bool:
        """Whether the running sums go across the lines of memory."""
        return self.neighbours > 1

    def check(self, schedule: ScanOnGpu) -> None:
        """Raise CompileError for a schedule that does not fit the rows."""
        if self.across and (schedule.rows > 1 or self.neighbours % schedule.vector):
            raise CompileError(
                f"rows = {schedule.rows}, vector = {schedule.vector}: the sums go across columns, "
                f"{self.neighbours} beside each other; use rows = 1 and a vector that divides them"
            )
        if not self.across and self.length == 1 and schedule.vector > 1:
            raise CompileError(f"vector = {schedule.vector}: a row has one element; use vector = 1")
        each = rounds(self.length, schedule.vector, schedule.threads)
        if not self.across and schedule.rows > 1 and each > rounds_of_chunk(schedule.vector):
            raise CompileError(
                f"rows = {schedule.rows}: a row of {self.length} is done chunk by chunk by "
                f"{schedule.threads} threads; use rows = 1, or more threads"
            )


def scan_of(cluster: Cluster) -> ScanOp:
    """Return the running sum of a cluster."""
    return next(op for op in cluster.ops if isinstance(op, ScanOp))


def neighbours(op: ScanOp) -> int:
    """Return how many elements lie between one of a running sum and the next; 1: it goes along
    lines of memory.
    """
    return max(1, prod(shape(op.x)[op.axis.value.data + 1 :]))


def work_of(cluster: Cluster) -> ScanWork:
    """Return the work of a cluster whose strategy is ``scan``."""
    op = scan_of(cluster)
    sizes, axis = shape(op.x), op.axis.value.data
    inputs = [v for v in cluster.inputs if shape(v) == sizes]
    written = sum(map(tensor_bytes, cluster.results))
    return ScanWork(
        max(1, prod(n for a, n in enumerate(sizes) if a != axis)),
        max(1, sizes[axis]),
        neighbours(op),
        max(element_bytes(element_type(v)) for v in (*inputs, *cluster.results)),
        len(inputs),
        len(cluster.ops),
        traffic_bytes(cluster) - written,
        written,
        least_work(cluster),
    )
