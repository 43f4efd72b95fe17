"""A contraction on a CPU: register tiles of rows by SIMD vectors of columns.

1. An lhs that is padded, or computed by ops before the contraction, is written to a buffer once, so
   that the kernel inside reads it without conditions.
2. The rhs is packed as ``[batch][column block][k][columns of a block]``: at compile time for a
   weight, at the beginning of the kernel for another tensor.
3. Each tile accumulates in registers over the whole reduction: one broadcast lhs element times a
   row of the packed rhs per step.
4. The tile goes through a small buffer to the ops after the contraction, which write the results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.analysis.contraction import GemmLoop
from dlc.core.affine import unflatten
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.job import Job
from dlc.lowering.product import Product, points, split
from dlc.lowering.tile_scope import TileScope, open_loop
from dlc.strategies.contract.cpu_factors import pack_rhs, stage_lhs
from dlc.strategies.contract.cpu_schedule import ContractOnCpu
from dlc.strategies.contract.cpu_tile import Ahead, Inside, Place, TileBody
from dlc.strategies.contract.register_tile import RegisterTile

PARALLEL_PIECES = 16
"""With fewer pieces of work for the cores than this, the tiles along the rows are pieces too."""


def lower(job: Job, schedule: ContractOnCpu) -> None:
    """Write the kernel of a group with one contraction."""
    product = Product.of(job)
    cores = LoopMap.CORES if schedule.cores else LoopMap.SERIAL
    tile = _register_tile(schedule, product)
    lhs = stage_lhs(job, product, cores)
    rhs = pack_rhs(job, product, tile.columns, cores)
    whole, rest = divmod(points(product.gemm.n), tile.columns)
    root = product.op.results[0]
    if whole:
        inside = Inside(TileScope(job, root), product, tile, lhs, rhs)
        _Nest(inside, schedule, 0, whole, tile.columns).write()
    if rest:
        last = RegisterTile(tile.rows, -(-rest // tile.lanes), tile.lanes)
        inside = Inside(TileScope(job, root), product, last, lhs, rhs)
        _Nest(inside, replace(schedule, ahead=False), whole, 1, rest).write()


def _register_tile(schedule: ContractOnCpu, product: Product) -> RegisterTile:
    """Return the tile of the schedule, its rows evened out over the innermost row loop."""
    (rows, columns), lanes = schedule.tile, schedule.lanes
    row_loop = product.gemm.m[-1].size if product.gemm.m else 1
    tiles = -(-row_loop // rows)
    return RegisterTile(-(-row_loop // tiles), columns // lanes, lanes)


@dataclass(frozen=True)
class _Band:
    """Rows of the result: ``groups`` times ``tiles`` tiles below each other from the tile number
    ``first`` on, and at the end ``rest`` rows.
    """

    first: int
    groups: int
    tiles: int
    rest: int

    @property
    def pieces(self) -> int:
        """The tiles of a group, with that of the rest."""
        return self.tiles + (self.rest > 0)


def _bands(size: int, tile_rows: int, most_rows: int) -> Sequence[_Band]:
    """Cut a row loop into groups of at most ``most_rows`` rows each, 0 for any number."""
    tiles, rest = divmod(size, tile_rows)
    most = most_rows // tile_rows
    if not 0 < most < tiles:
        return [_Band(0, 1, tiles, rest)]
    together = -(-tiles // -(-tiles // most))
    groups, left = divmod(tiles, together)
    last = [_Band(groups * together, 1, left, rest)] if left or rest else []
    return [_Band(0, groups, together, 0), *last]


class _Nest:
    """The loops over the tiles of ``blocks`` column blocks from number ``first`` on; each has
    ``columns`` columns.
    """

    def __init__(
        self, inside: Inside, schedule: ContractOnCpu, first: int, blocks: int, columns: int
    ):
        self.inside = inside
        self.scope = inside.scope
        self.schedule = schedule
        self.first = first
        self.blocks = blocks
        self.columns = columns
        *self.outer, self.inner = inside.product.gemm.m or (GemmLoop(0, 1),)

    def write(self) -> None:
        """Write the tiles, a band after the other."""
        for band in _bands(self.inner.size, self.inside.tile.rows, self.schedule.rows):
            self._write_band(band)

    def _write_band(self, band: _Band) -> None:
        outer = points(self.outer)
        pieces = [self.inside.product.gemm.batch_size, band.groups, self.blocks, outer]
        if prod(pieces) < PARALLEL_PIECES and band.tiles > 1:
            self._over_cores([*pieces, band.tiles], lambda at, _: self._tile(band, at[:4], at[4]))
            if band.rest:
                self._over_cores(pieces, lambda at, _: self._rest(band, at))
        else:
            self._over_cores(pieces, lambda at, loop: self._group(band, at, loop))

    def _group(self, band: _Band, piece: Sequence[AffineExpr], loop: SSAValue | None) -> None:
        """Write the tiles of a group, one below the other."""
        if not self.schedule.ahead or band.pieces == 1:
            loop = None  # nothing else comes between the columns and the next ones
        if band.tiles:
            open_loop(
                self.scope,
                band.tiles,
                LoopMap.SERIAL,
                lambda tile: self._tile(band, piece, tile, loop),
            )
        if band.rest:
            self._rest(band, piece, loop)

    def _tile(
        self,
        band: _Band,
        piece: Sequence[AffineExpr],
        tile: AffineExpr,
        loop: SSAValue | None = None,
        rows: int = 0,
    ) -> None:
        """Write a tile of a group.

        piece: batch, group, column block, outer rows. loop: of which the next iteration has other
        columns.
        """
        batch, group, block, m = piece
        inside, gemm = self.inside, self.inside.product.gemm
        at = [*split(batch, gemm.batch), *split(m, self.outer)]
        row = (group * band.tiles + band.first + tile) * inside.tile.rows
        ahead = None if loop is None else Ahead(loop, tile, band.pieces)
        block += self.first
        place = Place(at, self.inner, batch, block, row, rows or inside.tile.rows, self.columns)
        TileBody(inside, place, ahead).write()

    def _rest(self, band: _Band, piece: Sequence[AffineExpr], loop: SSAValue | None = None) -> None:
        """Write the rows below the last whole tile."""
        self._tile(band, piece, AffineExpr.constant(band.tiles), loop, band.rest)

    def _over_cores(
        self,
        sizes: Sequence[int],
        write: Callable[[Sequence[AffineExpr], SSAValue | None], None],
    ) -> None:
        """Spread pieces over the cores; ``write`` gets a piece and what counts them."""
        cores = LoopMap.CORES if self.schedule.cores else LoopMap.SERIAL

        def write_piece(flat: AffineExpr) -> None:
            exprs, values = self.scope.resolve([flat])
            loop = values[exprs[0].position] if isinstance(exprs[0], AffineDimExpr) else None
            write(unflatten(flat, sizes), loop)

        open_loop(self.scope, prod(sizes), cores, write_piece)
