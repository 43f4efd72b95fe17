"""The end of an accumulator through shared memory: neighbouring threads finish neighbours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop import DrainOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, buffer_shape
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.tile_scope import open_loop
from dlc.model.contraction import EXCHANGE_MARGIN, EXCHANGE_RUN
from dlc.simt.accumulator import Accumulator, Columns, Place
from dlc.simt.drain import Run
from dlc.simt.elements import by_row
from dlc.simt.region import RegionWriter
from dlc.simt.workers import Team

_TOGETHER = 4
"""Rounds that are written out, so that their loads are under way at the same time."""


@dataclass(frozen=True)
class Exchange:
    """What becomes of a drain whose elements change threads: one strip of rows after the other, as
    all threads of the team have rows of each (``Accumulator.strips``).

    writer: knows the values around the op. team: who holds the elements; thread: this one's number.
    """

    writer: RegionWriter
    op: DrainOp
    accumulator: Accumulator
    team: Team
    thread: AffineExpr

    def write(self) -> None:
        """Write the accumulators to shared memory, then the loop over what a thread takes."""
        tile = self._new_tile()
        for strip in range(self.accumulator.strips):  # no loop: allocation sees where they meet
            self._write_strip(tile, AffineExpr.constant(strip))

    def _write_strip(self, tile: SSAValue, strip: AffineExpr) -> None:
        first = strip * self._rows

        def put(row: AffineExpr, columns: Columns) -> None:
            self._put(tile, row - first, columns)

        self._meet()  # the tile lies where slices of factors were, or the strip before
        self.accumulator.each_row_of(strip, put)
        self._meet()
        self._take_all(tile, first)

    def _take_all(self, tile: SSAValue, first_row: AffineExpr) -> None:
        """Write the loop over what a thread takes of the rows from ``first_row`` on."""
        scope = self.writer.scope
        rounds = -(-self._rows * self._runs // self.team.threads)
        together = gcd(rounds, _TOGETHER)

        def write_some(outer: AffineExpr) -> None:
            first = outer * together
            open_loop(
                scope,
                together,
                LoopMap.UNROLL,
                lambda inner: self._take(tile, first_row, first + inner),
            )

        open_loop(scope, rounds // together, LoopMap.SERIAL, write_some)

    @property
    def _tile_rows(self) -> int:
        return buffer_shape(self.op.accumulator)[0]

    @property
    def _rows(self) -> int:
        """The rows that are there at a time, if the tile has as many."""
        return self._tile_rows // self.accumulator.strips

    @property
    def _columns(self) -> int:
        return buffer_shape(self.op.accumulator)[1]

    @cached_property
    def _width(self) -> int:
        """The neighbours of a run: all of them are there, or none."""
        return gcd(self._columns, self.op.limits[1], EXCHANGE_RUN)

    @property
    def _runs(self) -> int:
        """The runs of a row."""
        return self._columns // self._width

    def _new_tile(self) -> SSAValue:
        return self._new_buffer([self._rows, self._columns + EXCHANGE_MARGIN], Space.SHARED)

    def _new_buffer(self, sizes: Sequence[int], space: Space) -> SSAValue:
        type = MemRefType(self.accumulator.compute, sizes, memory_space=SpaceAttr(space))
        return self.writer.scope.b.insert(AllocOp(type))

    def _meet(self) -> None:
        """Write a barrier of all who exchange."""
        self.team.wait(self.writer.scope.b)

    def _put(self, tile: SSAValue, row: AffineExpr, columns: Columns) -> None:
        """Write the sums that this thread has in a row to the tile."""

        def put_run(column: AffineExpr, count: int, place: Callable[[AffineExpr], Place]) -> None:
            def put(number: AffineExpr) -> None:
                value = self.accumulator.load(self.accumulator.buffer, place(number))
                self.accumulator.store(value, tile, [row, column + number])

            open_loop(self.writer.scope, count, LoopMap.VECTOR, put)

        columns(put_run)

    def _sum(self, tile: SSAValue, row: AffineExpr, column: AffineExpr) -> SSAValue:
        """Return the sum in a row of those that are there."""
        return self.accumulator.load(tile, [row, column])

    def _take(self, tile: SSAValue, start: AffineExpr, round: AffineExpr) -> None:
        """Write what a thread does with the run that it takes in a round, of the rows from
        ``start`` on.
        """
        scope, (rows, columns) = self.writer.scope, self.op.limits
        number = round * self.team.threads + self.thread
        row, run = number // self._runs, number % self._runs
        first_row, first_column = self.writer.composed(self.op.first.data.results, self.op.indices)
        first_row += start
        of_row, of_element = by_row(self.op.body.block)

        def load(neighbour: AffineExpr) -> SSAValue:
            return self._sum(tile, row, run * self._width + neighbour)

        def write_row() -> None:
            inner = self.writer.inner({self.op.body.block.args[0]: first_row + row})
            column = first_column + run * self._width

            def write_run() -> None:
                inner.write(of_row)
                Run(inner, self.op, column, self._width, load).write(of_element)

            scope.where_below(column, columns, write_run)

        def write_own() -> None:
            scope.where_below(first_row + row, rows, write_row)

        def write_of_tile() -> None:
            scope.where_below(start + row, self._tile_rows, write_own)

        scope.where_below(row, self._rows, write_of_tile)
