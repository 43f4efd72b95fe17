"""What a ``recurrent`` group does, as the model of the chip asks."""

from dataclasses import dataclass

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.ir.tensor import compute_type, element_bytes
from dlc.strategies.recurrent.cell_of_loop import cell_of


@dataclass(frozen=True)
class RecurrentWork:
    """What a loop of steps does.

    phases: of each factor of each phase, the columns of products that a unit adds up. element: of
    the factors, as units name it; element_bytes: the bytes of one. compute: the type of sums.
    read: elements that a cell reads in a step beside its states. bytes: of all tensors, each once.
    """

    steps: int
    units: int
    sequences: int
    phases: tuple[tuple[int, ...], ...]
    element: str
    element_bytes: int
    compute: str
    read: int
    bytes: int

    @property
    def parts(self) -> int:
        """The columns of products that a unit adds up."""
        return sum(map(sum, self.phases))

    @property
    def flops(self) -> float:
        """The operations of the products of all steps."""
        return 2.0 * self.steps * self.sequences * self.parts * self.units**2


def loop_of(cluster: Cluster) -> StepLoopOp | None:
    """Return the loop of a cluster that is one."""
    (op, *others) = cluster.ops
    return op if isinstance(op, StepLoopOp) and not others else None


def work_of(cluster: Cluster) -> RecurrentWork:
    """Return the work of a cluster whose strategy is ``recurrent``."""
    loop = loop_of(cluster)
    assert loop is not None
    cell = cell_of(loop)
    element = cell.exchanged_type
    precision = cell.parts[0].product.precision
    name = str(element) if precision is None else precision.data.name
    return RecurrentWork(
        loop.runs,
        cell.units,
        cell.sequences,
        tuple(phase.counts for phase in cell.phases),
        name,
        element_bytes(element),
        str(compute_type(element)),
        len(cell.read),
        traffic_bytes(cluster),
    )


def describe(work: RecurrentWork) -> str:
    """Return the words for a work in an error."""
    return f"{work.steps} steps of {work.sequences} sequences with {work.units} units"
