"""A step of ``attention``: it brings some keys and values, multiplies queries and keys, computes
what is between the products on the scores where they are, makes weights of them
(``loop.online_softmax``), and multiplies these with the values.
"""

from dataclasses import dataclass

from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop import ContractOp, ForOp, MapAccumulatorOp, OnlineSoftmaxOp, YieldOp
from dlc.lowering.factor import Staged
from dlc.lowering.product import At
from dlc.lowering.product import split as split_loops
from dlc.lowering.tile_scope import TileScope
from dlc.strategies.attention.products import Products


@dataclass(frozen=True)
class Step:
    """batch: which product. row, first: the first row of the block, and the first key."""

    products: Products
    batch: At
    row: AffineExpr
    first: AffineExpr

    @property
    def scope(self) -> TileScope:
        """Where it is written."""
        return self.products.scope

    def bring(self, loop: ForOp | None) -> tuple[Staged, Staged]:
        """Write what brings the keys and the values."""
        it, first = self.products, self.first
        step, columns = it.schedule.step, it.columns
        keys = it.factor(it.scores, 1, self.batch, first, step, it.depth).stage(_ZERO)
        slices = it.steps * it.schedule.split
        values = it.factor(it.product, 1, self.batch, _ZERO, columns, step, slices).stage(first)
        keys.insert(self.scope, "keys", loop)
        values.insert(self.scope, "values", loop)
        return keys, values

    def zeros(self) -> SSAValue:
        """Write the scores that products are added to."""
        schedule = self.products.schedule
        return self.products.zero(schedule.step, "scores", schedule.teams)

    def multiply(self, scores: SSAValue, lhs: tuple[SSAValue, bool], keys: Staged) -> None:
        """Write the product of queries and keys. lhs: the queries, and whether transposed."""
        self._contract(scores, lhs, keys)

    def weigh(self, scores: SSAValue, values: Staged, sums: SSAValue) -> None:
        """Write what the scores add to the sums."""
        logits = self.products.logits
        seen = [] if logits.last is None else [self.row + logits.last]
        (first, *last), dims = self.scope.resolve([self.first, *seen])
        end, keys = last[0] if last else None, self.products.keys
        weigh = OnlineSoftmaxOp(scores, sums, first, dims, keys, end, logits.scale)
        self.scope.b.builder.insert(weigh)
        self._contract(sums, (scores, False), values)

    def update(self, scores: SSAValue) -> None:
        """Write what is between the products, for each score."""
        it, scope = self.products, self.scope
        root, logits = it.attention.scores.results[0], it.logits.value
        if logits is root:
            return
        flat, dims = scope.resolve([self.row, self.first])
        block = MapAccumulatorOp.block(scores)
        with scope.region(block, [it.rows, it.keys]) as (at_row, at_column):
            at = [
                *self.batch,
                *split_loops(at_row, it.scores.gemm.m),
                *split_loops(at_column, it.scores.gemm.n),
            ]
            index = it.scores.result_index(it.scores.dims(at))
            value = scope.read_from(logits, index, root, block.args[2])
            scope.b.builder.insert(YieldOp(value))
        limits = (it.rows, it.keys)
        scope.b.builder.insert(MapAccumulatorOp(scores, flat, dims, limits, Region(block)))

    def _contract(self, sums: SSAValue, lhs: tuple[SSAValue, bool], rhs: Staged) -> None:
        """Write a product. lhs: a tile, and whether it is transposed."""
        tile, transposed = lhs
        product = ContractOp(
            sums, (tile, (), ()), (rhs.alloc.buffer, (), ()), transposed, rhs.along_k
        )
        self.scope.b.builder.insert(product)


_ZERO = AffineExpr.constant(0)
