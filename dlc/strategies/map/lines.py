"""Neighbours that go over the end of a line: places are counted on, not divided anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.builtin import IndexType
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import Interval, extent, unflatten
from dlc.lowering.scope import LoopScope


@dataclass(frozen=True)
class Lines:
    """The places of a thread that has neighbours of two lines at most.

    sizes: of the axes; a line is the last one. first: the position of the first neighbour. lane:
    the number of a neighbour, which is below ``vector``.
    """

    scope: LoopScope
    sizes: Sequence[int]
    first: AffineExpr
    vector: int

    @property
    def are_crossed(self) -> bool:
        """Whether some threads have neighbours of two lines, and none has of three."""
        uneven = self.sizes[-1] % self.vector if self.sizes else 0
        return len(self.sizes) > 1 and uneven > 0 and self.vector <= self.sizes[-1]

    @property
    def unit(self) -> int:
        """The neighbours that are in a line all or none, wherever lines end."""
        return gcd(self.sizes[-1], self.vector) if self.are_crossed else self.vector

    def index(self, lane: AffineExpr) -> list[AffineExpr]:
        """Return the index of a neighbour: that of the first one, as many places further on, or in
        the next line.
        """
        plain = unflatten(self.first + lane, self.sizes)
        if not self.are_crossed:
            return plain
        here, index = unflatten(self.first, self.sizes), list[AffineExpr]()
        beyond = lane % self.unit
        added = lane - beyond
        for at, size, meaning in zip(here[::-1], self.sizes[:0:-1], plain[::-1], strict=False):
            place, added = self._carried(at + added, beyond, size, meaning)
            index.insert(0, place)
            beyond = AffineExpr.constant(0)
        return [self._named(here[0] + added, self.sizes[0], plain[0]), *index]

    def _carried(
        self, reached: AffineExpr, beyond: AffineExpr, size: int, meaning: AffineExpr
    ) -> tuple[AffineExpr, AffineExpr]:
        """Return the place along an axis, so far ``beyond`` one that decides whether it is in the
        next line, and what carries over to the axis before it.
        """
        b = self.scope.b
        limit, zero, one = (b.constant(n, IndexType()) for n in (size, 0, 1))
        crosses = b.compare("ge", self.scope.index_value(reached), limit)
        back = self.scope.dim(b.select(crosses, limit, zero), Interval(0, size))
        carry = self.scope.dim(b.select(crosses, one, zero), Interval(0, 1))
        return self._named(reached + beyond - back, size, meaning), carry

    def _named(self, expr: AffineExpr, size: int, meaning: AffineExpr) -> AffineExpr:
        return self.scope.dim(self.scope.index_value(expr), extent(size), meaning)
