"""A group that is a product of matrices, and what may be added to it."""

from dataclasses import dataclass
from math import prod

from xdsl.ir import BlockArgument, SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.matrices import matrices
from dlc.analysis.operand import is_inlined
from dlc.dialects.graph.activation import ReluOp
from dlc.dialects.graph.computed import ComputedOp, ContractionOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.errors import CompileError
from dlc.ir.tensor import shape
from dlc.libraries._gemm import Gemm


@dataclass(frozen=True)
class Product:
    """``op``, then a vector that is added along the columns of its result (``bias``, where there is
    one), then the larger of the sum and 0 (``has_relu``).
    """

    op: ContractionOp
    bias: SSAValue | None = None
    has_relu: bool = False

    @staticmethod
    def of(cluster: Cluster) -> "Product | None":
        """Return the product that a cluster is, ``None`` where it computes something else."""
        first, *rest = cluster.ops
        if not isinstance(first, ContractionOp) or len(cluster.results) != 1:
            return None
        found, value = Product(first), first.results[0]
        for op in rest:
            after = found._then(op, value)
            if after is None:
                return None
            found, value = after, op.results[0]
        return found if value == cluster.results[0] else None

    @staticmethod
    def expected(cluster: Cluster) -> "Product":
        """Return the product that a cluster is known to be."""
        product = Product.of(cluster)
        assert product is not None
        return product

    def _then(self, op: ComputedOp, value: SSAValue) -> "Product | None":
        """Return the product with an op that reads its ``value``; ``None`` for any other op."""
        if self.has_relu or value not in op.operands:
            return None
        if isinstance(op, ReluOp):
            return Product(self.op, self.bias, has_relu=True)
        others = [x for x in op.operands if x != value]
        if not isinstance(op, AddOp) or self.bias is not None or len(others) != 1:
            return None
        return Product(self.op, others[0]) if _is_vector(others[0], value) else None

    @property
    def is_plain(self) -> bool:
        """Whether nothing comes after the product."""
        return self.bias is None and not self.has_relu

    @property
    def read(self) -> tuple[SSAValue, ...]:
        """The factors, then the bias."""
        return (*self.op.operands, *(() if self.bias is None else (self.bias,)))

    def obstacle(self) -> str | None:
        """Return why nothing that multiplies matrices in memory computes it, if that is so."""
        if any(map(is_inlined, self.read)):
            return "an operand is a constant that stands in the code of the kernel"
        found = matrices(self.op)
        if found is None:
            return "the factors are no matrices in memory"
        if min(found.products, found.m, found.n, found.k) < 1:
            return "there is nothing to multiply"
        if (gemm := Gemm.of(found)) is None:
            return "a matrix has neither rows nor columns of consecutive elements, or they overlap"
        if max(x for side in gemm.sides for x in (side.pitch, side.rows, side.columns)) >= 2**31:
            return "BLAS counts in 32 bits"
        if self.bias is not None and (gemm.is_swapped or gemm.result.columns != _last(self.bias)):
            return "the bias is not along the columns of the result"
        return None

    def gemm(self) -> Gemm:
        """Return the matrices of a product without an obstacle."""
        found = matrices(self.op)
        assert found is not None
        gemm = Gemm.of(found)
        assert gemm is not None
        return gemm

    def buffers(self, gemm: Gemm, library: str) -> tuple[int, ...]:
        """Return the numbers of the buffers of the factors in the order of ``gemm``, the result and
        the bias; raises CompileError where an operand is the view of an input of the group.
        """
        inputs = [value for value in self.read if isinstance(value, BlockArgument)]
        if len(inputs) < len(self.read):
            raise CompileError(
                f"library {library} reads inputs of a group; take the view of one out of it"
            )
        lhs, rhs, *bias = (value.index for value in inputs)
        result = len(inputs[0].block.args)  # results stand behind inputs
        return (*((rhs, lhs) if gemm.is_swapped else (lhs, rhs)), result, *bias)


def _last(value: SSAValue) -> int:
    return shape(value)[-1] if shape(value) else 1


def _is_vector(value: SSAValue, whole: SSAValue) -> bool:
    """Whether a value has a number for each place along the last axis of another one."""
    return bool(shape(whole)) and prod(shape(value)) == _last(value) == _last(whole)
