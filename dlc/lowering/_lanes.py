"""Reductions in SIMD lanes (CPU): one accumulator per lane, in a local array.

The lanes run in the innermost loop and the reduction around it, so that the compiler keeps the
accumulators in vector registers whatever the reduction combines.
"""

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.core.affine import unflatten, uses_symbols
from dlc.dialects._space import Space, SpaceAttr
from dlc.dialects.graph._structure import Index, ReductionOp
from dlc.dialects.loop._attributes import LoopKind, LoopMap
from dlc.dialects.loop._memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop._structure import ForOp, YieldOp
from dlc.lowering._scope import LoopScope

MOST_LANES = 256
"""Lanes that share one local array: 16 registers of 16 floats, half of what AVX-512 has."""

ROW_LANES = (64, 16)
"""Lanes of a reduction to one value; 64 are 4 registers, which hide the latency of an addition."""

Values = Sequence[SSAValue]


class Accumulators:
    """The accumulators of ``op`` for each of ``lanes`` lanes; at first those of nothing."""

    def __init__(self, scope: LoopScope, op: ReductionOp, lanes: int):
        self._scope = scope
        self._op = op
        start = op.identity(scope.b)
        space = SpaceAttr(Space.REGISTER)
        self._buffers = [
            scope.b.insert(AllocOp(MemRefType(value.type, [lanes], memory_space=space)))
            for value in start
        ]
        self._for_lanes(lanes, lambda lane: self._set(lane, start))

    def _for_lanes(self, lanes: int, write: Callable[[AffineExpr], None]) -> None:
        self._scope.parallel_loop(lanes, LoopMap.VECTOR, write)

    def get(self, lane: AffineExpr) -> Values:
        """Return the accumulators of a lane."""
        exprs, dims = self._scope.resolve([lane])
        return [self._scope.b.insert(LoadOp(buffer, exprs, dims)) for buffer in self._buffers]

    def _set(self, lane: AffineExpr, values: Values) -> None:
        exprs, dims = self._scope.resolve([lane])
        for value, buffer in zip(values, self._buffers, strict=True):
            self._scope.b.builder.insert(StoreOp(value, buffer, exprs, dims))

    def add(self, lanes: int, parts: Callable[[AffineExpr], Values]) -> None:
        """Combine ``parts(lane)`` into the accumulators of each of the first ``lanes`` lanes."""
        b = self._scope.b
        self._for_lanes(
            lanes, lambda lane: self._set(lane, self._op.combine(b, self.get(lane), parts(lane)))
        )

    def fold(self, lanes: int) -> Values:
        """Return the combination of the first ``lanes`` lanes, a power of two."""
        while lanes > 1:
            lanes //= 2
            self.add(lanes, lambda lane, distance=lanes: self.get(lane + distance))
        return self.get(AffineExpr.constant(0))


def _around(
    scope: LoopScope, sizes: Sequence[int], write: Callable[[Index], None], outer: Index = ()
) -> None:
    """Write a loop per size of a reduction, and the body with their dims into the innermost."""
    if not sizes:
        write(outer)
        return
    loop = ForOp(0, sizes[0], kind=LoopKind.REDUCTION)
    with scope.loop(loop) as dim:
        _around(scope, sizes[1:], write, [*outer, dim])
        scope.b.builder.insert(YieldOp())


class LaneReducer:
    """Reduces for all lanes of a vector loop at once, before that loop; a ``Reducer``."""

    def __init__(self) -> None:
        self._lanes = 1
        self._lane: AffineDimExpr | None = None
        self._depth = 0

    def enter(self, scope: LoopScope, lane: AffineExpr, lanes: int) -> None:
        """Say that ``scope`` has just opened the vector loop over ``lane`` below ``lanes``."""
        assert isinstance(lane, AffineDimExpr)
        self._lane, self._lanes, self._depth = lane, lanes, scope.depth

    def __call__(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values | None:
        lane = self._lane
        if lane is None or scope.depth != self._depth or any(map(uses_symbols, index)):
            return None

        def at(other: AffineExpr) -> list[AffineExpr]:
            dims = [AffineExpr.dimension(i) for i in range(lane.position)]
            return [e.replace_dims_and_symbols([*dims, other], ()) for e in index]

        self._lane = None  # reductions inside this one are serial
        with scope.outside(self._depth - 1):
            sums = Accumulators(scope, op, self._lanes)
            _around(
                scope,
                op.domain.reduction,
                lambda point: sums.add(
                    self._lanes, lambda other: op.contribution(scope, at(other), point)
                ),
            )
        self._lane = lane
        return sums.get(lane)


def reduce_row(scope: LoopScope, op: ReductionOp, index: Index) -> Values | None:
    """Reduce to one value with many accumulators; a ``Reducer``."""
    sizes = op.domain.reduction
    length = prod(sizes)
    lanes = next((n for n in ROW_LANES if length >= 2 * n), None)
    if lanes is None:
        return None

    def parts(position: AffineExpr) -> Values:
        return op.contribution(scope, index, unflatten(position, sizes))

    sums = Accumulators(scope, op, lanes)
    rounds, rest = divmod(length, lanes)
    _around(
        scope,
        [rounds],
        lambda at: sums.add(lanes, lambda lane: parts(at[0] * lanes + lane)),
    )
    if rest:
        sums.add(rest, lambda lane: parts(lane + rounds * lanes))
    return sums.fold(lanes)


def lanes_for(size: int) -> int:
    """Return into how many lanes an axis is best cut: a divisor of ``size``."""
    if size <= MOST_LANES:
        return size
    divisors = [n for n in range(16, MOST_LANES + 1) if size % n == 0]
    return max(divisors, key=lambda n: (n % 16 == 0, n), default=1)
