"""The end of sums of weights cut among several blocks: parts meet in scratch memory.

A part is relative to its own largest score. The block that arrives last brings all parts of a row
to one level, and neighbouring threads finish neighbours of the row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import e, gcd, inf, log2

from xdsl.dialects.builtin import IndexType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import ROW_LANES
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.drain_parts import DrainPartsOp
from dlc.dialects.loop.memory import buffer_shape
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
from dlc.simt.workers import Team

_TOGETHER = 8
"""Parts that are written out, so that their loads are under way at the same time."""

_ZERO = AffineExpr.constant(0)


@dataclass(frozen=True)
class WeighedParts:
    """What becomes of a ``loop.drain_parts``.

    writer: knows the values around the op. softmax: the sums and what rows have beside them. team:
    who holds the elements; thread: this one's number.
    """

    writer: RegionWriter
    op: DrainPartsOp
    softmax: OnlineSoftmax
    team: Team
    thread: AffineExpr

    def write(self) -> None:
        """Write this block's part, and what the last block does with all of them."""
        tile, part = map(self.writer.expr, (self.op.tile, self.op.part))
        self._sums.nest(self._sums.rows, lambda at: self._put_row(at, [tile, part]))
        arrivals = LastBlock(self._scope, self.op.counters, tile, self.team, self.thread)

        def finish() -> None:
            self._scope.b.builder.insert(gpu.FenceOp())
            open_loop(self._scope, self._rounds, LoopMap.SERIAL, lambda n: self._take(tile, n))
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

    @property
    def _runs(self) -> int:
        """The runs of a row."""
        return self._columns // self._width

    @property
    def _rounds(self) -> int:
        return -(-self.op.rows * self._runs // self.team.threads)

    # A block's part ------------------------------------------------------------------------------

    def _put_row(self, at: Place, number: Place) -> None:
        """Write what this thread has of a row. number: that of the tile, and of the part."""
        total, sums = self.softmax.total(at), self._sums
        row = sums.row_of(at)

        def put_run(column: AffineExpr, count: int, place: Callable[[AffineExpr], Place]) -> None:
            def put(n: AffineExpr) -> None:
                value = sums.load(sums.buffer, place(n))
                sums.store(value, self.op.scratch, [*number, row, column + n])

            open_loop(self._scope, count, LoopMap.VECTOR, put)

        def put_state() -> None:
            largest = sums.load(self.softmax.largest, at)
            for n, value in enumerate((largest, total)):
                sums.store(value, self.op.scratch, [*number, row, self._columns_end(n)])

        def put_all() -> None:
            sums.columns_of(at)(put_run)
            b = self._scope.b
            lane = self._scope.index_value(sums.lane % ROW_LANES)
            self._scope.where(b.compare("eq", lane, b.constant(0, IndexType())), put_state)

        self._scope.where_below(row, self.op.rows, put_all)

    def _columns_end(self, number: int) -> AffineExpr:
        """Return where a row has its largest score (0) and its total (1)."""
        return AffineExpr.constant(self._columns + number)

    # The whole -----------------------------------------------------------------------------------

    def _take(self, tile: AffineExpr, round: AffineExpr) -> None:
        """Write what a thread does with the run that it takes in a round."""
        scope, (rows, columns) = self._scope, self.op.limits
        number = round * self.team.threads + self.thread
        row, run = number // self._runs, number % self._runs
        first_row, first_column = self.writer.composed(self.op.first.data.results, self.op.indices)
        column = first_column + run * self._width
        of_row, of_element = by_row(self.op.body.block)

        def write_run() -> None:
            inner = self.writer.inner({self.op.body.block.args[0]: first_row + row})
            load = self._whole(tile, row, run * self._width)
            inner.write(of_row)
            Run(inner, self.op, column, self._width, load).write(of_element)

        def write_row() -> None:
            scope.where_below(column, columns, write_run)

        def write_own() -> None:
            scope.where_below(first_row + row, rows, write_row)

        scope.where_below(row, self.op.rows, write_own)

    def _whole(
        self, tile: AffineExpr, row: AffineExpr, column: AffineExpr
    ) -> Callable[[AffineExpr], SSAValue]:
        """Write the sums of all parts of a run of a row; return what gives one of them."""
        b, sums = self._scope.b, self._sums
        lowest, zero, one = (b.constant(x, f32) for x in (-inf, 0.0, 1.0))
        largest, total, found = (sums.registers(f32, [n]) for n in (1, 1, self._width))
        sums.store(lowest, largest, [_ZERO])
        sums.store(zero, total, [_ZERO])
        sums.nest([self._width], lambda at: sums.store(zero, found, at))

        def load(part: AffineExpr, at: AffineExpr) -> SSAValue:
            return sums.load(self.op.scratch, [tile, part, row, at])

        def compare(part: AffineExpr) -> None:
            larger = b.maximum(sums.load(largest, [_ZERO]), load(part, self._columns_end(0)))
            sums.store(larger, largest, [_ZERO])

        self._each_part(compare)
        highest = sums.load(largest, [_ZERO])
        level = b.select(b.compare("eq", highest, lowest), zero, highest)
        powers = b.constant(log2(e), f32)

        def add(part: AffineExpr) -> None:
            difference = b.sub(load(part, self._columns_end(0)), level)
            weight = b.near_power_of_two(b.mul(difference, powers))
            self._add(total, _ZERO, load(part, self._columns_end(1)), weight)
            open_loop(
                self._scope,
                self._width,
                LoopMap.VECTOR,
                lambda n: self._add(found, n, load(part, column + n), weight),
            )

        self._each_part(add)
        whole = sums.load(total, [_ZERO])
        share, is_any = b.ratio(one, whole), b.compare("gt", whole, zero)

        def give(n: AffineExpr) -> SSAValue:
            value = b.mul(sums.load(found, [n]), share)
            return b.select(is_any, value, zero) if self.op.zero is not None else value

        return give

    def _add(self, buffer: SSAValue, at: AffineExpr, value: SSAValue, weight: SSAValue) -> None:
        """Write that a part's value counts by its weight."""
        b, sums = self._scope.b, self._sums
        sums.store(b.fma(value, weight, sums.load(buffer, [at])), buffer, [at])

    def _each_part(self, write: Callable[[AffineExpr], None]) -> None:
        """Write loops over parts, in order."""
        together = gcd(self.op.parts, _TOGETHER)

        def write_some(outer: AffineExpr) -> None:
            first = outer * together
            open_loop(self._scope, together, LoopMap.UNROLL, lambda n: write(first + n))

        open_loop(self._scope, self.op.parts // together, LoopMap.SERIAL, write_some)
