"""The sums of weights of a block, whose teams have parts of them, each relative to its own largest
score: they meet in shared memory, from where neighbouring threads take neighbours of a row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.builtin import IndexType, MemRefType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import ROW_LANES
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.drain_parts import WeighedDrainOp
from dlc.dialects.loop.memory import AllocOp, buffer_shape
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.weighed_row import ROW_MARGIN
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop
from dlc.model.contraction import EXCHANGE_RUN
from dlc.simt.accumulator import Place
from dlc.simt.drain import Run
from dlc.simt.elements import by_row
from dlc.simt.matrix_tile import MatrixTile
from dlc.simt.online_softmax import OnlineSoftmax
from dlc.simt.region import RegionWriter
from dlc.simt.weighed_run import WeighedRun
from dlc.simt.workers import Team


@dataclass(frozen=True)
class WeighedSums:
    """What threads hold where an op drains parts.

    writer: knows the values around the op. softmax: the sums and what rows have beside them. team:
    who holds the elements; thread: this one's number. scale: what scores count.
    """

    writer: RegionWriter
    op: WeighedDrainOp
    softmax: OnlineSoftmax
    team: Team
    thread: AffineExpr
    scale: float

    @property
    def scope(self) -> LoopScope:
        """Where code is written."""
        return self.writer.scope

    @property
    def tile(self) -> MatrixTile:
        """The sums."""
        return self.softmax.sums

    @property
    def columns(self) -> int:
        """The columns of the tile."""
        return buffer_shape(self.op.accumulator)[1]

    @property
    def width(self) -> int:
        """The neighbours of a run: all of them are there, or none."""
        return gcd(self.columns, self.op.limits[1], EXCHANGE_RUN)

    @property
    def row_runs(self) -> int:
        """The runs of a row."""
        return self.columns // self.width

    @property
    def runs(self) -> int:
        """The runs of all rows, one row after the other."""
        return self.op.rows * self.row_runs

    # What threads hold ---------------------------------------------------------------------------

    def meet(self) -> SSAValue:
        """Write the parts of all teams to shared memory; return where they are: teams x rows x
        (columns + margin).
        """
        teams = self.tile.spread.teams
        sizes, space = [teams, self.op.rows, self.columns + ROW_MARGIN], SpaceAttr(Space.SHARED)
        shared = self.scope.b.insert(AllocOp(MemRefType(f32, sizes, memory_space=space)))
        self.team.wait(self.scope.b)  # it lies where keys and values were
        self.put(shared, [self.tile.worker % teams])
        self.team.wait(self.scope.b)
        return shared

    def put(self, buffer: SSAValue, number: Place) -> None:
        """Write what this thread has of all rows. number: of the part in a buffer."""
        self.tile.nest(self.tile.rows, lambda at: self._put_row(at, buffer, number))

    def _put_row(self, at: Place, buffer: SSAValue, number: Place) -> None:
        total, sums = self.softmax.total(at), self.tile
        row = sums.row_of(at)

        def put_run(column: AffineExpr, count: int, place: Callable[[AffineExpr], Place]) -> None:
            def put(n: AffineExpr) -> None:
                value = sums.load(sums.buffer, place(n))
                sums.store(value, buffer, [*number, row, column + n])

            open_loop(self.scope, count, LoopMap.VECTOR, put)

        def put_state() -> None:
            largest = sums.load(self.softmax.largest, at)
            if self.scale != 1:
                largest = self.scope.b.mul(largest, self.scope.b.constant(self.scale, f32))
            self.put_state(buffer, [*number, row], (largest, total))

        def put_all() -> None:
            sums.columns_of(at)(put_run)
            self.where_first(sums.lane % ROW_LANES, put_state)

        self.scope.where_below(row, self.op.rows, put_all)

    def put_state(self, buffer: SSAValue, row: Place, state: tuple[SSAValue, SSAValue]) -> None:
        """Write the largest score and the total of a row behind its sums."""
        for n, value in enumerate(state):
            self.tile.store(value, buffer, [*row, AffineExpr.constant(self.columns + n)])

    def where_first(self, number: AffineExpr, write: Callable[[], None]) -> None:
        """Write ``write`` where a number is 0."""
        b = self.scope.b
        zero = b.constant(0, IndexType())
        self.scope.where(b.compare("eq", self.scope.index_value(number), zero), write)

    # Runs ----------------------------------------------------------------------------------------

    def each_run(self, write: Callable[[AffineExpr, AffineExpr], None]) -> None:
        """Write ``write`` for the row and the number of each run that a thread takes."""
        threads = self.team.threads

        def take(round: AffineExpr) -> None:
            number = round * threads + self.thread
            row, run = number // self.row_runs, number % self.row_runs
            self.scope.where_below(row, self.op.rows, lambda: write(row, run))

        open_loop(self.scope, -(-self.runs // threads), LoopMap.SERIAL, take)

    def run(
        self,
        buffer: SSAValue,
        row: Callable[[AffineExpr], Place],
        parts: int,
        column: AffineExpr,
    ) -> WeighedRun:
        """Write the sums of a run over its parts. row: where that of a part is in a buffer."""
        run = WeighedRun(self.tile, buffer, row, self.columns, column, self.width)
        run.write(parts)
        return run

    def finish(self, row: AffineExpr, run: AffineExpr, sum_up: Callable[[], WeighedRun]) -> None:
        """Write what becomes of a run of a row whose parts are all there, once ``sum_up`` has
        written their sum.
        """
        scope, (rows, columns) = self.scope, self.op.limits
        first_row, first_column = self.writer.composed(self.op.first.data.results, self.op.indices)
        column = first_column + run * self.width
        of_row, of_element = by_row(self.op.body.block)

        def write_run() -> None:
            inner = self.writer.inner({self.op.body.block.args[0]: first_row + row})
            load = sum_up().shares(self.op.zero is not None)
            inner.write(of_row)
            Run(inner, self.op, column, self.width, load).write(of_element)

        def write_row() -> None:
            scope.where_below(column, columns, write_run)

        scope.where_below(first_row + row, rows, write_row)
