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
from dataclasses import dataclass, field

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import GemmLoop
from dlc.core.affine import unflatten
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.dialects.loop.vector import LoadVectorOp, StoreVectorOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type, is_float
from dlc.lowering.job import Job
from dlc.lowering.packing import Packing
from dlc.lowering.product import At, Product, points, split
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import TileScope, open_loop
from dlc.strategies.contract.schedule import ContractOnCpu

PARALLEL_PIECES = 16
"""With fewer pieces of work for the cores than this, the tiles along the rows are pieces too."""


@dataclass(frozen=True)
class _Tile:
    """rows x columns of the result, in rows * vectors SIMD registers."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        """The columns of the tile."""
        return self.vectors * self.lanes


@dataclass(frozen=True)
class _Factor:
    """A buffer that holds a factor; its first element is the tensor's at ``origin``."""

    buffer: SSAValue
    origin: Sequence[int]


def lower(job: Job, schedule: ContractOnCpu) -> None:
    """Write the kernel of a group with one contraction."""
    product = Product.of(job)
    cores = LoopMap.CORES if schedule.cores else LoopMap.SERIAL
    tile = _register_tile(schedule, product)
    lhs = _stage_lhs(job, product, cores)
    rhs = _pack_rhs(job, product, tile, cores)
    whole, rest = divmod(points(product.gemm.n), tile.columns)
    if whole:
        _Nest(job, product, tile, cores, lhs, rhs).write(0, whole, tile.columns)
    if rest:
        tail = _Tile(tile.rows, -(-rest // tile.lanes), tile.lanes)
        _Nest(job, product, tail, cores, lhs, rhs).write(whole, 1, rest)


def _register_tile(schedule: ContractOnCpu, product: Product) -> _Tile:
    """Return the tile of the schedule, its rows evened out over the innermost row loop."""
    (rows, columns), lanes = schedule.tile, schedule.lanes
    row_loop = product.gemm.m[-1].size if product.gemm.m else 1
    tiles = -(-row_loop // rows)
    return _Tile(-(-row_loop // tiles), columns // lanes, lanes)


def _stage_lhs(job: Job, product: Product, cores: LoopMap) -> _Factor:
    """Return the lhs as a buffer without padding conditions, written first where there is none."""
    op = product.op
    lhs = op.operands[0]
    buffer = job.buffers.get(lhs)
    intervals = product.lhs_intervals()
    if buffer is not None and not op.lhs_guard:
        return _Factor(buffer, [0] * len(intervals))
    origin = [0 if i.low is None else i.low for i in intervals]
    sizes = [1 + (i.high or 0) - low for i, low in zip(intervals, origin, strict=True)]
    staged = job.add_scratch(MemRefType(compute_type(element_type(lhs)), sizes))
    scope = LoopScope(job.builder, job.buffers)

    def write(outer: AffineExpr) -> None:
        def write_row(inner: AffineExpr) -> None:
            at = [*unflatten(outer, sizes[:-1]), inner]
            moved = [e + low for e, low in zip(at, origin, strict=True)]
            value = scope.read(lhs, moved, guard=op.lhs_guard)
            flat, values = scope.resolve(at)
            scope.b.builder.insert(StoreOp(value, staged, flat, values))

        open_loop(scope, sizes[-1], LoopMap.VECTOR, write_row)

    outer = 1
    for size in sizes[:-1]:
        outer *= size
    open_loop(scope, outer, cores, write)
    return _Factor(staged, origin)


def _pack_rhs(job: Job, product: Product, tile: _Tile, cores: LoopMap) -> SSAValue:
    """Return the rhs as ``[batch][column block][k][column]``."""
    packing = Packing(product, tile.columns)
    rhs = product.op.operands[1]
    if rhs in job.weights and packing.is_permutation:
        return job.repack(rhs, packing.shape, packing.pack)
    element = compute_type(element_type(rhs))
    packed = job.add_scratch(MemRefType(element, packing.shape))
    scope = LoopScope(job.builder, job.buffers)
    batch, _, depth, columns = packing.shape
    total = points(product.gemm.n)

    def write_block(first: int, count: int, width: int) -> None:
        def write(outer: AffineExpr) -> None:
            def write_row(column: AffineExpr) -> None:
                b, block, k = unflatten(outer, [batch, count, depth])
                n = (block + first) * columns + column
                gemm = product.gemm
                at = [*split(b, gemm.batch), *split(n, gemm.n), *split(k, gemm.k)]
                value = scope.read(rhs, product.rhs_index(product.dims(at)))
                flat, values = scope.resolve([b, block + first, k, column])
                scope.b.builder.insert(StoreOp(value, packed, flat, values))

            open_loop(scope, width, LoopMap.VECTOR, write_row)

        open_loop(scope, batch * count * depth, cores, write)

    whole, rest = divmod(total, columns)
    if whole:
        write_block(0, whole, columns)
    if rest:
        write_block(whole, 1, rest)
    return packed


class _Nest:
    """The loops over the tiles of some column blocks."""

    def __init__(
        self,
        job: Job,
        product: Product,
        tile: _Tile,
        cores: LoopMap,
        lhs: _Factor,
        rhs: SSAValue,
    ):
        self.job = job
        self.product = product
        self.tile = tile
        self.cores = cores
        self.lhs = lhs
        self.rhs = rhs
        self.scope = TileScope(job, product.op.results[0])
        self.packed_columns = _buffer_shape(rhs)[-1]
        self.compute = compute_type(element_type(product.op.results[0]))

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
            body = _Body(self, at, inner, batch, block + first, row, rows, columns)
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


@dataclass
class _Body:
    """One register tile.

    at: the values of the batch and outer row loops. inner: the row loop that the tile lies along,
    from ``row`` on.
    """

    nest: _Nest
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
        scope, tile = self.nest.scope, self.nest.tile
        zero = scope.b.constant(0, self.nest.compute)
        type = VectorType(self.nest.compute, [tile.lanes])
        start = scope.b.insert(vector.BroadcastOp(zero, type))
        runs = self.nest.product.reduction_runs(_buffer_shape(self.nest.lhs.buffer))
        totals = self._reduce(runs, [], [start] * (self.rows * tile.vectors))
        buffer = MemRefType(
            self.nest.compute, [self.rows, tile.columns], memory_space=SpaceAttr(Space.REGISTER)
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
        scope = self.nest.scope
        loop = ForOp(0, points(runs[0]), kind=LoopKind.REDUCTION, iter_args=totals)
        with scope.loop(loop) as dim:
            inner = self._reduce(runs[1:], [*outer, dim], loop.carried_arguments)
            scope.b.builder.insert(YieldOp(*inner))
        return loop.results

    def _step(self, at: Sequence[AffineExpr], totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Write one step of the reduction: a column of the lhs times a row of the rhs."""
        scope, tile, lhs = self.nest.scope, self.nest.tile, self.nest.lhs
        runs = self.nest.product.reduction_runs(_buffer_shape(lhs.buffer))
        k = AffineExpr.constant(0)
        inner: list[tuple[GemmLoop, AffineExpr]] = []
        for run, dim in zip(runs, at, strict=True):
            k = k * points(run) + dim
            inner += split(dim, run)
        row_of_rhs = [self._load_rhs(k, number) for number in range(tile.vectors)]
        result: list[SSAValue] = []
        spread_type = VectorType(self.nest.compute, [tile.lanes])
        for row in range(self.rows):
            place = [*self.at, (self.inner, self.row + row), *inner]
            index = self.nest.product.lhs_index(self.nest.product.dims(place))
            moved = [e - low for e, low in zip(index, lhs.origin, strict=True)]
            flat, values = scope.resolve(moved)
            element = scope.b.insert(LoadOp(lhs.buffer, flat, values))
            spread = scope.b.insert(vector.BroadcastOp(element, spread_type))
            for number, column in enumerate(row_of_rhs):
                total = totals[row * tile.vectors + number]
                result.append(_multiply_add(scope, spread, column, total))
        return result

    def _load_rhs(self, k: AffineExpr, number: int) -> SSAValue:
        scope, lanes = self.nest.scope, self.nest.tile.lanes
        column = AffineExpr.constant(number * lanes)
        flat, values = scope.resolve([self.batch, self.block, k, column])
        return scope.b.insert(LoadVectorOp(self.nest.rhs, flat, values, lanes))

    def _finish_row(self, row: AffineExpr) -> None:
        map = LoopMap.VECTOR if self.columns > 1 else LoopMap.SERIAL
        open_loop(self.nest.scope, self.columns, map, lambda column: self._finish(row, column))

    def _finish(self, row: AffineExpr, column: AffineExpr) -> None:
        """Write what the ops after the contraction make of one element, and store it."""
        nest, product = self.nest, self.nest.product
        n = self.block * nest.packed_columns + column
        place = [*self.at, (self.inner, self.row + row), *split(n, product.gemm.n)]
        index = product.result_index(product.dims(place))
        nest.scope.store(index, lambda: self._load(row, column))

    def _load(self, row: AffineExpr, column: AffineExpr) -> SSAValue:
        scope = self.nest.scope
        flat, values = scope.resolve([row, column])
        return scope.b.insert(LoadOp(self.buffer, flat, values))


def _multiply_add(scope: LoopScope, x: SSAValue, y: SSAValue, total: SSAValue) -> SSAValue:
    assert isinstance(total.type, VectorType)
    if is_float(total.type.element_type):
        return scope.b.insert(vector.FMAOp(x, y, total))
    return scope.b.insert(arith.AddiOp(scope.b.insert(arith.MuliOp(x, y)), total))


def _buffer_shape(buffer: SSAValue) -> tuple[int, ...]:
    assert isinstance(buffer.type, MemRefType)
    return tuple(buffer.type.get_shape())
