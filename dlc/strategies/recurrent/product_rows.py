"""Which columns of which products the rows of a block are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from xdsl.dialects.builtin import IndexType
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import Interval
from dlc.dialects.graph.computed import ContractionOp
from dlc.strategies.recurrent.cell import Part, Phase
from dlc.strategies.recurrent.thread import Thread

_Begin = tuple[Part, int]
"""A part, and its first row."""


@dataclass
class ProductRows:
    """The rows of a phase: those of a factor's parts stand together."""

    thread: Thread
    phase: Phase

    def first_row(self, part: Part) -> int:
        """Return the first row of a part."""
        own, factors = self.phase.parts_of(part.factor), self.phase.factors
        return self.thread.layout.first_row(factors.index(part.factor), own.index(part))

    def each_product(
        self, row: AffineExpr, write: Callable[[ContractionOp, AffineExpr], None]
    ) -> None:
        """Write code for the product that a row belongs to, and for its column there; rows between
        those of two states are as those before them.
        """
        scope = self.thread.scope
        low, high = self._limits(row)
        for parts, begin, end in self._spans():

            def below(parts: Sequence[_Begin] = parts) -> None:
                write(parts[0][0].product, self._column(row, parts))

            def inside(end: int = end, below: Callable[[], None] = below) -> None:
                scope.where_below(row, end, below)

            if begin <= high and low < end:
                scope.where_below(row * -1, 1 - begin, inside)

    def _limits(self, row: AffineExpr) -> tuple[int, int]:
        """Return the first and the last value of a row."""
        rows = self.thread.scope.interval(row)
        assert rows.low is not None
        assert rows.high is not None
        return rows.low, rows.high

    def _column(self, row: AffineExpr, parts: Sequence[_Begin]) -> AffineExpr:
        """Return the column of a product that a row is."""
        thread = self.thread
        low, high = self._limits(row)
        before = [each for each in parts if each[1] <= low]
        later = [each for each in parts if low < each[1] <= high]
        part, begin = before[-1] if before else parts[0]
        first, column = AffineExpr.constant(begin), AffineExpr.constant(part.first)
        if later:
            first, column = self._chosen(row, (part, begin), later)
        return thread.unit_index(thread.unit + (row - first)) + column

    def _chosen(
        self, row: AffineExpr, first: _Begin, later: Sequence[_Begin]
    ) -> tuple[AffineExpr, AffineExpr]:
        """Return the first row, and the first column, of the part that a row belongs to."""
        scope, b = self.thread.scope, self.thread.scope.b
        begin, column = (b.constant(n, IndexType()) for n in (first[1], first[0].first))
        at = scope.index_value(row)
        for part, own in later:
            here = b.compare("ge", at, b.constant(own, IndexType()))
            begin = b.select(here, b.constant(own, IndexType()), begin)
            column = b.select(here, b.constant(part.first, IndexType()), column)
        columns = max(part.first for part, _ in (first, *later))
        most = self.thread.layout.rows, columns
        made = (scope.dim(x, Interval(0, n)) for x, n in zip((begin, column), most, strict=True))
        begins, chosen = made
        return begins, chosen

    def _spans(self) -> Iterator[tuple[list[_Begin], int, int]]:
        """Yield the parts of each product, the first row of all of them, and that of the next."""
        parts = sorted(self.phase.parts, key=self.first_row)
        spans = [list(own) for _, own in groupby(parts, lambda part: part.product)]
        firsts = [*(self.first_row(own[0]) for own in spans), self.thread.layout.rows]
        for own, (begin, end) in zip(spans, pairwise(firsts), strict=True):
            yield [(part, self.first_row(part)) for part in own], begin, end
