"""The meeting of the parts of the keys, which blocks of their own go through."""

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.loop import DrainInClusterOp, DrainPartsOp
from dlc.ir.tensor import compute_type, element_type
from dlc.ir.weighed_row import ROW_MARGIN
from dlc.lowering.product import At
from dlc.lowering.product_drain import insert_drain
from dlc.strategies.attention.products import Products


@dataclass(frozen=True)
class Meeting:
    """batch: which product. row: the first one of the tile. number: that of the tile of rows, of
    all products. part: which one of the keys.
    """

    products: Products
    batch: At
    row: AffineExpr
    number: AffineExpr
    part: AffineExpr

    def write(self, sums: SSAValue) -> None:
        """Write the exchange of sums, in a cluster or through scratch."""
        it = self.products
        flat, dims = it.scope.resolve((self.row, AffineExpr.constant(0)))
        limits, zero = (it.product.gemm.m_size, it.product.gemm.n_size), it.attention.zero
        if it.schedule.cluster > 1:
            whole = DrainInClusterOp(sums, self._rows, flat, dims, limits, zero=zero)
            insert_drain(it.scope, it.product, self.batch, whole)
            return
        number = it.scope.index_value(self.number), it.scope.index_value(self.part)
        scratch = self._scratch()
        counters = it.scope.b.insert(gpu.CounterAllocOp(MemRefType(i32, [it.count])))
        op = DrainPartsOp(sums, (scratch, counters), number, flat, dims, limits, zero=zero)
        insert_drain(it.scope, it.product, self.batch, op)

    @property
    def _rows(self) -> int:
        return min(self.products.rows, self.products.schedule.rows)

    def _scratch(self) -> SSAValue:
        it = self.products
        sizes = [it.count, it.schedule.split, self._rows, it.columns + ROW_MARGIN]
        compute = compute_type(element_type(it.attention.product.results[0]))
        return it.job.add_scratch(MemRefType(compute, sizes))
