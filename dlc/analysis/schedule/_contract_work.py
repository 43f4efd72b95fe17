"""What a contraction group does, whatever the chip and the schedule."""

from dataclasses import dataclass

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import traffic_bytes
from dlc.analysis.fusibility import anchor
from dlc.dialects._tensor import compute_type, element_bytes, element_type, tensor_bytes
from dlc.dialects.graph._structure import ContractionOp


@dataclass(frozen=True)
class ContractWork:
    """What a contraction group does, whatever its schedule.

    row_loop: the innermost loop of the rows (a convolution's last image axis).
    element: the factors' type as units name it (``f16``, ``tf32``). factor_bytes,
    compute_bytes: of one element of the factors and of an accumulator. lhs_bytes, rhs_bytes: what
    is read of the factors at least. other_bytes: what is read and written beside them.
    """

    batch: int
    m: int
    n: int
    k: int
    row_loop: int
    element: str
    factor_bytes: int
    compute_bytes: int
    lhs_bytes: int
    rhs_bytes: int
    other_bytes: int

    @property
    def flops(self) -> float:
        """The operations of the result."""
        return 2.0 * self.batch * self.m * self.n * self.k

    @property
    def global_bytes(self) -> int:
        """What crosses the global memory at least."""
        return self.lhs_bytes + self.rhs_bytes + self.other_bytes


def work_of(cluster: Cluster) -> ContractWork:
    """Return the work of a cluster whose strategy is ``contract``."""
    op = anchor(cluster)
    assert isinstance(op, ContractionOp)
    product = gemm(op)
    element = element_type(op.operands[0])
    bytes_each = element_bytes(element)
    points = product.batch_size * product.k_size * bytes_each
    lhs_bytes = min(tensor_bytes(op.operands[0]), points * product.m_size)
    rhs_bytes = min(tensor_bytes(op.operands[1]), points * product.n_size)
    return ContractWork(
        product.batch_size,
        product.m_size,
        product.n_size,
        product.k_size,
        product.m[-1].size if product.m else 1,
        _element_name(op),
        bytes_each,
        element_bytes(compute_type(element)),
        lhs_bytes,
        rhs_bytes,
        max(0, traffic_bytes(cluster) - lhs_bytes - rhs_bytes),
    )


def _element_name(op: ContractionOp) -> str:
    """Return the factors' type as units and capabilities name it."""
    if op.precision is not None:
        return op.precision.data.name
    match element_type(op.operands[0]):
        case Float16Type():
            return "f16"
        case BFloat16Type():
            return "bf16"
        case Float32Type():
            return "f32"
        case Float64Type():
            return "f64"
        case _:
            return "i32"


def describe(work: ContractWork) -> str:
    """Return the words for a work in an error."""
    return f"a contraction of {work.m} x {work.n} x {work.k}"
