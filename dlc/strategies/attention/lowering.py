"""The loops of ``attention``: a block has some rows of queries in registers, and brings keys and
values step by step.

In each step it multiplies queries and keys, computes what is between the products on the scores
where they are, makes weights of them (``loop.online_softmax``), and multiplies these with the
values.
"""

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import IndexType, MemRefType, i32
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import Attention, attention_of
from dlc.arch import instructions
from dlc.core.task_map import repeat, spatial
from dlc.dialects import gpu
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.loop import (
    ContractOp,
    DrainInClusterOp,
    DrainPartsOp,
    ForOp,
    LoadFragmentOp,
    MapAccumulatorOp,
    NormalizeOp,
    OnlineSoftmaxOp,
    YieldOp,
    ZeroOp,
)
from dlc.dialects.loop.spread import Spread, SpreadAttr
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.ir.weighed_row import ROW_MARGIN
from dlc.lowering.block_tiles import BlockTiles
from dlc.lowering.factor import Factor, Staged
from dlc.lowering.job import Job
from dlc.lowering.product import At, Product
from dlc.lowering.product import split as split_loops
from dlc.lowering.product_drain import drain, insert_drain
from dlc.lowering.tile_scope import TileScope
from dlc.strategies.attention.logits import Logits, logits_of
from dlc.strategies.attention.schedule import AttentionOnGpu
from dlc.strategies.attention.tile_order import TileOrder


