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

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import GemmLoop
from dlc.core.affine import unflatten
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.job import Job
from dlc.lowering.product import Product, points, split
from dlc.lowering.tile_scope import TileScope, open_loop
from dlc.strategies.contract.cpu_factors import Factor, pack_rhs, stage_lhs
from dlc.strategies.contract.cpu_tile import Inside, TileBody
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.contract.schedule import ContractOnCpu

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
    if whole:
        _Nest(job, product, tile, cores, lhs, rhs).write(0, whole, tile.columns)
    if rest:
        tail = RegisterTile(tile.rows, -(-rest // tile.lanes), tile.lanes)
        _Nest(job, product, tail, cores, lhs, rhs).write(whole, 1, rest)


def _register_tile(schedule: ContractOnCpu, product: Product) -> RegisterTile:
    """Return the tile of the schedule, its rows evened out over the innermost row loop."""
    (rows, columns), lanes = schedule.tile, schedule.lanes
    row_loop = product.gemm.m[-1].size if product.gemm.m else 1
    tiles = -(-row_loop // rows)
    return RegisterTile(-(-row_loop // tiles), columns // lanes, lanes)


class _Nest:
    """The loops over the tiles of some column blocks."""

    def __init__(
        self,
        job: Job,
        product: Product,
        tile: RegisterTile,
        cores: LoopMap,
        lhs: Factor,
        rhs: SSAValue,
    ):
        self.product = product
        self.tile = tile
        self.cores = cores
        self.scope = TileScope(job, product.op.results[0])
        self.inside = Inside(self.scope, product, tile, lhs, rhs)

    def write(self, first: int, blocks: int, columns: int) -> None:
        """Write the tiles of ``blocks`` column blocks from number ``first`` on; each has
        ``columns`` columns.
        """
        gemm = self.product.gemm
        *outer, inner = gemm.m or (GemmLoop(0, 1),)
        tiles, rest = divmod(inner.size, self.tile.rows)
        pieces = [gemm.batch_size, blocks, points(outer)]
        split_rows = pieces[0] * pieces[1] * pieces[2] < PARALLEL_PIECES

        def write_tile(piece: Sequence[AffineExpr], row: AffineExpr, rows: int) -> None:
            batch, block, m = piece
            at = [*split(batch, gemm.batch), *split(m, outer)]
            body = TileBody(self.inside, at, inner, batch, block + first, row, rows, columns)
            body.write()

        def write_rows(piece: Sequence[AffineExpr]) -> None:
            open_loop(
                self.scope,
                tiles,
                LoopMap.SERIAL,
                lambda t: write_tile(piece, t * self.tile.rows, self.tile.rows),
            )
            if rest:
                last = AffineExpr.constant(tiles * self.tile.rows)
                write_tile(piece, last, rest)

        if split_rows and tiles > 1:
            sizes = [*pieces, tiles]
            self._over_cores(
                sizes, lambda at: write_tile(at[:3], at[3] * self.tile.rows, self.tile.rows)
            )
            if rest:
                last = AffineExpr.constant(tiles * self.tile.rows)
                self._over_cores(pieces, lambda at: write_tile(at, last, rest))
        else:
            self._over_cores(pieces, write_rows)

    def _over_cores(
        self, sizes: Sequence[int], write: Callable[[Sequence[AffineExpr]], None]
    ) -> None:
        total = 1
        for size in sizes:
            total *= size
        open_loop(self.scope, total, self.cores, lambda flat: write(unflatten(flat, sizes)))
