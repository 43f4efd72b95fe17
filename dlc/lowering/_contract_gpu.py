"""A contraction on a GPU: a tile of the result per block, slices of the factors through shared
memory.

The nest is written for one thread, with ``gpu`` operations inside loops over blocks and threads:

1. the copies of the first ``stages - 1`` slices are started;
2. the loop over the slices waits for one, starts the copy of the one that is ``stages - 1`` ahead
   and multiplies;
3. each element goes from the accumulator through the ops after the contraction to its place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import MATRIX_INSTRUCTIONS, WARP_LANES
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects._tensor import compute_type, element_type
from dlc.dialects.loop._attributes import LoopKind, LoopMap, ScheduleAttr
from dlc.dialects.loop._structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.lowering._accumulator import Accumulator, Columns
from dlc.lowering._fma_tile import FmaTile
from dlc.lowering._job import Job
from dlc.lowering._matrix_tile import MatrixTile
from dlc.lowering._product import At, Product, split
from dlc.lowering._split_sum import SplitSum
from dlc.lowering._staged_operand import Factor, Staged, decoded
from dlc.lowering._tile_scope import TileScope

GROUPED_ROWS = 8
"""Tile rows that run together in the order ``grouped<8>``."""


@dataclass(frozen=True)
class Tiling:
    """A schedule's numbers: the tile, its warps, the slices in flight and the parts of the sum."""

    m: int
    n: int
    depth: int
    warps_m: int
    warps_n: int
    instruction: str
    stages: int
    split: int
    order: str

    @staticmethod
    def of(schedule: ScheduleAttr) -> "Tiling":
        """Read a schedule."""
        return Tiling(
            *schedule.get("tile", (64, 64, 32)),
            *schedule.get("warps", (2, 2)),
            schedule.get("instruction", "fma"),
            schedule.get("stages", 1),
            schedule.get("split", 1),
            schedule.get("order", "row"),
        )

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.warps_m * self.warps_n * WARP_LANES


def lower(job: Job) -> None:
    """Write the kernel of a group with one contraction; raises CompileError for a schedule that
    the instruction cannot obey.
    """
    product, tiling = Product.of(job), Tiling.of(job.schedule)
    _check(job, tiling)
    _Kernel(job, product, tiling).write()


def _check(job: Job, tiling: Tiling) -> None:
    matrix = MATRIX_INSTRUCTIONS.get(tiling.instruction.removeprefix("mma."))
    least_m, least_n, least_k = (matrix.m, matrix.n, matrix.k) if matrix else (8, 4, 1)
    m, n = tiling.m // tiling.warps_m, tiling.n // tiling.warps_n
    problem = ""
    if matrix is None and tiling.instruction != "fma":
        problem = f"there is no instruction {tiling.instruction!r}"
    elif m % least_m or n % least_n or tiling.depth % least_k:
        problem = (
            f"a warp's {m} x {n} x {tiling.depth} does not divide into "
            f"{least_m} x {least_n} x {least_k}"
        )
    if problem:
        raise CompileError(problem, at=operation_text(job.group))


@dataclass(frozen=True)
class _Place:
    """Which tile of which product of the batch, which part of its sum, and which thread."""

    batch: AffineExpr
    row: AffineExpr
    column: AffineExpr
    part: AffineExpr
    thread: AffineExpr


