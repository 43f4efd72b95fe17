"""The loops of ``attention`` on a CPU: a core has some rows of queries, and their scores in its
cache.

1. Keys and values are packed as register tiles read them (``pack_rhs``).
2. Each task takes some rows of queries to a buffer, multiplies them with all keys that one of the
   rows sees, makes weights of their scores row by row, and multiplies these with the values.
3. The sums are divided by the totals of the weights on their way through the ops after attention.

Rows beyond the last one are that one again: they compute and store the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import Attention, attention_of
from dlc.core.affine import extent, unflatten
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.dialects.loop.vector import LoadVectorOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.job import Job
from dlc.lowering.product import At, Product
from dlc.lowering.product import split as split_loops
from dlc.lowering.tile_scope import TileScope, open_loop
from dlc.strategies.attention.cpu_schedule import AttentionOnCpu
from dlc.strategies.attention.cpu_softmax import ScoreRow
from dlc.strategies.attention.logits import logits_of
from dlc.strategies.contract.cpu_factors import pack_rhs
from dlc.strategies.contract.register_tile import Reduction, RegisterTile

_ZERO = AffineExpr.constant(0)


def lower(job: Job, schedule: AttentionOnCpu) -> None:
    """Write the kernel of a group with attention."""
    products = [op for op in job.group.body.block.ops if isinstance(op, ContractionOp)]
    found = attention_of(products[-1]) if products else None
    if found is None:
        raise CompileError("strategy attention needs the two products of attention")
    cores = LoopMap.CORES if schedule.cores else LoopMap.SERIAL
    columns = schedule.tile[1]
    scores, product = (
        Product(op, loops)
        for op, loops in zip((found.scores, found.product), found.loops, strict=True)
    )
    keys, values = (pack_rhs(job, each, columns, cores) for each in (scores, product))
    _Kernel(job, schedule, found, scores, product, keys, values).write(cores)


@dataclass(frozen=True)
class _Block:
    """Some rows of queries. number: of the product in the batch. at: its place in the batch. first:
    the first row. last: the last key that one of the rows sees; ``None`` where all are seen.
    """

    number: AffineExpr
    at: At
    first: AffineExpr
    last: AffineExpr | None


@dataclass(frozen=True)
class _Kernel:
    """The nest of one attention. keys, values: packed."""

    job: Job
    schedule: AttentionOnCpu
    attention: Attention
    scores: Product
    product: Product
    keys: SSAValue
    values: SSAValue

    @cached_property
    def scope(self) -> TileScope:
        return TileScope(self.job, self.product.op.results[0])

    @property
    def tile(self) -> RegisterTile:
        return self.schedule.register_tile(self.rows)

    @property
    def compute(self) -> Attribute:
        """The type of scores and sums."""
        return compute_type(element_type(self.product.op.results[0]))

    @property
    def rows(self) -> int:
        """The rows of queries of one product of the batch."""
        return self.scores.gemm.m_size

    @property
    def key_count(self) -> int:
        return self.scores.gemm.n_size

    def write(self, cores: LoopMap) -> None:
        """Write the loop over the blocks of rows of all products."""
        sizes = [self.scores.gemm.batch_size, -(-self.rows // self.tile.rows)]
        total = sizes[0] * sizes[1]
        open_loop(self.scope, total, cores, lambda flat: self._write_block(*unflatten(flat, sizes)))

    def _write_block(self, batch: AffineExpr, tile: AffineExpr) -> None:
        scope, seen = self.scope, logits_of(self.attention).last
        number = scope.named("batch", batch)
        first = scope.named("tile", tile) * self.tile.rows
        last = None if seen is None else first + (self.tile.rows - 1 + seen)
        block = _Block(number, split_loops(number, self.scores.gemm.batch), first, last)
        scores = self._score(block, self._bring(block))
        totals = self._weigh(block, scores)
        self._multiply(block, scores, totals)

    def _bring(self, block: _Block) -> SSAValue:
        """Write what brings the queries; return their buffer."""
        scope, depth = self.scope, self.scores.gemm.k_size
        queries = self._alloc(self.tile.rows, depth, "queries")

        def write(row: AffineExpr, at: AffineExpr) -> None:
            def write_element(k: AffineExpr) -> None:
                gemm = self.scores.gemm
                place = [*block.at, *split_loops(at, gemm.m), *split_loops(k, gemm.k)]
                index = self.scores.lhs_index(self.scores.dims(place))
                value = scope.read(self.scores.op.operands[0], index)
                self._store(value, queries, row, k)

            open_loop(scope, depth, LoopMap.VECTOR, write_element)

        self._each_row(block, write)
        return queries

    def _score(self, block: _Block, queries: SSAValue) -> SSAValue:
        """Write the products of the rows and the keys that are seen; return the scores' buffer."""
        scope, tile, depth = self.scope, self.tile, self.scores.gemm.k_size
        blocks = -(-self.key_count // tile.columns)
        # One vector more: rows do not meet in the same sets of a cache.
        scores = self._alloc(tile.rows, blocks * tile.columns + tile.lanes, "scores")

        def write(tile: RegisterTile, number: AffineExpr) -> None:
            reduction = self._reduction([depth], queries, self.keys, block, number)
            totals = tile.sum_up(scope, tile.rows, self.compute, reduction)
            tile.store(scope, totals, scores, number * self.tile.columns)

        whole, rest = divmod(self.key_count, tile.columns)
        if whole:
            last = block.last
            until = None if last is None else scope.count_until(last, tile.columns, whole)
            loop = ForOp(0, whole, kind=LoopKind.REDUCTION, until=until)
            with scope.loop(loop) as number:
                write(tile, number)
                scope.b.builder.insert(YieldOp())
        if rest:
            narrow = RegisterTile(tile.rows, -(-rest // tile.lanes), tile.lanes)
            first = AffineExpr.constant(whole * tile.columns)
            behind = _ZERO if block.last is None else first - block.last
            scope.where_below(behind, 1, lambda: write(narrow, AffineExpr.constant(whole)))
        return scores

    def _weigh(self, block: _Block, scores: SSAValue) -> SSAValue:
        """Write what makes weights of the scores; return the buffer of their totals."""
        totals = self._alloc(self.tile.rows, 1, "totals")

        def write(row: AffineExpr, at: AffineExpr) -> None:
            line = ScoreRow(self.scope, self.attention, self.scores, scores, row)
            place = [*block.at, *split_loops(at, self.scores.gemm.m)]
            self._store(line.weigh(place, block.last), totals, row, _ZERO)

        self._each_row(block, write)
        return totals

    def _multiply(self, block: _Block, weights: SSAValue, totals: SSAValue) -> None:
        """Write the products of the weights and the values, and their stores."""
        scope, tile = self.scope, self.tile
        whole, rest = divmod(self.product.gemm.n_size, tile.columns)
        until = None if block.last is None else scope.count_until(block.last, 1, self.key_count)

        def write(tile: RegisterTile, number: AffineExpr, columns: int) -> None:
            sizes = [self.key_count]
            reduction = self._reduction(sizes, weights, self.values, block, number, until)
            sums = self._alloc(tile.rows, tile.columns, "sums")
            tile.store(scope, tile.sum_up(scope, tile.rows, self.compute, reduction), sums, _ZERO)
            with scope.branch_level():
                self._finish(block, sums, totals, number, columns)

        if whole:
            numbered: Callable[[AffineExpr], None] = lambda n: write(tile, n, tile.columns)
            open_loop(scope, whole, LoopMap.SERIAL, numbered)
        if rest:
            narrow = RegisterTile(tile.rows, -(-rest // tile.lanes), tile.lanes)
            write(narrow, AffineExpr.constant(whole), rest)

    def _reduction(
        self,
        sizes: list[int],
        lhs: SSAValue,
        rhs: SSAValue,
        block: _Block,
        number: AffineExpr,
        until: SSAValue | None = None,
    ) -> Reduction:
        """Return the product of rows in a buffer and a block of columns of a packed factor."""
        scope, lanes = self.scope, self.tile.lanes

        def load_rhs(vector: int, at: Sequence[AffineExpr]) -> SSAValue:
            column = AffineExpr.constant(vector * lanes)
            flat, dims = scope.resolve([block.number, number, *at, column])
            return scope.b.insert(LoadVectorOp(rhs, flat, dims, lanes))

        return Reduction(
            sizes, lambda row, at: self._load(lhs, AffineExpr.constant(row), *at), load_rhs, until
        )

    def _finish(
        self,
        block: _Block,
        sums: SSAValue,
        totals: SSAValue,
        number: AffineExpr,
        columns: int,
    ) -> None:
        """Write what the ops after attention make of a tile of sums, and store it."""

        def write(row: AffineExpr, at: AffineExpr) -> None:
            def write_element(column: AffineExpr) -> None:
                gemm = self.product.gemm
                n = number * self.tile.columns + column
                place = [*block.at, *split_loops(at, gemm.m), *split_loops(n, gemm.n)]
                index = self.product.result_index(self.product.dims(place))
                self.scope.store(index, lambda: self._quotient(sums, totals, row, column))

            open_loop(self.scope, columns, LoopMap.VECTOR, write_element)

        self._each_row(block, write)

    def _quotient(
        self, sums: SSAValue, totals: SSAValue, row: AffineExpr, column: AffineExpr
    ) -> SSAValue:
        """Write a sum of weighted values, divided by the total of the weights."""
        b, total = self.scope.b, self._load(totals, row, _ZERO)
        result = b.div(self._load(sums, row, column), total)
        if not self.attention.zero:
            return result
        zero = b.constant(0, self.compute)
        return b.select(b.compare("gt", total, zero), result, zero)

    # Buffers -------------------------------------------------------------------------------------

    def _each_row(self, block: _Block, write: Callable[[AffineExpr, AffineExpr], None]) -> None:
        """Write a loop over the rows of a block; ``write`` takes the row there and that of all."""

        def write_row(row: AffineExpr) -> None:
            at, scope = block.first + row, self.scope
            if not scope.is_inside(at, self.rows):
                last = scope.b.constant(self.rows - 1, IndexType())
                least = scope.b.minimum(scope.index_value(at), last)
                at = scope.dim(least, extent(self.rows))
            write(row, at)

        open_loop(self.scope, self.tile.rows, LoopMap.SERIAL, write_row)

    def _alloc(self, rows: int, columns: int, name: str) -> SSAValue:
        space = SpaceAttr(Space.REGISTER)
        type = MemRefType(self.compute, [rows, columns], memory_space=space)
        buffer = self.scope.b.insert(AllocOp(type))
        buffer.name_hint = name
        return buffer

    def _load(self, buffer: SSAValue, row: AffineExpr, column: AffineExpr) -> SSAValue:
        flat, dims = self.scope.resolve([row, column])
        return self.scope.b.insert(LoadOp(buffer, flat, dims))

    def _store(
        self, value: SSAValue, buffer: SSAValue, row: AffineExpr, column: AffineExpr
    ) -> None:
        flat, dims = self.scope.resolve([row, column])
        self.scope.b.builder.insert(StoreOp(value, buffer, flat, dims))
