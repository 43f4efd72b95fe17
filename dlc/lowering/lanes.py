"""Reductions in SIMD lanes (CPU): one accumulator per lane, in a local array.

The lanes run in the innermost loop and the reduction around it, so that the compiler keeps the
accumulators in vector registers whatever the reduction combines.
"""

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.core.affine import linear_index, unflatten, uses_symbols
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope

MOST_LANES = 256
"""Lanes that share one local array: 16 registers of 16 floats, half of what AVX-512 has."""

ROW_LANES = (64, 16)
"""Lanes of a reduction to one value; 64 are 4 registers, which hide the latency of an addition."""

MOST_RUNS = 16
"""Short runs of lanes that are unrolled: half of the registers, one for each run."""

LEAST_PERIOD = 4
"""Shorter runs do not fill a SIMD register of any processor."""

MOST_UNEVEN_LANES = 4096
"""Lanes of an axis that has no useful divisor: their accumulators still fit the first cache."""

Values = Sequence[SSAValue]


def lane_loops(
    scope: LoopScope, sizes: Sequence[int], write: Callable[[Index], None], outer: Index = ()
) -> None:
    """Write loops over lanes, the last SIMD and the others unrolled, and a lane into the innermost.

    sizes: of the axes along which the lanes are numbered.
    """
    map = LoopMap.VECTOR if len(sizes) == 1 else LoopMap.UNROLL

    def write_inside(dim: AffineExpr) -> None:
        if len(sizes) == 1:
            write([*outer, dim])
        else:
            lane_loops(scope, sizes[1:], write, [*outer, dim])

    scope.parallel_loop(sizes[0], map, write_inside)


class Accumulators:
    """The accumulators of ``op`` for each lane; at first those of nothing.

    sizes: of the axes along which the lanes are numbered.
    """

    def __init__(self, scope: LoopScope, op: ReductionOp, sizes: Sequence[int]):
        self._scope = scope
        self._op = op
        self.sizes = sizes
        start = op.identity(scope.b)
        space = SpaceAttr(Space.REGISTER)
        self._buffers = [
            scope.b.insert(AllocOp(MemRefType(value.type, [prod(sizes)], memory_space=space)))
            for value in start
        ]
        lane_loops(scope, sizes, lambda lane: self.set(lane, start))

    def get(self, lane: Index) -> Values:
        """Return the accumulators of a lane."""
        exprs, dims = self._scope.resolve([linear_index(lane, self.sizes)])
        return [self._scope.b.insert(LoadOp(buffer, exprs, dims)) for buffer in self._buffers]

    def set(self, lane: Index, values: Values) -> None:
        """Give a lane other accumulators."""
        exprs, dims = self._scope.resolve([linear_index(lane, self.sizes)])
        for value, buffer in zip(values, self._buffers, strict=True):
            self._scope.b.builder.insert(StoreOp(value, buffer, exprs, dims))

    def add(self, sizes: Sequence[int], parts: Callable[[Index], Values]) -> None:
        """Combine ``parts(lane)`` into the accumulators of each of the first lanes."""
        b = self._scope.b
        lane_loops(
            self._scope,
            sizes,
            lambda lane: self.set(lane, self._op.combine(b, self.get(lane), parts(lane))),
        )

    def fold(self) -> Values:
        """Return the combination of all lanes, which are a power of two along one axis."""
        (lanes,) = self.sizes
        while lanes > 1:
            lanes //= 2
            self.add([lanes], lambda lane, distance=lanes: self.get([lane[0] + distance]))
        return self.get([AffineExpr.constant(0)])


def reduction_loops(
    scope: LoopScope,
    sizes: Sequence[int],
    write: Callable[[Index], None],
    map: LoopMap = LoopMap.SERIAL,
    outer: Index = (),
) -> None:
    """Write a loop per size of a reduction, and the body with their dims into the innermost."""
    if not sizes:
        write(outer)
        return
    loop = ForOp(0, sizes[0], kind=LoopKind.REDUCTION, map=map)
    with scope.loop(loop) as dim:
        reduction_loops(scope, sizes[1:], write, map, [*outer, dim])
        scope.b.builder.insert(YieldOp())