def lower(job: Job, schedule: AttentionOnGpu) -> None:
    """Write the kernel of a group with attention."""
    products = [op for op in job.group.body.block.ops if isinstance(op, ContractionOp)]
    found = attention_of(products[-1]) if products else None
    if found is None:
        raise CompileError("strategy attention needs the two products of attention")
    _Kernel(job, found, schedule).write()


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

    job: Job
    attention: Attention
    schedule: AttentionOnGpu

    @cached_property
    def scope(self) -> TileScope:
        return TileScope(self.job, self.attention.product.results[0])

    @cached_property
    def scores(self) -> Product:
        return Product(self.attention.scores, self.attention.loops[0])

    @cached_property
    def product(self) -> Product:
        return Product(self.attention.product, self.attention.loops[1])

    @property
    def rows(self) -> int:
        """The rows of queries of one product of the batch."""
        return self.scores.gemm.m_size

    @property
    def keys(self) -> int:
        return self.scores.gemm.n_size

    @cached_property
    def logits(self) -> Logits:
        return logits_of(self.attention)

    @property
    def steps(self) -> int:
        """The steps of a block."""
        return -(-self.keys // (self.schedule.step * self.schedule.split))

    @property
    def tiles(self) -> int:
        """The tiles of rows of one product of the batch."""
        return -(-self.rows // self.schedule.rows)

    def write(self) -> None:
        """Write the loops over blocks and threads."""
        schedule, count = self.schedule, self.scores.gemm.batch_size * self.tiles
        self.job.threads, self.job.cluster = schedule.threads, schedule.cluster
        tiles = BlockTiles(count, schedule.threads, schedule.split, schedule.blocks)
        tiles.write(self.scope, self._place, self._write_tile)

    def _place(self, number: AffineExpr, part: AffineExpr) -> "_Place":
        """Write where the tile of a number is."""
        order = TileOrder(self.tiles, self.schedule.together)
        batch, tile = order.place(number, self.scope.named)
        batch = self.scope.named("batch", batch)
        row = self.scope.named("tile_row", tile) * self.schedule.rows
        return _Place(number, split_loops(batch, self.scores.gemm.batch), row, part)

    def _write_tile(self, place: _Place) -> None:
        """Write what a block does with its rows."""
        depth, rows = self._depth, self.schedule.rows
        until = self._until(place.row)  # before what comes together with the first keys
        queries = self._factor(self.scores, 0, place.batch, place.row, rows, depth).stage(_ZERO)
        queries.insert(self.scope, "queries")
        if self.steps > 1 or self.schedule.producers:
            sums = self._write_loop(place, queries, until)
        else:
            sums = self._write_step(place, queries)
        first, exchange = (place.row, _ZERO), self.schedule.exchange
        if self.schedule.split > 1:
            self._drain_parts(place, sums)
            return
        self.scope.b.builder.insert(NormalizeOp(sums, self.attention.zero))
        drain(self.scope, self.product, place.batch, first, sums, exchange)

    def _until(self, row: AffineExpr) -> SSAValue | None:
        """Write how many steps have keys that the rows from ``row`` on see; nothing for all, which
        a part of the keys goes through.
        """
        seen = self.logits.last
        if seen is None or self.steps == 1 or self.schedule.split > 1:
            return None
        scope, last = self.scope, row + (self.schedule.rows - 1 + seen)
        count = last // self.schedule.step + 1
        until = scope.index_value(count)
        if not scope.is_inside(count, self.steps + 1):
            until = scope.b.minimum(until, scope.b.constant(self.steps, IndexType()))
        until.name_hint = "until"
        return until

    def _write_loop(self, place: _Place, queries: Staged, until: SSAValue | None) -> SSAValue:
        """Write the loop over steps of keys; return the sums."""
        lhs, sums, scope = self._lhs(queries), self._sums(), self.scope
        loop = self.schedule.roles.slices(self.steps, self.schedule.stages, "step", until)
        with scope.loop(loop) as step:
            first = (place.part * self.steps + step) * self.schedule.step
            keys, values = self._bring(place.batch, first, loop)
            scores = self._zero(self.schedule.step, "scores", self.schedule.teams)
            self._contract(scores, lhs, keys)
            self._update(scores, place.batch, place.row, first)
            self._weigh(scores, (place.row, first), values, sums)
            scope.b.builder.insert(YieldOp())
        return sums

    def _write_step(self, place: _Place, queries: Staged) -> SSAValue:
        """Write the only step, whose keys and values come together with the queries; what is added
        to scores is read meanwhile.
        """
        first = place.part * self.schedule.step
        keys, values = self._bring(place.batch, first, None)
        scores = self._zero(self.schedule.step, "scores", self.schedule.teams)
        if self.attention.is_sum:
            self._update(scores, place.batch, place.row, first)
        self._contract(scores, self._lhs(queries), keys)
        if not self.attention.is_sum:
            self._update(scores, place.batch, place.row, first)
        sums = self._sums()
        self._weigh(scores, (place.row, first), values, sums)
        return sums

    def _drain_parts(self, place: _Place, sums: SSAValue) -> None:
        """Write the meeting of the parts of the keys."""
        scope, split = self.scope, self.schedule.split
        tiles, rows = self.scores.gemm.batch_size * self.tiles, min(self.rows, self.schedule.rows)
        flat, dims = scope.resolve((place.row, _ZERO))
        limits = self.product.gemm.m_size, self.product.gemm.n_size
        if self.schedule.cluster > 1:
            whole = DrainInClusterOp(sums, rows, flat, dims, limits, zero=self.attention.zero)
            insert_drain(scope, self.product, place.batch, whole)
            return
        sizes = [tiles, split, rows, self._columns + ROW_MARGIN]
        compute = compute_type(element_type(self.attention.product.results[0]))
        scratch = self.job.add_scratch(MemRefType(compute, sizes))
        counters = scope.b.insert(gpu.CounterAllocOp(MemRefType(i32, [tiles])))
        number = scope.index_value(place.number), scope.index_value(place.part)
        through, zero = (scratch, counters), self.attention.zero
        op = DrainPartsOp(sums, through, number, flat, dims, limits, zero=zero)
        insert_drain(scope, self.product, place.batch, op)

    def _bring(self, batch: At, first: AffineExpr, loop: ForOp | None) -> tuple[Staged, Staged]:
        """Write what brings the keys and the values of a step, from ``first`` on."""
        step, columns = self.schedule.step, self._columns
        keys = self._factor(self.scores, 1, batch, first, step, self._depth).stage(_ZERO)
        slices = self.steps * self.schedule.split
        values = self._factor(self.product, 1, batch, _ZERO, columns, step, slices).stage(first)
        keys.insert(self.scope, "keys", loop)
        values.insert(self.scope, "values", loop)
        return keys, values

    def _weigh(
        self,
        scores: SSAValue,
        at: tuple[AffineExpr, AffineExpr],
        values: Staged,
        sums: SSAValue,
    ) -> None:
        """Write what the scores of a step add to the sums. at: its first row and key."""
        seen = [] if self.logits.last is None else [at[0] + self.logits.last]
        (first, *last), dims = self.scope.resolve([at[1], *seen])
        end = last[0] if last else None
        weigh = OnlineSoftmaxOp(scores, sums, first, dims, self.keys, end, self.logits.scale)
        self.scope.b.builder.insert(weigh)
        self._contract(sums, (scores, False), values)

    def _contract(self, sums: SSAValue, lhs: tuple[SSAValue, bool], rhs: Staged) -> None:
        """Write a product. lhs: a tile, and whether it is transposed."""
        tile, transposed = lhs
        product = ContractOp(
            sums, (tile, (), ()), (rhs.alloc.buffer, (), ()), transposed, rhs.along_k
        )
        self.scope.b.builder.insert(product)

    def _update(self, scores: SSAValue, batch: At, row: AffineExpr, column: AffineExpr) -> None:
        """Write what is between the products, for each score."""
        scope, root = self.scope, self.attention.scores.results[0]
        logits = self.logits.value
        if logits is root:
            return
        flat, dims = scope.resolve([row, column])
        block = MapAccumulatorOp.block(scores)
        with scope.region(block, [self.rows, self.keys]) as (at_row, at_column):
            at = [
                *batch,
                *split_loops(at_row, self.scores.gemm.m),
                *split_loops(at_column, self.scores.gemm.n),
            ]
            index = self.scores.result_index(self.scores.dims(at))
            value = scope.read_from(logits, index, root, block.args[2])
            scope.b.builder.insert(YieldOp(value))
        limits = (self.rows, self.keys)
        scope.b.builder.insert(MapAccumulatorOp(scores, flat, dims, limits, Region(block)))

    # Tiles ---------------------------------------------------------------------------------------

    @property
    def _depth(self) -> int:
        """The elements of a query in shared memory."""
        return self.schedule.padded_depth(self.scores.gemm.k_size)

    @property
    def _columns(self) -> int:
        """The elements of a value in shared memory."""
        return self.schedule.padded_columns(self.product.gemm.n_size)

    def _lhs(self, queries: Staged) -> tuple[SSAValue, bool]:
        """Return the queries where the instruction takes them, in registers if it can, and whether
        they are transposed there.
        """
        if self.schedule.reads_shared:
            return queries.alloc.buffer, not queries.along_k
        type = self._type(element_type(self.attention.scores.operands[0]), self._depth)
        held = LoadFragmentOp(queries.alloc.buffer, type, not queries.along_k)
        held.held.name_hint = "held"
        return self.scope.b.insert(held), False

    def _sums(self) -> SSAValue:
        return self._zero(self._columns, "sums")

    def _zero(self, columns: int, name: str, beside: int = 1) -> SSAValue:
        compute = compute_type(element_type(self.attention.product.results[0]))
        made = self.scope.b.insert(ZeroOp(self._type(compute, columns, beside)))
        made.name_hint = name
        return made

    def _type(self, element: Attribute, columns: int, beside: int = 1) -> MemRefType[Attribute]:
        """Return the type of a tile in registers: who multiplies together has whole rows. beside:
        teams that have columns of their own; else each team has all columns.
        """
        schedule, (groups, down) = self.schedule, self.schedule.parts
        name = instructions.widest(schedule.row.name, columns)
        across = columns // beside // instructions.named(name)[0].n
        map = spatial(groups, beside) * repeat(down, across)
        spread = SpreadAttr(Spread(name, map, teams=schedule.teams // beside))
        space = SpaceAttr(Space.REGISTER)
        return MemRefType(element, [schedule.rows, columns], spread, space)

    def _factor(
        self,
        product: Product,
        number: int,
        batch: At,
        first_row: AffineExpr,
        rows: int,
        depth: int,
        slices: int = 1,
    ) -> Factor:
        """Return a factor's tile. slices: as many, of ``depth``, are brought."""
        return Factor(
            self.scope,
            product,
            number,
            batch,
            first_row,
            rows,
            depth,
            self.schedule.threads,
            is_whole=product.gemm.k_size == slices * depth,
            order=lambda row, along_k: row,
            in_place=self.schedule.reads_shared,
            tensor=self.schedule.producers > 0,
        )


_ZERO = AffineExpr.constant(0)
