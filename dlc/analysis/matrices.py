"""A contraction as a product of matrices in memory, as libraries take it."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import GemmLoop, gemm
from dlc.core.affine import Ranges, extent, linear_index, stride
from dlc.dialects.graph.computed import ContractionOp
from dlc.ir.tensor import shape


@dataclass(frozen=True)
class Matrix:
    """Where elements of a tensor stand: the first one, and how many elements further one is of the
    next product, of the next row, of the next column.
    """

    start: int
    product: int
    row: int
    column: int

    @property
    def turned(self) -> "Matrix":
        """The transposed matrix."""
        return Matrix(self.start, self.product, self.column, self.row)


@dataclass(frozen=True)
class Matrices:
    """``result[p] = lhs[p] * rhs[p]`` for each of ``products``; lhs is ``m x k``, rhs ``k x n``."""

    products: int
    m: int
    n: int
    k: int
    lhs: Matrix
    rhs: Matrix
    result: Matrix

    @property
    def turned(self) -> "Matrices":
        """The same products of the transposed factors, in the other order."""
        factors = self.rhs.turned, self.lhs.turned
        return Matrices(self.products, self.n, self.m, self.k, *factors, self.result.turned)


def matrices(op: ContractionOp) -> Matrices | None:
    """Return a contraction as products of matrices; ``None`` where rows, columns or products of one
    have no fixed distance in memory, or there is padding around the lhs.
    """
    loops = gemm(op)
    nests = loops.batch, loops.m, loops.n, loops.k
    if op.lhs_guard or any(loop.step != 1 for nest in nests for loop in nest):
        return None
    ranges = Ranges([extent(n) for n in (*op.domain.parallel, *op.domain.reduction)])
    tensors = (op.operands[0], op.operands[1], op.results[0])
    places = [
        linear_index(map.results, shape(tensor))
        for map, tensor in zip(op.indexing_maps(), tensors, strict=True)
    ]
    rows, columns = (1, 3, 1), (3, 2, 2)
    found: list[Matrix] = []
    for place, row, column in zip(places, rows, columns, strict=True):
        strides = [_distance(place, nests[nest], ranges) for nest in (0, row, column)]
        if None in strides:
            return None
        start = place.eval([0] * loops.dim_count, [])
        found.append(Matrix(start, *(each or 0 for each in strides)))
    sizes = loops.batch_size, loops.m_size, loops.n_size, loops.k_size
    return Matrices(*sizes, *found)


def _distance(place: AffineExpr, nest: Sequence[GemmLoop], ranges: Ranges) -> int | None:
    """Return how far neighbouring iterations of a nest are apart; ``None`` where that varies."""
    inner: int | None = 0
    size = 1
    for number, loop in enumerate(reversed(nest)):
        own = stride(place, loop.dim, ranges)
        if own is None or (number and own != (inner or 0) * size):
            return None
        inner = own if number == 0 else inner
        size *= loop.size
    return inner
