"""The loops of ``attention``: a block has some rows of queries in registers, and brings keys and
values step by step.

In each step it multiplies queries and keys, computes what is between the products on the scores
where they are, makes weights of them (``loop.online_softmax``), and multiplies these with the
values.
"""

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import Attention, attention_of
from dlc.core.task_map import repeat, spatial
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.loop import (
    ContractOp,
    ForOp,
    LoadFragmentOp,
    MapAccumulatorOp,
    NormalizeOp,
    OnlineSoftmaxOp,
    YieldOp,
    ZeroOp,
)
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.spread import Spread, SpreadAttr
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.factor import Factor, Staged
from dlc.lowering.job import Job
from dlc.lowering.product import At, Product, split
from dlc.lowering.product_drain import drain
from dlc.lowering.tile_scope import TileScope
from dlc.strategies.attention.schedule import AttentionOnGpu


def lower(job: Job, schedule: AttentionOnGpu) -> None:
    """Write the kernel of a group with attention."""
    products = [op for op in job.group.body.block.ops if isinstance(op, ContractionOp)]
    found = attention_of(products[-1]) if products else None
    if found is None:
        raise CompileError("strategy attention needs the two products of attention")
    _Kernel(job, found, schedule).write()


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

    @property
    def steps(self) -> int:
        return -(-self.keys // self.schedule.step)

    def write(self) -> None:
        """Write the loops over blocks and threads."""
        schedule = self.schedule
        self.job.threads = schedule.threads
        tiles = -(-self.rows // schedule.rows)

        def write_block(block: AffineExpr) -> None:
            batch = self.scope.named("batch", block // tiles)
            first = self.scope.named("tile", block % tiles) * schedule.rows
            at = split(batch, self.scores.gemm.batch)
            self.scope.named_loop(
                "thread", schedule.threads, LoopMap.THREAD, lambda _: self._write_tile(at, first)
            )

        blocks = self.scores.gemm.batch_size * tiles
        self.scope.named_loop("block", blocks, LoopMap.GRID, write_block)

    def _write_tile(self, batch: At, row: AffineExpr) -> None:
        """Write what a block does with the rows from ``row`` on."""
        queries = self._hold_queries(batch, row)
        sums = self._zero(self.schedule.padded_columns(self.product.gemm.n_size), "sums")
        self._write_steps(batch, row, queries, sums)
        insert = self.scope.b.builder.insert
        insert(NormalizeOp(sums, self.attention.zero))
        first, exchange = (row, _ZERO), self.schedule.exchange
        drain(self.scope, self.product, batch, first, sums, exchange)

    def _hold_queries(self, batch: At, row: AffineExpr) -> SSAValue:
        depth = self.schedule.padded_depth(self.scores.gemm.k_size)
        staged = self._factor(self.scores, 0, batch, row, self.schedule.rows, depth).stage(_ZERO)
        staged.insert(self.scope, "queries")
        element = element_type(self.attention.scores.operands[0])
        held = self.scope.b.insert(
            LoadFragmentOp(staged.alloc.buffer, self._type(element, depth), not staged.along_k)
        )
        held.name_hint = "held"
        return held

    def _write_steps(self, batch: At, row: AffineExpr, queries: SSAValue, sums: SSAValue) -> None:
        """Write the loop over keys."""
        schedule, scope = self.schedule, self.scope
        loop = ForOp(0, self.steps, kind=LoopKind.REDUCTION)
        loop.induction.name_hint = "step"
        loop.pipeline = IntegerAttr(schedule.stages, i64)
        depth, columns = (
            schedule.padded_depth(self.scores.gemm.k_size),
            schedule.padded_columns(self.product.gemm.n_size),
        )
        with scope.loop(loop) as step:
            first = step * schedule.step
            keys = self._factor(self.scores, 1, batch, first, schedule.step, depth).stage(_ZERO)
            values = self._factor(self.product, 1, batch, _ZERO, columns, schedule.step)
            values = values.stage(first)
            keys.insert(scope, "keys", loop)
            values.insert(scope, "values", loop)
            scores = self._zero(schedule.step, "scores")
            self._contract(scores, queries, keys)
            self._update(scores, batch, row, first)
            map, dims = scope.resolve([first])
            scope.b.builder.insert(OnlineSoftmaxOp(scores, sums, map[0], dims, self.keys))
            self._contract(sums, scores, values)
            scope.b.builder.insert(YieldOp())

    def _contract(self, sums: SSAValue, lhs: SSAValue, rhs: Staged) -> None:
        product = ContractOp(
            sums, (lhs, (), ()), (rhs.alloc.buffer, (), ()), transpose_rhs=rhs.along_k
        )
        self.scope.b.builder.insert(product)

    def _update(self, scores: SSAValue, batch: At, row: AffineExpr, column: AffineExpr) -> None:
        """Write what is between the products, for each score."""
        scope, root = self.scope, self.attention.scores.results[0]
        if self.attention.logits is root:
            return
        flat, dims = scope.resolve([row, column])
        block = MapAccumulatorOp.block(scores)
        with scope.region(block, [self.rows, self.keys]) as (at_row, at_column):
            at = [
                *batch,
                *split(at_row, self.scores.gemm.m),
                *split(at_column, self.scores.gemm.n),
            ]
            index = self.scores.result_index(self.scores.dims(at))
            value = scope.read_from(self.attention.logits, index, root, block.args[2])
            scope.b.builder.insert(YieldOp(value))
        limits = (self.rows, self.keys)
        scope.b.builder.insert(MapAccumulatorOp(scores, flat, dims, limits, Region(block)))

    # Tiles ---------------------------------------------------------------------------------------

    def _zero(self, columns: int, name: str) -> SSAValue:
        compute = compute_type(element_type(self.attention.product.results[0]))
        made = self.scope.b.insert(ZeroOp(self._type(compute, columns)))
        made.name_hint = name
        return made

    def _type(self, element: Attribute, columns: int) -> MemRefType[Attribute]:
        """Return the type of a tile in registers: who multiplies together has whole rows."""
        schedule, (groups, down) = self.schedule, self.schedule.parts
        map = spatial(groups, 1) * repeat(down, columns // schedule.row.n)
        spread = SpreadAttr(Spread(schedule.instruction, map))
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
    ) -> Factor:
        slices = -(-product.gemm.k_size // depth)
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
        )


_ZERO = AffineExpr.constant(0)
