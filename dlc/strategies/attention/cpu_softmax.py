"""The softmax of rows of scores in the cache of a core, all of a row or step by step.

Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018: weights are relative to
the largest logit so far; where a larger one comes, what was added up is multiplied by the weight of
the one before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from xdsl.dialects import math
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.graph.reduction import ReduceMaxOp, ReduceSumOp
from dlc.lowering.lanes import reduce_line
from dlc.lowering.product import At
from dlc.lowering.product import split as split_loops
from dlc.strategies.attention.cpu_nest import Block, Keys, Nest

_LANES = (64, 16, 4, 1)
"""Accumulators of a row, of which as many are taken as it has scores."""


@dataclass(frozen=True)
class Rows:
    """Buffers of a block with a number for each row: totals of its weights, its largest logit, and
    by what a step multiplies what was added up before; the last two where there are several steps.
    """

    totals: SSAValue
    largest: SSAValue | None = None
    factors: SSAValue | None = None

    @staticmethod
    def of(nest: Nest) -> "Rows":
        """Write the allocation of the buffers."""
        totals = nest.alloc(1, "totals")
        if not nest.is_stepped:
            return Rows(totals)
        return Rows(totals, nest.alloc(1, "largest"), nest.alloc(1, "factors"))

    def begin(self, nest: Nest, row: AffineExpr) -> None:
        """Write what a row has before its first step."""
        if self.largest is not None:
            nest.store(nest.scope.b.constant(0.0, nest.compute), self.totals, row)
            nest.store(nest.scope.b.constant(-inf, nest.compute), self.largest, row)


def weigh(nest: Nest, block: Block, scores: SSAValue, rows: Rows, keys: Keys) -> None:
    """Write weights in place of the scores of a step, and what rows have after it."""

    def write(row: AffineExpr, at: AffineExpr) -> None:
        place = [*block.at, *split_loops(at, nest.scores.gemm.m)]
        _Line(nest, scores, row, keys).weigh(place, rows)

    nest.each_row(block, write)


@dataclass(frozen=True)
class _Line:
    """A row of the buffer of scores."""

    nest: Nest
    scores: SSAValue
    row: AffineExpr
    keys: Keys

    def weigh(self, at: At, rows: Rows) -> None:
        nest, row = self.nest, self.row
        b = nest.scope.b
        largest = self._reduce(ReduceMaxOp, lambda key: self._logit(at, key))
        if rows.largest is None or rows.factors is None:
            total = self._reduce(ReduceSumOp, lambda key: self._weight(key, largest))
            nest.store(total, rows.totals, row)
            return
        before = nest.load(rows.largest, row)
        largest = b.maximum(before, largest)
        nest.store(largest, rows.largest, row)
        # Where no key has been seen yet, all weights are zero.
        none = b.compare("eq", largest, b.constant(-inf, nest.compute))
        shift = b.select(none, b.constant(0.0, nest.compute), largest)
        total = self._reduce(ReduceSumOp, lambda key: self._weight(key, shift))
        factor = b.math(math.ExpOp, b.sub(before, shift))
        nest.store(factor, rows.factors, row)
        nest.store(b.fma(nest.load(rows.totals, row), factor, total), rows.totals, row)

    def _reduce(self, kind: type[ReductionOp], part: Callable[[AffineExpr], SSAValue]) -> SSAValue:
        op = next(op for op in self.nest.attention.steps if isinstance(op, kind))
        lanes = next(n for n in _LANES if n <= self.keys.count)
        parts = lambda key: [part(key)]
        return reduce_line(self.nest.scope, op, lanes, self.keys.count, parts, self.keys.last)[0]

    def _logit(self, at: At, key: AffineExpr) -> SSAValue:
        """Write what the softmax is of, and leave it in place of the score."""
        nest, logits = self.nest, self.nest.attention.logits
        scope, product, root = nest.scope, nest.scores, nest.scores.op.results[0]
        score = nest.load(self.scores, self.row, key)
        if logits is root:
            return score
        place = [*at, *split_loops(self.keys.first + key, product.gemm.n)]
        index = product.result_index(product.dims(place))
        with scope.branch_level():  # where there is one key, the index says nothing of the loop
            value = scope.read_from(logits, index, root, score)
        nest.store(value, self.scores, self.row, key)
        return value

    def _weight(self, key: AffineExpr, largest: SSAValue) -> SSAValue:
        b = self.nest.scope.b
        value = b.math(math.ExpOp, b.sub(self.nest.load(self.scores, self.row, key), largest))
        self.nest.store(value, self.scores, self.row, key)
        return value