class LaneReducer:
    """Reduces for all lanes of a nest of lane loops at once, before that nest; a ``Reducer``."""

    def __init__(self) -> None:
        self._lane: list[AffineDimExpr] = []
        self._sizes: Sequence[int] = ()
        self._depth = 0
        self._innermost: object = None

    def enter(self, scope: LoopScope, lane: Index, sizes: Sequence[int]) -> None:
        """Say that ``scope`` has just opened the lane loops, of these sizes."""
        self._lane = [dim for dim in lane if isinstance(dim, AffineDimExpr)]
        self._sizes, self._depth, self._innermost = sizes, scope.depth, scope.innermost

    def __call__(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values | None:
        lane, sizes = self._lane, self._sizes
        if not lane or scope.innermost is not self._innermost or any(map(uses_symbols, index)):
            return None

        def at(other: Index) -> list[AffineExpr]:
            dims = [AffineExpr.dimension(i) for i in range(lane[-1].position + 1)]
            for old, new in zip(lane, other, strict=True):
                dims[old.position] = new
            return [e.replace_dims_and_symbols(dims, ()) for e in index]

        self._lane = []  # reductions inside this one are serial
        with scope.outside(self._depth - len(lane)):
            sums = Accumulators(scope, op, sizes)
            self.reduce_lanes(scope, op, at, sums)
        self._lane = lane
        return sums.get(lane)

    def reduce_lanes(
        self, scope: LoopScope, op: ReductionOp, at: Callable[[Index], Index], sums: Accumulators
    ) -> None:
        """Write the reduction of all lanes. at: the index of a lane's result."""
        reduction_loops(
            scope,
            op.domain.reduction,
            lambda point: sums.add(
                sums.sizes, lambda lane: op.contribution(scope, at(lane), point)
            ),
        )


def reduce_row(scope: LoopScope, op: ReductionOp, index: Index) -> Values | None:
    """Reduce to one value with many accumulators; a ``Reducer``."""
    sizes = op.domain.reduction
    length = prod(sizes)
    lanes = next((n for n in ROW_LANES if length >= 2 * n), None)
    if lanes is None:
        return None

    def parts(position: AffineExpr) -> Values:
        return op.contribution(scope, index, unflatten(position, sizes))

    return reduce_line(scope, op, lanes, length, parts)


def reduce_line(
    scope: LoopScope,
    op: ReductionOp,
    lanes: int,
    length: int,
    parts: Callable[[AffineExpr], Values],
    last: AffineExpr | None = None,
) -> Values:
    """Reduce what ``parts`` writes for each position of a line, with an accumulator per lane.

    last: where it is given, positions after it may be left out.
    """
    sums = Accumulators(scope, op, [lanes])
    rounds, rest = divmod(length, lanes)
    until = None if last is None else scope.count_until(last, lanes, rounds)
    loop = ForOp(0, rounds, kind=LoopKind.REDUCTION, until=until)
    with scope.loop(loop) as at:
        sums.add([lanes], lambda lane: parts(at * lanes + lane[0]))
        scope.b.builder.insert(YieldOp())

    if rest:
        first = AffineExpr.constant(rounds * lanes)
        behind = AffineExpr.constant(0) if last is None else first - last
        add = lambda lane: parts(lane[0] + first)
        scope.where_below(behind, 1, lambda: sums.add([rest], add))
    return sums.fold()


def lane_sizes(size: int, period: int) -> list[int]:
    """Return the sizes of lane loops that an axis is best cut into; their product divides ``size``.

    period: if not small, the code is regular only along ``period`` neighbours (the channels of a
    group of a convolution), which are then the SIMD lanes, with several such runs unrolled around
    them.
    """
    if period >= LEAST_PERIOD and size % period == 0 and size > period:
        if period > MOST_LANES:
            return lane_sizes(period, 1)
        most = min(MOST_RUNS, MOST_LANES // period)
        runs = [n for n in range(1, most + 1) if size // period % n == 0]
        return [max(runs), period]
    if size <= MOST_LANES:
        return [size]
    divisors = [n for n in range(16, MOST_LANES + 1) if size % n == 0]
    fallback = size if size <= MOST_UNEVEN_LANES else 1
    return [max(divisors, key=lambda n: (n % 16 == 0, n), default=fallback)]