class _Kernel:
    """The nest of one contraction."""

    def __init__(self, job: Job, product: Product, tiling: Tiling):
        self.job, self.product, self.tiling = job, product, tiling
        self.scope = TileScope(job, product.op.results[0])
        gemm = product.gemm
        self.tile_rows = -(-gemm.m_size // tiling.m)
        self.tile_columns = -(-gemm.n_size // tiling.n)
        slices = max(1, -(-gemm.k_size // tiling.depth))
        self.slices = -(-slices // tiling.split)
        """The slices of one block."""
        self.is_whole = gemm.k_size == self.slices * tiling.split * tiling.depth

    def write(self) -> None:
        """Write the loops over blocks and threads."""
        self.job.threads = self.tiling.threads
        tiles = self.product.gemm.batch_size * self._rows_of_grid * self.tile_columns
        blocks = tiles * self.tiling.split
        scope = self.scope

        def write_block(block: AffineExpr) -> None:
            scope.parallel_loop(
                self.tiling.threads, LoopMap.THREAD, lambda thread: self._place(block, thread)
            )

        scope.parallel_loop(blocks, LoopMap.GRID, write_block)

    # Blocks --------------------------------------------------------------------------------------

    @property
    def _is_grouped(self) -> bool:
        return self.tiling.order != "row" and self.tile_columns > 1

    @property
    def _rows_of_grid(self) -> int:
        """The tile rows, with those that do not exist in the last group."""
        if not self._is_grouped:
            return self.tile_rows
        return -(-self.tile_rows // GROUPED_ROWS) * GROUPED_ROWS

    def _place(self, block: AffineExpr, thread: AffineExpr) -> None:
        """Find the tile of a block and write the program of a thread for it."""
        tiles = self._rows_of_grid * self.tile_columns
        part, block = self._value(block % self.tiling.split), block // self.tiling.split
        batch, tile = block // tiles, block % tiles
        if self._is_grouped:
            group = GROUPED_ROWS * self.tile_columns
            row = (tile // group) * GROUPED_ROWS + tile % GROUPED_ROWS
            column = tile % group // GROUPED_ROWS
        else:
            row, column = tile // self.tile_columns, tile % self.tile_columns
        batch, row, column = (self._value(e) for e in (batch, row, column))
        place = _Place(batch, row, column, part, thread)
        if self._rows_of_grid == self.tile_rows:
            self._write_tile(place)
        else:
            self.scope.where_below(place.row, self.tile_rows, lambda: self._write_tile(place))

    def _value(self, expr: AffineExpr) -> AffineExpr:
        """Return an expression as a value that is computed once."""
        interval = self.scope.interval(expr)
        if interval.low is not None and interval.low == interval.high:
            return AffineExpr.constant(interval.low)
        return self.scope.dim(self.scope.index_value(expr), interval)

    def _write_tile(self, place: "_Place") -> None:
        gemm, tiling = self.product.gemm, self.tiling
        batch = split(place.batch, gemm.batch)
        first = place.row * tiling.m, place.column * tiling.n
        lhs, rhs = (self._stage(number, batch, first[number], place.thread) for number in (0, 1))
        self.accumulator = self._make_accumulator(place.thread)
        self.accumulator.clear()
        self._reduce(lhs, rhs, place.part * self.slices)

        def finish() -> None:
            self.accumulator.each_row(
                lambda at, columns: self._finish_row(batch, first[0] + at, first[1], columns)
            )

        if tiling.split == 1:
            finish()
            return
        tile = (place.batch * self.tile_rows + place.row) * self.tile_columns + place.column
        tiles = gemm.batch_size * self.tile_rows * self.tile_columns
        parts = SplitSum(
            self.job,
            self.scope,
            tiles,
            tiling.split,
            tiling.threads,
            tile,
            place.part,
            place.thread,
        )
        parts.write(self.accumulator, finish)

    def _stage(self, number: int, batch: At, first_row: AffineExpr, thread: AffineExpr) -> Staged:
        """Return the staged tiles of a factor."""
        tiling, operand = self.tiling, self.product.op.operands[number]
        return Staged(
            self.scope,
            Factor(self.product, number, self.job.buffers.get(operand)),
            batch,
            first_row,
            (tiling.m, tiling.n)[number],
            tiling.depth,
            tiling.stages,
            tiling.threads,
            thread,
            self.is_whole,
        )

    def _make_accumulator(self, thread: AffineExpr) -> Accumulator:
        tiling = self.tiling
        warp = self._value(thread // WARP_LANES)
        lane = self._value(thread % WARP_LANES)
        rows, columns = tiling.m // tiling.warps_m, tiling.n // tiling.warps_n
        compute = compute_type(element_type(self.product.op.results[0]))
        part = (
            self.scope,
            rows,
            columns,
            (warp // tiling.warps_n) * rows,
            (warp % tiling.warps_n) * columns,
            lane,
            compute,
        )
        if tiling.instruction == "fma":
            return FmaTile(*part)
        return MatrixTile(*part, MATRIX_INSTRUCTIONS[tiling.instruction.removeprefix("mma.")])

    # The reduction -------------------------------------------------------------------------------

    def _reduce(self, lhs: Staged, rhs: Staged, first: AffineExpr) -> None:
        """Write the pipelined loop over the slices, of the reduction's from ``first`` on."""
        scope, stages = self.scope, self.tiling.stages
        insert = scope.b.builder.insert
        ahead = max(stages - 1, 0)

        def fill(stage: AffineExpr, slice: AffineExpr) -> None:
            lhs.fill(stage, first + slice)
            rhs.fill(stage, first + slice)

        for number in range(ahead):
            if number < self.slices:
                fill(AffineExpr.constant(number), AffineExpr.constant(number))
            insert(gpu.CpAsyncCommitOp())
        loop = ForOp(0, self.slices, kind=LoopKind.SEQUENTIAL)
        with scope.loop(loop) as slice:
            if stages == 1:
                insert(gpu.BarrierOp())
                fill(AffineExpr.constant(0), slice)
                insert(gpu.CpAsyncCommitOp())
            insert(gpu.CpAsyncWaitOp(max(stages - 2, 0)))
            insert(gpu.BarrierOp())
            if stages > 1:
                following = slice + ahead
                scope.where_below(
                    following, self.slices, lambda: fill(following % stages, following)
                )
                insert(gpu.CpAsyncCommitOp())
            self.accumulator.multiply(lhs, rhs, slice % stages)
            insert(YieldOp())

    # The end -------------------------------------------------------------------------------------

    def _finish_row(
        self, batch: At, row: AffineExpr, first_column: AffineExpr, columns: Columns
    ) -> None:
        gemm = self.product.gemm

        def finish_row() -> None:
            rows = decoded(self.scope, row, [[loop] for loop in gemm.m])
            columns(
                lambda at, count, place: self._finish_run(
                    [*batch, *rows], first_column + at, count, place
                )
            )

        self._where_below(row, gemm.m_size, finish_row)

    def _finish_run(
        self,
        outer: At,
        column: AffineExpr,
        count: int,
        place: Callable[[AffineExpr], Sequence[AffineExpr]],
    ) -> None:
        """Write the elements of neighbouring columns."""
        size = self.product.gemm.n_size

        def finish(number: AffineExpr) -> None:
            with self.scope.branch_level():
                self._finish(outer, column + number, place(number))

        def finish_if_any(number: AffineExpr) -> None:
            self._where_below(column + number, size, lambda: finish(number))

        if count == 1:
            finish_if_any(AffineExpr.constant(0))
        elif size % count == 0:

            def finish_all() -> None:
                self.scope.parallel_loop(count, LoopMap.VECTOR, finish)

            self._where_below(column, size, finish_all)
        else:
            self.scope.parallel_loop(count, LoopMap.UNROLL, finish_if_any)

    def _where_below(self, position: AffineExpr, size: int, write: Callable[[], None]) -> None:
        high = self.scope.interval(position).high
        if high is not None and high < size:
            write()
        else:
            self.scope.where_below(position, size, write)

    def _finish(self, outer: At, column: AffineExpr, place: Sequence[AffineExpr]) -> None:
        gemm = self.product.gemm
        index = self.product.result_index(self.product.dims([*outer, *split(column, gemm.n)]))
        self.scope.store(index, lambda: self.accumulator.load(self.accumulator.buffer, place))
