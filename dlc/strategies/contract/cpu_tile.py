"""A tile of a contraction's result in the SIMD registers of a CPU."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import GemmLoop
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, buffer_shape
from dlc.dialects.loop.prefetch import PrefetchOp
from dlc.dialects.loop.vector import LoadVectorOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_bytes, element_type
from dlc.lowering.product import At, Product, points, split
from dlc.lowering.tile_scope import TileScope, open_loop
from dlc.strategies.contract.cpu_factors import Factor
from dlc.strategies.contract.register_tile import Reduction, RegisterTile

LINE_BYTES = 64
"""What a cache brings at a time."""


@dataclass(frozen=True)
class Inside:
    """What all tiles of a nest have in common: where they are written, and of what."""

    scope: TileScope
    product: Product
    tile: RegisterTile
    lhs: Factor
    rhs: SSAValue

    @property
    def packed_columns(self) -> int:
        """The columns of a block of the rhs."""
        return buffer_shape(self.rhs)[-1]

    @property
    def compute(self) -> Attribute:
        """The type of the sums."""
        return compute_type(element_type(self.product.op.results[0]))

    @cached_property
    def runs(self) -> list[list[GemmLoop]]:
        """The loops of the reduction, one list for each that is written."""
        return self.product.reduction_runs(buffer_shape(self.lhs.buffer))


@dataclass(frozen=True)
class Ahead:
    """What a tile asks for while it multiplies: its share of the rhs that the next iteration of a
    loop reads.

    loop: counts the iterations. tile: the number of the tile among the ``tiles`` of an iteration.
    """

    loop: SSAValue
    tile: AffineExpr
    tiles: int


@dataclass(frozen=True)
class Place:
    """Where a tile is.

    at: the values of the batch and outer row loops. inner: the row loop that the tile lies along,
    ``rows`` of it from ``row`` on. batch, block: of the packed rhs.
    """

    at: At
    inner: GemmLoop
    batch: AffineExpr
    block: AffineExpr
    row: AffineExpr
    rows: int
    columns: int


@dataclass
class TileBody:
    """One register tile. ahead: what it asks for, if anything."""

    inside: Inside
    place: Place
    ahead: Ahead | None = None
    buffer: SSAValue = field(init=False)

    def write(self) -> None:
        """Write the accumulation and the ops after it."""
        scope, tile, compute = self.inside.scope, self.inside.tile, self.inside.compute
        sizes = [points(run) for run in self.inside.runs]
        reduction = Reduction(sizes, self._load_lhs, self._load_rhs, ask=self._ask)
        totals = tile.sum_up(scope, self.place.rows, compute, reduction)
        space = SpaceAttr(Space.REGISTER)
        buffer = MemRefType(compute, [self.place.rows, tile.columns], memory_space=space)
        self.buffer = scope.b.insert(AllocOp(buffer))
        zero = AffineExpr.constant(0)
        tile.store(scope, totals, self.buffer, zero, zero)
        with scope.branch_level():
            open_loop(scope, self.place.rows, LoopMap.SERIAL, self._finish_row)

    def _load_lhs(self, row: int, at: Sequence[AffineExpr]) -> SSAValue:
        """Write the element of a row at a point of the reduction."""
        scope, lhs, product = self.inside.scope, self.inside.lhs, self.inside.product
        place = self.place
        places = [p for run, dim in zip(self.inside.runs, at, strict=True) for p in split(dim, run)]
        point = [*place.at, (place.inner, place.row + row), *places]
        index = product.lhs_index(product.dims(point))
        moved = [e - low for e, low in zip(index, lhs.origin, strict=True)]
        flat, values = scope.resolve(moved)
        return scope.b.insert(LoadOp(lhs.buffer, flat, values))

    def _load_rhs(self, number: int, at: Sequence[AffineExpr]) -> SSAValue:
        scope, lanes = self.inside.scope, self.inside.tile.lanes
        flat, values = scope.resolve(self._rhs_index(at, AffineExpr.constant(number * lanes)))
        return scope.b.insert(LoadVectorOp(self.inside.rhs, flat, values, lanes))

    def _ask(self, at: Sequence[AffineExpr]) -> None:
        """Ask for this tile's lines of a row of the next rhs."""
        ahead = self.ahead
        if ahead is None:
            return
        scope, element = self.inside.scope, element_bytes(self.inside.compute)
        lines = -(-self.inside.tile.columns * element // LINE_BYTES)
        for number in range(-(-lines // ahead.tiles)):
            line = (ahead.tile + number * ahead.tiles) % lines
            flat, values = scope.resolve(self._rhs_index(at, line * (LINE_BYTES // element)))
            scope.b.builder.insert(PrefetchOp(self.inside.rhs, flat, values, ahead.loop))

    def _rhs_index(self, at: Sequence[AffineExpr], column: AffineExpr) -> list[AffineExpr]:
        """Return the place of a column of the packed rhs at a point of the reduction."""
        k = AffineExpr.constant(0)
        for run, dim in zip(self.inside.runs, at, strict=True):
            k = k * points(run) + dim
        return [self.place.batch, self.place.block, k, column]

    def _finish_row(self, row: AffineExpr) -> None:
        map = LoopMap.VECTOR if self.place.columns > 1 else LoopMap.SERIAL
        open_loop(
            self.inside.scope, self.place.columns, map, lambda column: self._finish(row, column)
        )

    def _finish(self, row: AffineExpr, column: AffineExpr) -> None:
        """Write what the ops after the contraction make of one element, and store it."""
        inside, product = self.inside, self.inside.product
        n = self.place.block * inside.packed_columns + column
        point = [
            *self.place.at,
            (self.place.inner, self.place.row + row),
            *split(n, product.gemm.n),
        ]
        index = product.result_index(product.dims(point))
        inside.scope.store(index, lambda: self._load(row, column))

    def _load(self, row: AffineExpr, column: AffineExpr) -> SSAValue:
        scope = self.inside.scope
        flat, values = scope.resolve([row, column])
        return scope.b.insert(LoadOp(self.buffer, flat, values))
