"""The contraction of a group as a matrix product whose loops are known one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import Gemm, GemmLoop, gemm
from dlc.core.affine import Interval, Ranges, extent, interval_of, linear_index, stride
from dlc.dialects.graph.computed import ContractionOp, apply_map
from dlc.errors import CompileError
from dlc.lowering.job import Job

Index = Sequence[AffineExpr]
At = Sequence[tuple[GemmLoop, AffineExpr]]
"""The value of each loop of a nest."""


@dataclass(frozen=True)
class Product:
    """A contraction and the loops of its matrix product."""

    op: ContractionOp
    gemm: Gemm

    @staticmethod
    def of(job: Job) -> "Product":
        """Return the product of a group; raises CompileError when it has not one contraction."""
        found = [op for op in job.group.body.block.ops if isinstance(op, ContractionOp)]
        if len(found) != 1:
            raise CompileError(f"strategy contract needs one contraction, found {len(found)}")
        return Product(found[0], gemm(found[0]))

    def joined(self, count: int) -> "Product":
        """Return it with the columns of ``count`` neighbouring products of the batch in one."""
        return Product(self.op, self.gemm.joined(count))

    def dims(self, at: At) -> list[AffineExpr]:
        """Return the op's dims (result axes, then reduction axes) at values of the loops."""
        values = [AffineExpr.constant(0)] * self.gemm.dim_count
        for loop, expr in at:
            values[loop.dim] = values[loop.dim] + expr * loop.step
        return values

    def lhs_index(self, dims: Index) -> list[AffineExpr]:
        """Return the index of the lhs element at a point; it may lie in the padding."""
        return apply_map(self.op.indexing_maps()[0], dims)

    def rhs_index(self, dims: Index) -> list[AffineExpr]:
        """Return the index of the rhs element at a point."""
        return apply_map(self.op.indexing_maps()[1], dims)

    def result_index(self, dims: Index) -> list[AffineExpr]:
        """Return the index of the result element at a point."""
        return list(dims[: len(self.op.domain.parallel)])

    @property
    def ranges(self) -> Ranges:
        """The ranges of the op's dims."""
        domain = self.op.domain
        return Ranges([extent(n) for n in (*domain.parallel, *domain.reduction)])

    def lhs_intervals(self) -> list[Interval]:
        """Return the positions that the contraction reads along each axis of the lhs."""
        lhs = self.op.indexing_maps()[0]
        return [interval_of(e, self.ranges) for e in lhs.results]

    def reduction_runs(self, lhs_sizes: Sequence[int]) -> list[list[GemmLoop]]:
        """Return the k loops; neighbours that walk through the lhs as one loop stand together.

        lhs_sizes: of the buffer that the lhs is read from.
        """
        linear = linear_index(self.op.indexing_maps()[0].results, lhs_sizes)
        runs: list[list[GemmLoop]] = []
        for loop in self.gemm.k:
            inner = stride(linear, loop.dim, self.ranges)
            outer = stride(linear, runs[-1][-1].dim, self.ranges) if runs else None
            if inner is not None and outer == inner * loop.size:
                runs[-1].append(loop)
            else:
                runs.append([loop])
        return runs


def split(position: AffineExpr, loops: Sequence[GemmLoop]) -> list[tuple[GemmLoop, AffineExpr]]:
    """Return where each loop of a nest is at a position counted row by row."""
    result: list[tuple[GemmLoop, AffineExpr]] = []
    inner = prod(loop.size for loop in loops)
    for number, loop in enumerate(loops):
        inner //= loop.size
        at = position // inner if inner > 1 else position
        result.append((loop, at % loop.size if number else at))
    return result


def points(loops: Sequence[GemmLoop]) -> int:
    """Return the number of iterations of a nest."""
    return prod(loop.size for loop in loops)
