"""Which tile of a product is number ``n``: the order in which blocks take tiles."""

from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import extent
from dlc.lowering.scope import LoopScope


@dataclass(frozen=True)
class TileOrder:
    """rows, columns: of tiles. grouped: so many rows of them are walked through together, column by
    column, so that blocks that run at the same time share tiles of both factors; 0 for row by row.
    The last group has the rows that are left.
    """

    rows: int
    columns: int
    grouped: int

    def place(self, scope: LoopScope, number: AffineExpr) -> tuple[AffineExpr, AffineExpr]:
        """Write the row and the column of the tile of a number, below ``rows * columns``."""
        group = min(self.grouped, self.rows)
        if not group or self.columns == 1:
            return number // self.columns, number % self.columns
        rest = self.rows % group
        first = (self.rows - rest) * self.columns  # of the last group
        many = number // (group * self.columns) * group + number % group
        place = many, number % (group * self.columns) // group
        if not rest:
            return place
        number = number - first
        last = self.rows - rest + number % rest, number // rest
        b = scope.b
        before = b.compare("lt", scope.index_value(number), b.constant(0, IndexType()))

        def chosen(x: AffineExpr, y: AffineExpr, size: int) -> AffineExpr:
            value = b.select(before, scope.index_value(x), scope.index_value(y))
            # For who asks what the value may be: whole groups would have more rows.
            value = b.minimum(value, b.constant(size - 1, IndexType()))
            return scope.dim(value, extent(size))

        return chosen(place[0], last[0], self.rows), chosen(place[1], last[1], self.columns)
