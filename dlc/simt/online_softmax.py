"""A softmax part by part, on the elements that a thread has of scores and of sums.

A row of a tile is in a few neighbouring lanes of a warp. Each has the total of the weights of its
own elements; these are added up when all parts are done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from math import e, inf, log2

from xdsl.dialects.builtin import IndexType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import ROW_LANES
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Columns, Place
from dlc.simt.combine import over_lanes
from dlc.simt.matrix_tile import MatrixTile


@dataclass(frozen=True)
class OnlineSoftmax:
    """What ``sums`` has beside them: for each row the largest score so far, and the total of the
    weights of this thread's elements.
    """

    sums: MatrixTile
    largest: SSAValue
    totals: SSAValue

    @staticmethod
    def of(sums: MatrixTile) -> "OnlineSoftmax":
        """Write the state of rows of which no score was seen."""
        largest, totals = (sums.registers(f32, sums.rows) for _ in range(2))
        lowest, zero = (sums.scope.b.constant(value, f32) for value in (-inf, 0.0))
        sums.nest(sums.rows, lambda at: sums.store(lowest, largest, at))
        sums.nest(sums.rows, lambda at: sums.store(zero, totals, at))
        return OnlineSoftmax(sums, largest, totals)

    @property
    def scope(self) -> LoopScope:
        """Where it is written."""
        return self.sums.scope

    def weigh(self, mask: "Mask", scale: float, are_products: bool, awaits: bool = False) -> None:
        """Write what ``loop.online_softmax`` does. mask: which scores have no weight. scale: what
        the others count. are_products: they are as a product left them. awaits: products that add
        to the sums are under way.
        """
        mask.write()
        scores, powers = mask.scores, log2(e) * scale

        def weigh_row(at: Place) -> SSAValue:
            return self._weigh_row(scores, at, powers, are_products)

        if not awaits:
            scores.nest(scores.rows, lambda at: self._rescale(at, weigh_row(at)))
            return
        factors = scores.registers(f32, scores.rows)
        scores.nest(scores.rows, lambda at: scores.store(weigh_row(at), factors, at))
        self.scope.b.builder.insert(gpu.WgmmaWaitOp(0))
        scores.nest(scores.rows, lambda at: self._rescale(at, scores.load(factors, at)))

    def _rescale(self, at: Place, factor: SSAValue) -> None:
        """Write the sums of a row, times a factor."""
        sums = self.sums
        _each(self.scope, sums.columns_of(at), lambda place: _scale(sums, place, factor))

    def normalize(self, zero: bool) -> None:
        """Write what ``loop.normalize`` does."""
        self.sums.nest(self.sums.rows, lambda at: self._normalize_row(at, zero))

    def total(self, at: Place) -> SSAValue:
        """Write the total of the weights of a row, over all lanes that have parts of it."""
        b = self.scope.b

        def add(left: Sequence[SSAValue], right: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return [b.add(left[0], right[0])]

        return over_lanes(b, [self.sums.load(self.totals, at)], add, ROW_LANES, 1)[0]

    def _weigh_row(
        self, scores: MatrixTile, at: Place, powers: float, are_products: bool
    ) -> SSAValue:
        """Write weights, ``2 ** ((score - largest) * powers)``; return the factor of the sums."""
        b, sums, columns = self.scope.b, self.sums, scores.columns_of(at)
        before = sums.load(self.largest, at)
        largest = self._largest(scores, columns, before)
        sums.store(largest, self.largest, at)
        lowest, zero = b.constant(-inf, f32), b.constant(0.0, f32)
        level = b.select(b.compare("eq", largest, lowest), zero, largest)
        difference = _difference(b, level, powers)
        power = _difference_of_products(b, level, powers) if are_products else difference
        rescaling = b.near_power_of_two(difference(before))
        sums.store(b.mul(sums.load(self.totals, at), rescaling), self.totals, at)

        def put_weight(place: Place) -> SSAValue:
            weight = b.near_power_of_two(power(scores.load(scores.buffer, place)))
            scores.store(weight, scores.buffer, place)
            return weight

        def put_weights(run: Sequence[Place]) -> None:
            together = reduce(b.add, map(put_weight, run))
            sums.store(b.add(sums.load(self.totals, at), together), self.totals, at)

        _each_run(columns, put_weights)
        return rescaling

    def _largest(self, scores: MatrixTile, columns: Columns, before: SSAValue) -> SSAValue:
        """Write the largest score of a row and of what was before."""
        b, here = self.scope.b, [AffineExpr.constant(0)]
        found = scores.registers(f32, [1])
        scores.store(before, found, here)

        def compare(run: Sequence[Place]) -> None:
            together = reduce(b.maximum, (scores.load(scores.buffer, place) for place in run))
            scores.store(b.maximum(scores.load(found, here), together), found, here)

        _each_run(columns, compare)

        def larger(left: Sequence[SSAValue], right: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return [b.maximum(left[0], right[0])]

        return over_lanes(b, [scores.load(found, here)], larger, ROW_LANES, 1)[0]

    def _normalize_row(self, at: Place, zero: bool) -> None:
        b, sums = self.scope.b, self.sums
        total = self.total(at)
        one, nothing = b.constant(1.0, f32), b.constant(0.0, f32)
        share = b.ratio(one, total)
        inside = b.compare("gt", total, nothing)

        def divide(place: Place) -> None:
            value = b.mul(sums.load(sums.buffer, place), share)
            sums.store(b.select(inside, value, nothing) if zero else value, sums.buffer, place)

        _each(self.scope, sums.columns_of(at), divide)


@dataclass(frozen=True)
class Mask:
    """Writes minus infinity to scores that have no weight: from column ``limit`` on, and in row
    ``i`` those behind column ``seen + i``. first: the first column. Only some tiles have such.
    """

    scores: MatrixTile
    first: AffineExpr
    limit: int
    seen: AffineExpr | None

    def write(self) -> None:
        """Write it under the condition that the tile has such columns."""
        scope, last = self.scores.scope, self.first + (self.scores.spread.columns - 1)
        b, found = scope.b, list[SSAValue]()
        if not scope.is_inside(last, self.limit):
            size = b.constant(self.limit, IndexType())
            found.append(b.compare("ge", scope.index_value(last), size))
        if self.seen is not None:
            seen = scope.index_value(self.seen)
            found.append(b.compare("gt", scope.index_value(last), seen))
        if found:
            scope.where(reduce(partial(b.logical, "or"), found), self._write_rows)

    def _write_rows(self) -> None:
        self.scores.each_row(lambda row, columns: columns(partial(self._write_run, row)))

    def _write_run(
        self, row: AffineExpr, at: AffineExpr, count: int, place: Callable[[AffineExpr], Place]
    ) -> None:
        """Write it for neighbours of a row."""
        scores, scope, b = self.scores, self.scores.scope, self.scores.scope.b
        nothing = b.constant(-inf, f32)

        def mask(number: AffineExpr) -> None:
            inside = self._inside(row, self.first + at + number)
            score = scores.load(scores.buffer, place(number))
            scores.store(b.select(inside, score, nothing), scores.buffer, place(number))

        open_loop(scope, count, LoopMap.UNROLL, mask)

    def _inside(self, row: AffineExpr, column: AffineExpr) -> SSAValue:
        """Write whether a column has a weight."""
        scope, b = self.scores.scope, self.scores.scope.b
        found: list[SSAValue] = []
        if not scope.is_inside(column, self.limit):
            size = b.constant(self.limit, IndexType())
            found.append(b.compare("lt", scope.index_value(column), size))
        if self.seen is not None:
            last = scope.index_value(self.seen + row)
            found.append(b.compare("le", scope.index_value(column), last))
        return reduce(partial(b.logical, "and"), found)


def _difference(b: ScalarBuilder, level: SSAValue, powers: float) -> Callable[[SSAValue], SSAValue]:
    """Return what writes ``(score - level) * powers``. The difference first: -1e9 and less, which
    masks are, times ``powers`` is rounded by more than scores differ, or infinite.
    """
    factor = b.constant(powers, f32)
    return lambda score: b.mul(b.sub(score, level), factor)


def _difference_of_products(
    b: ScalarBuilder, level: SSAValue, powers: float
) -> Callable[[SSAValue], SSAValue]:
    """The same in one instruction, ``score * powers - level * powers``, for scores that nothing was
    added to. All of a row are off by what the second factor was rounded by, as if the largest score
    was rounded once more: weights are in 16 bits where it is below 2**27.
    """
    factor, offset = b.constant(powers, f32), b.mul(level, b.constant(-powers, f32))
    return lambda score: b.fma(score, factor, offset)


def _each_run(columns: Columns, write: Callable[[Sequence[Place]], None]) -> None:
    """Write a loop over runs of neighbours among a thread's elements of a row: what is found of a
    run first shortens the chain of what waits for each other.
    """

    def write_run(_: AffineExpr, count: int, place: Callable[[AffineExpr], Place]) -> None:
        write([place(AffineExpr.constant(number)) for number in range(count)])

    columns(write_run)


def _each(scope: LoopScope, columns: Columns, write: Callable[[Place], None]) -> None:
    """Write loops over a thread's elements of a row."""

    def write_run(_: AffineExpr, count: int, place: Callable[[AffineExpr], Place]) -> None:
        open_loop(scope, count, LoopMap.UNROLL, lambda number: write(place(number)))

    columns(write_run)


def _scale(sums: MatrixTile, place: Place, by: SSAValue) -> None:
    value = sums.scope.b.mul(sums.load(sums.buffer, place), by)
    sums.store(value, sums.buffer, place)
