"""A tile of a contraction's result in the SIMD registers of a CPU."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import GemmLoop
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, buffer_shape
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.dialects.loop.vector import LoadVectorOp, StoreVectorOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type, is_float
from dlc.lowering.product import At, Product, points, split
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import TileScope, open_loop
from dlc.strategies.contract.cpu_factors import Factor


@dataclass(frozen=True)
class RegisterTile:
    """rows x columns of the result, in rows * vectors SIMD registers."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        """The columns of the tile."""
        return self.vectors * self.lanes


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


@dataclass
class TileBody:
    """One register tile.

    at: the values of the batch and outer row loops. inner: the row loop that the tile lies along,
    from ``row`` on.
    """

    inside: Inside
    at: At
    inner: GemmLoop
    batch: AffineExpr
    block: AffineExpr
    row: AffineExpr
    rows: int
    columns: int
    buffer: SSAValue = field(init=False)

    def write(self) -> None:
        """Write the accumulation and the ops after it."""
        scope, tile = self.inside.scope, self.inside.tile
        zero = scope.b.constant(0, self.inside.compute)
        type = VectorType(self.inside.compute, [tile.lanes])
        start = scope.b.insert(vector.BroadcastOp(zero, type))
        runs = self.inside.product.reduction_runs(buffer_shape(self.inside.lhs.buffer))
        totals = self._reduce(runs, [], [start] * (self.rows * tile.vectors))
        buffer = MemRefType(
            self.inside.compute, [self.rows, tile.columns], memory_space=SpaceAttr(Space.REGISTER)
        )
        self.buffer = scope.b.insert(AllocOp(buffer))
        for number, total in enumerate(totals):
            row, lane = divmod(number, tile.vectors)
            exprs = [AffineExpr.constant(row), AffineExpr.constant(lane * tile.lanes)]
            scope.b.builder.insert(StoreVectorOp(total, self.buffer, exprs, []))
        with scope.branch_level():
            open_loop(scope, self.rows, LoopMap.SERIAL, self._finish_row)

    def _reduce(
        self,
        runs: Sequence[Sequence[GemmLoop]],
        outer: Sequence[AffineExpr],
        totals: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """Loop over the runs of the reduction that are left; return the accumulators."""
        if not runs:
            return self._step(outer, totals)
        scope = self.inside.scope
        loop = ForOp(0, points(runs[0]), kind=LoopKind.REDUCTION, iter_args=totals)
        with scope.loop(loop) as dim:
            inner = self._reduce(runs[1:], [*outer, dim], loop.carried_arguments)
            scope.b.builder.insert(YieldOp(*inner))
        return loop.results

    def _step(self, at: Sequence[AffineExpr], totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Write one step of the reduction: a column of the lhs times a row of the rhs."""
        scope, tile, lhs = self.inside.scope, self.inside.tile, self.inside.lhs
        runs = self.inside.product.reduction_runs(buffer_shape(lhs.buffer))
        k = AffineExpr.constant(0)
        inner: list[tuple[GemmLoop, AffineExpr]] = []
        for run, dim in zip(runs, at, strict=True):
            k = k * points(run) + dim
            inner += split(dim, run)
        row_of_rhs = [self._load_rhs(k, number) for number in range(tile.vectors)]
        result: list[SSAValue] = []
        spread_type = VectorType(self.inside.compute, [tile.lanes])
        for row in range(self.rows):
            place = [*self.at, (self.inner, self.row + row), *inner]
            index = self.inside.product.lhs_index(self.inside.product.dims(place))
            moved = [e - low for e, low in zip(index, lhs.origin, strict=True)]
            flat, values = scope.resolve(moved)
            element = scope.b.insert(LoadOp(lhs.buffer, flat, values))
            spread = scope.b.insert(vector.BroadcastOp(element, spread_type))
            for number, column in enumerate(row_of_rhs):
                total = totals[row * tile.vectors + number]
                result.append(_multiply_add(scope, spread, column, total))
        return result

    def _load_rhs(self, k: AffineExpr, number: int) -> SSAValue:
        scope, lanes = self.inside.scope, self.inside.tile.lanes
        column = AffineExpr.constant(number * lanes)
        flat, values = scope.resolve([self.batch, self.block, k, column])
        return scope.b.insert(LoadVectorOp(self.inside.rhs, flat, values, lanes))

    def _finish_row(self, row: AffineExpr) -> None:
        map = LoopMap.VECTOR if self.columns > 1 else LoopMap.SERIAL
        open_loop(self.inside.scope, self.columns, map, lambda column: self._finish(row, column))

    def _finish(self, row: AffineExpr, column: AffineExpr) -> None:
        """Write what the ops after the contraction make of one element, and store it."""
        inside, product = self.inside, self.inside.product
        n = self.block * inside.packed_columns + column
        place = [*self.at, (self.inner, self.row + row), *split(n, product.gemm.n)]
        index = product.result_index(product.dims(place))
        inside.scope.store(index, lambda: self._load(row, column))

    def _load(self, row: AffineExpr, column: AffineExpr) -> SSAValue:
        scope = self.inside.scope
        flat, values = scope.resolve([row, column])
        return scope.b.insert(LoadOp(self.buffer, flat, values))


def _multiply_add(scope: LoopScope, x: SSAValue, y: SSAValue, total: SSAValue) -> SSAValue:
    assert isinstance(total.type, VectorType)
    if is_float(total.type.element_type):
        return scope.b.insert(vector.FMAOp(x, y, total))
    return scope.b.insert(arith.AddiOp(scope.b.insert(arith.MuliOp(x, y)), total))
