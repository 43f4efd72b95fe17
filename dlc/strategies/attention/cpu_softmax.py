"""The softmax of a row of scores in the cache of a core."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import math
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import Attention
from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.graph.reduction import ReduceMaxOp, ReduceSumOp
from dlc.dialects.loop.memory import LoadOp, StoreOp
from dlc.lowering.lanes import reduce_line
from dlc.lowering.product import At, Product
from dlc.lowering.product import split as split_loops
from dlc.lowering.tile_scope import TileScope

_LANES = (64, 16, 4, 1)
"""Accumulators of a row, of which as many are taken as it has scores."""


@dataclass(frozen=True)
class ScoreRow:
    """A row of a buffer of scores."""

    scope: TileScope
    attention: Attention
    product: Product
    buffer: SSAValue
    row: AffineExpr

    @property
    def length(self) -> int:
        """The number of keys."""
        return self.product.gemm.n_size

    def weigh(self, at: At, last: AffineExpr | None) -> SSAValue:
        """Write weights in place of the scores; return their total.

        at: the place of the row in batch and rows. last: the last key that is seen. The weights are
        relative to that of the largest logit; where all are minus infinity, they are NaN.
        """
        largest = self._reduce(ReduceMaxOp, lambda key: self._logit(at, key), last)
        return self._reduce(ReduceSumOp, lambda key: self._weight(key, largest), last)

    def _reduce(
        self,
        kind: type[ReductionOp],
        part: Callable[[AffineExpr], SSAValue],
        last: AffineExpr | None,
    ) -> SSAValue:
        op = next(op for op in self.attention.steps if isinstance(op, kind))
        lanes = next(n for n in _LANES if n <= self.length)
        parts = lambda key: [part(key)]
        return reduce_line(self.scope, op, lanes, self.length, parts, last)[0]

    def _logit(self, at: At, key: AffineExpr) -> SSAValue:
        """Write what the softmax is of, and leave it in place of the score."""
        scope, root, logits = self.scope, self.product.op.results[0], self.attention.logits
        score = self._load(key)
        if logits is root:
            return score
        place = [*at, *split_loops(key, self.product.gemm.n)]
        index = self.product.result_index(self.product.dims(place))
        with scope.branch_level():  # where there is one key, the index says nothing of the loop
            value = scope.read_from(logits, index, root, score)
        self._store(value, key)
        return value

    def _weight(self, key: AffineExpr, largest: SSAValue) -> SSAValue:
        b = self.scope.b
        value = b.math(math.ExpOp, b.sub(self._load(key), largest))
        self._store(value, key)
        return value

    def _load(self, key: AffineExpr) -> SSAValue:
        flat, dims = self.scope.resolve([self.row, key])
        return self.scope.b.insert(LoadOp(self.buffer, flat, dims))

    def _store(self, value: SSAValue, key: AffineExpr) -> None:
        flat, dims = self.scope.resolve([self.row, key])
        self.scope.b.builder.insert(StoreOp(value, self.buffer, flat, dims))
