"""The end of sums of weights of which teams of a block, and several blocks, have parts.

A part is relative to its own largest score. Teams meet in shared memory, blocks in scratch. The
block that arrives last finishes: neighbouring threads take neighbours of a row, and bring the parts
of these to one level.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.builtin import IndexType, MemRefType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import ROW_LANES
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.drain_parts import DrainPartsOp
from dlc.dialects.loop.memory import AllocOp, buffer_shape
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.weighed_row import ROW_MARGIN
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop
from dlc.model.contraction import EXCHANGE_RUN
from dlc.simt.accumulator import Place
from dlc.simt.drain import Run
from dlc.simt.elements import by_row
from dlc.simt.last_block import LastBlock
from dlc.simt.matrix_tile import MatrixTile
from dlc.simt.online_softmax import OnlineSoftmax
from dlc.simt.region import RegionWriter
from dlc.simt.weighed_run import WeighedRun
from dlc.simt.workers import Team


@dataclass(frozen=True)
class WeighedParts:
    """What becomes of a ``loop.drain_parts``.

    writer: knows the values around the op. softmax: the sums and what rows have beside them. team:
    who holds the elements; thread: this one's number. scale: what scores count.
    """

    writer: RegionWriter
    op: DrainPartsOp
    softmax: OnlineSoftmax
    team: Team
    thread: AffineExpr
    scale: float

    def write(self) -> None:
        """Write this block's part, and what the last block does with all of them."""
        tile, part = map(self.writer.expr, (self.op.tile, self.op.part))
        self._write_part([tile, part])
        counters, is_block = self.op.counters, self.team.role is None
        arrivals = LastBlock(self._scope, counters, tile, self.team, self.thread, alone=is_block)

        def finish() -> None:
            if not is_block:
                self._scope.b.builder.insert(gpu.FenceOp())
            self._each_run(lambda row, run: self._finish(tile, row, run))
            arrivals.reset()

        self._scope.where(arrivals.arrive(self.op.parts), finish)

    @property
    def _scope(self) -> LoopScope:
        return self.writer.scope

    @property
    def _sums(self) -> MatrixTile:
        return self.softmax.sums

    @property
    def _columns(self) -> int:
        return buffer_shape(self.op.accumulator)[1]

    @property
    def _width(self) -> int:
        """The neighbours of a run: all of them are there, or none."""
        return gcd(self._columns, self.op.limits[1], EXCHANGE_RUN)

    # A block's part ------------------------------------------------------------------------------

    def _write_part(self, number: Place) -> None:
        """Write the part of this block to scratch. number: that of the tile, and of the part."""
        teams = self._sums.spread.teams
        if teams == 1:
            self._put(self.op.scratch, number)
            return
        sizes = [teams, self.op.rows, self._columns + ROW_MARGIN]
        space = SpaceAttr(Space.SHARED)
        shared = self._scope.b.insert(AllocOp(MemRefType(f32, sizes, memory_space=space)))
        self.team.wait(self._scope.b)  # it lies where keys and values were
        self._put(shared, [self._sums.worker % teams])
        self.team.wait(self._scope.b)

        def put_run(row: AffineExpr, run: AffineExpr) -> None:
            column = run * self._width
            whole = self._run(shared, lambda part: [part, row], teams, column)

            def put(n: AffineExpr) -> None:
                self._sums.store(whole.sum(n), self.op.scratch, [*number, row, column + n])

            open_loop(self._scope, self._width, LoopMap.VECTOR, put)
            self._where_first(
                run, lambda: self._put_state(self.op.scratch, [*number, row], whole.state())
            )

        self._each_run(put_run)

    def _put(self, buffer: SSAValue, number: Place) -> None:
        """Write what this thread has of all rows. number: of the part in a buffer."""
        self._sums.nest(self._sums.rows, lambda at: self._put_row(at, buffer, number))

    def _put_row(self, at: Place, buffer: SSAValue, number: Place) -> None:
        total, sums = self.softmax.total(at), self._sums
        row = sums.row_of(at)

        def put_run(column: AffineExpr, count: int, place: Callable[[AffineExpr], Place]) -> None:
            def put(n: AffineExpr) -> None:
                value = sums.load(sums.buffer, place(n))
                sums.store(value, buffer, [*number, row, column + n])

            open_loop(self._scope, count, LoopMap.VECTOR, put)

        def put_state() -> None:
            largest = sums.load(self.softmax.largest, at)
            if self.scale != 1:
                largest = self._scope.b.mul(largest, self._scope.b.constant(self.scale, f32))
            self._put_state(buffer, [*number, row], (largest, total))

        def put_all() -> None:
            sums.columns_of(at)(put_run)
            self._where_first(sums.lane % ROW_LANES, put_state)

        self._scope.where_below(row, self.op.rows, put_all)

    def _put_state(self, buffer: SSAValue, row: Place, state: tuple[SSAValue, SSAValue]) -> None:
        """Write the largest score and the total of a row behind its sums."""
        for n, value in enumerate(state):
            self._sums.store(value, buffer, [*row, AffineExpr.constant(self._columns + n)])

    def _where_first(self, number: AffineExpr, write: Callable[[], None]) -> None:
        b = self._scope.b
        zero = b.constant(0, IndexType())
        self._scope.where(b.compare("eq", self._scope.index_value(number), zero), write)

    # Runs ----------------------------------------------------------------------------------------

    def _each_run(self, write: Callable[[AffineExpr, AffineExpr], None]) -> None:
        """Write ``write`` for the row and the number of each run that a thread takes."""
        runs, threads = self._columns // self._width, self.team.threads
        rounds = -(-self.op.rows * runs // threads)

        def take(round: AffineExpr) -> None:
            number = round * threads + self.thread
            row, run = number // runs, number % runs
            self._scope.where_below(row, self.op.rows, lambda: write(row, run))

        open_loop(self._scope, rounds, LoopMap.SERIAL, take)

    def _run(
        self,
        buffer: SSAValue,
        row: Callable[[AffineExpr], Place],
        parts: int,
        column: AffineExpr,
    ) -> WeighedRun:
        """Write the sums of a run over its parts. row: where that of a part is in a buffer."""
        run = WeighedRun(self._sums, buffer, row, self._columns, column, self._width)
        run.write(parts)
        return run

    def _finish(self, tile: AffineExpr, row: AffineExpr, run: AffineExpr) -> None:
        """Write what becomes of a run when all parts are there."""
        scope, (rows, columns) = self._scope, self.op.limits
        first_row, first_column = self.writer.composed(self.op.first.data.results, self.op.indices)
        column = first_column + run * self._width
        of_row, of_element = by_row(self.op.body.block)

        def write_run() -> None:
            inner = self.writer.inner({self.op.body.block.args[0]: first_row + row})
            scratch, parts = self.op.scratch, self.op.parts
            whole = self._run(scratch, lambda part: [tile, part, row], parts, run * self._width)
            load = whole.shares(self.op.zero is not None)
            inner.write(of_row)
            Run(inner, self.op, column, self._width, load).write(of_element)

        def write_row() -> None:
            scope.where_below(column, columns, write_run)

        scope.where_below(first_row + row, rows, write_row)
