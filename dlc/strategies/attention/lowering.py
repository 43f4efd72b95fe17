"""The loops of ``attention``: a block has some rows of queries, and goes through the keys step by
step.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import attention_of
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.loop import (
    NormalizeOp,
    YieldOp,
)
from dlc.errors import CompileError
from dlc.lowering.block_tiles import BlockTiles
from dlc.lowering.factor import Staged
from dlc.lowering.job import Job
from dlc.lowering.product import At
from dlc.lowering.product import split as split_loops
from dlc.lowering.product_drain import drain
from dlc.lowering.tile_scope import TileScope
from dlc.strategies.attention.meeting import Meeting
from dlc.strategies.attention.products import Products
from dlc.strategies.attention.schedule import AttentionOnGpu
from dlc.strategies.attention.step import Step
from dlc.strategies.attention.tile_order import TileOrder


def lower(job: Job, schedule: AttentionOnGpu) -> None:
    """Write the kernel of a group with attention."""
    products = [op for op in job.group.body.block.ops if isinstance(op, ContractionOp)]
    found = attention_of(products[-1]) if products else None
    if found is None:
        raise CompileError("strategy attention needs the two products of attention")
    _Kernel(Products(job, found, schedule)).write()


@dataclass(frozen=True)
class _Place:
    """Which rows of which product of the batch a block has, and which part of the keys.

    number: that of the tile of rows, of all products. row: the first one.
    """

    number: AffineExpr
    batch: At
    row: AffineExpr
    part: AffineExpr


@dataclass(frozen=True)
class _Kernel:
    """The nest of one attention."""

    products: Products

    @property
    def schedule(self) -> AttentionOnGpu:
        return self.products.schedule

    @property
    def scope(self) -> TileScope:
        return self.products.scope

    def write(self) -> None:
        """Write the loops over blocks and threads."""
        schedule, count = self.schedule, self.products.count
        job = self.products.job
        job.threads, job.cluster = schedule.threads, schedule.cluster
        tiles = BlockTiles(count, schedule.threads, schedule.split, schedule.blocks)
        tiles.write(self.scope, self._place, self._write_tile)

    def _place(self, number: AffineExpr, part: AffineExpr) -> "_Place":
        """Write where the tile of a number is."""
        order = TileOrder(self.products.tiles, self.schedule.together)
        batch, tile = order.place(number, self.scope.named)
        batch = self.scope.named("batch", batch)
        row = self.scope.named("tile_row", tile) * self.schedule.rows
        return _Place(number, split_loops(batch, self.products.scores.gemm.batch), row, part)

    def _write_tile(self, place: _Place) -> None:
        """Write what a block does with its rows."""
        it, rows = self.products, self.schedule.rows
        until = self._until(place.row)  # before what comes together with the first keys
        queries = it.factor(it.scores, 0, place.batch, place.row, rows, it.depth).stage(_ZERO)
        queries.insert(self.scope, "queries")
        if it.steps > 1 or self.schedule.producers:
            sums = self._write_loop(place, queries, until)
        else:
            sums = self._write_step(place, queries)
        first, exchange = (place.row, _ZERO), self.schedule.exchange
        if self.schedule.split > 1:
            meeting = Meeting(it, place.batch, place.row, place.number, place.part)
            meeting.write(sums)
            return
        self.scope.b.builder.insert(NormalizeOp(sums, it.attention.zero))
        drain(self.scope, it.product, place.batch, first, sums, exchange)

    def _until(self, row: AffineExpr) -> SSAValue | None:
        """Write how many steps have keys that the rows from ``row`` on see; nothing for all, which
        a part of the keys goes through.
        """
        seen, steps = self.products.logits.last, self.products.steps
        if seen is None or steps == 1 or self.schedule.split > 1:
            return None
        scope, last = self.scope, row + (self.schedule.rows - 1 + seen)
        count = last // self.schedule.step + 1
        until = scope.index_value(count)
        if not scope.is_inside(count, steps + 1):
            until = scope.b.minimum(until, scope.b.constant(steps, IndexType()))
        until.name_hint = "until"
        return until

    def _write_loop(self, place: _Place, queries: Staged, until: SSAValue | None) -> SSAValue:
        """Write the loop over steps of keys; return the sums."""
        it, schedule, scope = self.products, self.schedule, self.scope
        lhs, sums = it.lhs(queries), it.sums()
        loop = schedule.roles.slices(it.steps, schedule.stages, "step", until)
        loop.staggered = UnitAttr() if schedule.ahead else None
        with scope.loop(loop) as number:
            first = (place.part * it.steps + number) * schedule.step
            step = Step(it, place.batch, place.row, first)
            keys, values = step.bring(loop)
            scores = step.zeros()
            step.multiply(scores, lhs, keys)
            step.update(scores)
            step.weigh(scores, values, sums)
            scope.b.builder.insert(YieldOp())
        return sums

    def _write_step(self, place: _Place, queries: Staged) -> SSAValue:
        """Write the only step, whose keys and values come together with the queries; what is added
        to scores is read meanwhile.
        """
        it = self.products
        step = Step(it, place.batch, place.row, place.part * self.schedule.step)
        keys, values = step.bring(None)
        scores = step.zeros()
        if it.attention.is_sum:
            step.update(scores)
        step.multiply(scores, it.lhs(queries), keys)
        if not it.attention.is_sum:
            step.update(scores)
        sums = it.sums()
        step.weigh(scores, values, sums)
        return sums


_ZERO = AffineExpr.constant(0)
