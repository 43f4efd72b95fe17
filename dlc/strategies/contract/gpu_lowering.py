"""A contraction on a GPU: a tile of the result per block, slices of the factors through shared
memory.

The nest says what a block does: it stages a slice of both factors, adds their product to the
accumulator, slice by slice, and drains the accumulator through the ops after the contraction. The
numbers of the schedule stand on the ops; the passes of ``lower-to-gpu`` obey them.
"""

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import MemRefType, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.task_map import repeat, spatial
from dlc.dialects import gpu
from dlc.dialects.loop import CombinePartsOp, ContractOp, YieldOp, ZeroOp
from dlc.dialects.loop.spread import Spread, SpreadAttr
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.block_tiles import BlockTiles
from dlc.lowering.factor import Factor
from dlc.lowering.job import Job
from dlc.lowering.product import Product, split
from dlc.lowering.product_drain import drain
from dlc.lowering.row_totals import total_rows
from dlc.lowering.tile_scope import TileScope
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.schedule_keys import TENSOR
from dlc.strategies.contract.tile_order import TileOrder


def lower(job: Job, schedule: ContractOnGpu) -> None:
    """Write the kernel of a group with one contraction."""
    _Kernel(job, Product.of(job).joined(schedule.groups), schedule).write()


def _spread(schedule: ContractOnGpu) -> Spread:
    """Return which warpgroup, warp or thread has which parts of the accumulator."""
    (m, n, _), (down, across), least = schedule.tile, schedule.teams, schedule.least
    parts = repeat(m // down // least[0], n // across // least[1])
    teams, lanes = spatial(down, across) * parts, schedule.lanes
    map = teams * spatial(*lanes) if lanes != (1, 1) else teams
    return Spread(schedule.instruction, map, schedule.interleave)


@dataclass(frozen=True)
class _Place:
    """Which tile of which product of the batch, and which part of its sum.

    number: that of the tile, of all products.
    """

    number: AffineExpr
    batch: AffineExpr
    row: AffineExpr
    column: AffineExpr
    part: AffineExpr


@dataclass(frozen=True)
class _Kernel:
    """The nest of one contraction."""

    job: Job
    product: Product
    schedule: ContractOnGpu

    @cached_property
    def scope(self) -> TileScope:
        return TileScope(self.job, self.product.op.results[0])

    @cached_property
    def spread(self) -> Spread:
        """How the accumulator lies in registers."""
        return _spread(self.schedule)

    @property
    def tile_rows(self) -> int:
        return -(-self.product.gemm.m_size // self.schedule.tile[0])

    @property
    def tile_columns(self) -> int:
        return -(-self.product.gemm.n_size // self.schedule.tile[1])

    @property
    def slices(self) -> int:
        """The slices of one block."""
        slices = max(1, -(-self.product.gemm.k_size // self.schedule.depth))
        return -(-slices // self.schedule.split)

    @cached_property
    def tiles(self) -> int:
        """The tiles of all products of the batch."""
        return self.product.gemm.batch_size * self.tile_rows * self.tile_columns

    def write(self) -> None:
        """Write the loops over blocks and threads."""
        schedule = self.schedule
        self.job.threads, self.job.cluster = schedule.threads, schedule.cluster
        tiles = BlockTiles(self.tiles, schedule.threads, schedule.split, schedule.blocks)
        tiles.write(self.scope, self._place, self._write_tile)

    def _place(self, number: AffineExpr, part: AffineExpr) -> _Place:
        """Write where the tile of a number is."""
        order = TileOrder(self.tile_rows, self.tile_columns, self.schedule.grouped)
        of_batch = self.tile_rows * self.tile_columns
        row, column = order.place(self.scope, number % of_batch)
        return _Place(
            number,
            self.scope.named("batch", number // of_batch),
            self.scope.named("tile_row", row),
            self.scope.named("tile_column", column),
            part,
        )

    # Tiles ---------------------------------------------------------------------------------------

    def _write_tile(self, place: _Place) -> None:
        schedule, scope = self.schedule, self.scope
        compute = compute_type(element_type(self.product.op.results[0]))
        space = SpaceAttr(Space.REGISTER)
        accumulator = scope.b.insert(
            ZeroOp(MemRefType(compute, schedule.tile[:2], SpreadAttr(self.spread), space))
        )
        accumulator.name_hint = "accumulator"
        self._reduce(place, accumulator)
        if schedule.split == 1 or schedule.exchange:
            self._drain(place, accumulator)
        else:
            is_last = self._combine_parts(place, accumulator)
            scope.where(is_last, lambda: self._drain(place, accumulator))

    def _reduce(self, place: _Place, accumulator: SSAValue) -> None:
        """Write the loop over the block's slices."""
        schedule, scope = self.schedule, self.scope
        factors = [self._factor(number, place) for number in (0, 1)]
        loop = schedule.roles.slices(self.slices, schedule.stages, "slice")
        with scope.loop(loop) as slice:
            first = (place.part * self.slices + slice) * schedule.depth
            lhs, rhs = (factor.stage(first) for factor in factors)
            lhs.insert(scope, "lhs", loop)
            rhs.insert(scope, "rhs", loop)
            product = ContractOp(
                accumulator,
                (lhs.alloc.buffer, (), ()),
                (rhs.alloc.buffer, (), ()),
                transpose_lhs=not lhs.along_k,
                transpose_rhs=rhs.along_k,
                interleave=schedule.interleave if self._is_ordered(rhs.along_k) else 1,
                groups=schedule.groups,
            )
            scope.b.builder.insert(product)
            scope.b.builder.insert(YieldOp())

    def _factor(self, number: int, place: _Place) -> Factor:
        gemm, schedule = self.product.gemm, self.schedule
        tile, rows = (place.row, place.column)[number], schedule.tile[number]
        return Factor(
            self.scope,
            self.product,
            number,
            split(place.batch, gemm.batch),
            tile * rows,
            rows,
            schedule.depth,
            schedule.roles.bringing,
            is_whole=gemm.k_size == self.slices * schedule.split * schedule.depth,
            order=lambda row, along_k: (
                self.spread.column(row) if number and self._is_ordered(along_k) else row
            ),
            in_place=schedule.reads_shared,
            rounds=schedule.rounds_factors,
            tensor=schedule.copies == TENSOR,
        )

    def _is_ordered(self, along_k: bool) -> bool:
        """Return whether columns of the rhs are staged in the order of the instructions: threads
        that multiply for themselves read those of a line where they are.
        """
        return along_k or self.spread.row.spreads_fragments

    def _combine_parts(self, place: _Place, accumulator: SSAValue) -> SSAValue:
        """Write the exchange of partial sums; return whether this block has the whole sum."""
        schedule, scope = self.schedule, self.scope
        compute = compute_type(element_type(self.product.op.results[0]))
        sizes = [self.tiles, schedule.split, schedule.tile[0] * schedule.tile[1]]
        scratch = self.job.add_scratch(MemRefType(compute, sizes))
        counters = scope.b.insert(gpu.CounterAllocOp(MemRefType(i32, [self.tiles])))
        at = scope.index_value(place.number), scope.index_value(place.part)
        return scope.b.insert(CombinePartsOp(accumulator, scratch, *at, counters))

    def _drain(self, place: _Place, accumulator: SSAValue) -> None:
        schedule, (rows, columns, _) = self.schedule, self.schedule.tile
        batch = split(place.batch, self.product.gemm.batch)
        first = place.row * rows, place.column * columns
        in_cluster = schedule.row_blocks > 1
        total_rows(self.scope, self.product, batch, first, accumulator, in_cluster)
        parts = schedule.split if schedule.exchange else 1
        drain(self.scope, self.product, batch, first, accumulator, schedule.exchange, parts)
