"""Neighbours of a row whose sums of weights are in parts, each relative to its largest score."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import e, gcd, inf, log2

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Place

_TOGETHER = 16
"""Parts that are read before any of them is used, so that their loads are under way together."""

_ZERO = AffineExpr.constant(0)


@dataclass
class WeighedRun:
    """``width`` neighbours from ``column`` on of a row.

    sums: writes what it is about. row: where the row of a part is in ``buffer``: ``columns`` sums,
    the largest score, the total.
    """

    sums: Accumulator
    buffer: SSAValue
    row: Callable[[AffineExpr], Place]
    columns: int
    column: AffineExpr
    width: int
    _largest: SSAValue = field(init=False)
    _total: SSAValue = field(init=False)
    _found: SSAValue = field(init=False)

    def write(self, parts: int) -> None:
        """Write what adds the parts up, in order: some at a time, which are read first."""
        b, sums = self.sums.scope.b, self.sums
        lowest, zero = (b.constant(x, f32) for x in (-inf, 0.0))
        self._largest, self._total, self._found = (
            sums.registers(f32, [n]) for n in (1, 1, self.width)
        )
        sums.store(lowest, self._largest, [_ZERO])
        sums.store(zero, self._total, [_ZERO])
        sums.nest([self.width], lambda at: sums.store(zero, self._found, at))
        together = max(n for n in range(1, _TOGETHER + 1) if gcd(n, parts) == n)
        open_loop(
            sums.scope,
            parts // together,
            LoopMap.SERIAL,
            lambda outer: self._add_some(outer * together, together),
        )

    def sum(self, n: AffineExpr) -> SSAValue:
        """Return a sum, by its number, relative to the largest score."""
        return self.sums.load(self._found, [n])

    def state(self) -> tuple[SSAValue, SSAValue]:
        """Return the largest score and the total of the row."""
        return self.sums.load(self._largest, [_ZERO]), self.sums.load(self._total, [_ZERO])

    def shares(self, zero: bool) -> Callable[[AffineExpr], SSAValue]:
        """Return what gives a sum divided by the total. zero: as ``loop.normalize`` has it."""
        b, (_, total) = self.sums.scope.b, self.state()
        one, nothing = b.constant(1.0, f32), b.constant(0.0, f32)
        share, is_any = b.ratio(one, total), b.compare("gt", total, nothing)

        def give(n: AffineExpr) -> SSAValue:
            value = b.mul(self.sum(n), share)
            return b.select(is_any, value, nothing) if zero else value

        return give

    def _add_some(self, first: AffineExpr, count: int) -> None:
        """Write what adds ``count`` parts."""
        sums = self.sums
        states, pieces = (sums.registers(f32, [count, n]) for n in (2, self.width))

        def read(part: AffineExpr) -> None:
            row = self.row(first + part)
            for n in range(2):
                there = [*row, AffineExpr.constant(self.columns + n)]
                here = [part, AffineExpr.constant(n)]
                sums.store(sums.load(self.buffer, there), states, here)

            def read_one(n: AffineExpr) -> None:
                sums.store(sums.load(self.buffer, [*row, self.column + n]), pieces, [part, n])

            open_loop(sums.scope, self.width, LoopMap.VECTOR, read_one)

        sums.nest([count], lambda at: read(at[0]))
        before = sums.load(self._largest, [_ZERO])
        sums.nest([count], lambda at: self._compare(sums.load(states, [at[0], _ZERO])))
        level = self._level()
        rescaling = self._weight(before, level)
        self._scale(rescaling)

        def add(part: AffineExpr) -> None:
            weight = self._weight(sums.load(states, [part, _ZERO]), level)
            total = sums.load(states, [part, AffineExpr.constant(1)])
            self._add(self._total, _ZERO, total, weight)

            def add_one(n: AffineExpr) -> None:
                self._add(self._found, n, sums.load(pieces, [part, n]), weight)

            open_loop(sums.scope, self.width, LoopMap.UNROLL, add_one)

        sums.nest([count], lambda at: add(at[0]))

    def _compare(self, score: SSAValue) -> None:
        larger = self.sums.scope.b.maximum(self.sums.load(self._largest, [_ZERO]), score)
        self.sums.store(larger, self._largest, [_ZERO])

    def _level(self) -> SSAValue:
        """Return the largest score; zero where all are minus infinity, whose weight is zero."""
        b = self.sums.scope.b
        lowest, zero = b.constant(-inf, f32), b.constant(0.0, f32)
        largest = self.sums.load(self._largest, [_ZERO])
        return b.select(b.compare("eq", largest, lowest), zero, largest)

    def _weight(self, score: SSAValue, level: SSAValue) -> SSAValue:
        """Return what sums relative to a score count for beside those relative to ``level``."""
        b = self.sums.scope.b
        return b.near_power_of_two(b.mul(b.sub(score, level), b.constant(log2(e), f32)))

    def _scale(self, by: SSAValue) -> None:
        """Write that what was added so far counts ``by``."""
        b, sums = self.sums.scope.b, self.sums

        def scale(buffer: SSAValue, at: Place) -> None:
            sums.store(b.mul(sums.load(buffer, at), by), buffer, at)

        scale(self._total, [_ZERO])
        sums.nest([self.width], lambda at: scale(self._found, at))

    def _add(self, buffer: SSAValue, at: AffineExpr, value: SSAValue, weight: SSAValue) -> None:
        """Write that a part's value counts by its weight."""
        b, sums = self.sums.scope.b, self.sums
        sums.store(b.fma(value, weight, sums.load(buffer, [at])), buffer, [at])
