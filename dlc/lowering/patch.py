"""What neighbouring results of a resized tensor read together (GPU): a thread reads it once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import Ranges, divisor_of, extent, linear_index, simplify
from dlc.dialects.graph.computed import Index
from dlc.dialects.graph.movement import clamped
from dlc.dialects.graph.resample import Resampled, ResampleOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type, shape
from dlc.lowering.lanes import Accumulators, lane_loops, reduction_loops
from dlc.lowering.redirected import RedirectedScope
from dlc.lowering.scope import LoopScope

MOST_PLACES = 64
"""Of a patch: a register each, a quarter of what a thread can have. Assumed, not measured."""

At = Callable[[Index], Index]
ZERO = AffineExpr.constant(0)


def reduce_patch(scope: LoopScope, op: ResampleOp, at: At, sums: Accumulators) -> bool:
    """Write the sums of all lanes from the patch of the operand that they read together, and return
    whether that was possible. at: the index of a lane's result.
    """
    moving = [_moving(scope, each, at, sums.sizes) for each in op.along()]
    sides = tuple(side for side in moving if side is not None)
    if len(sides) < len(moving) or prod(side.places for side in sides) > MOST_PLACES:
        return False
    _Patch(scope, op, at, sums, sides).write()
    return True


@dataclass(frozen=True)
class _Side:
    """An axis of a patch: ``places`` of the operand from ``first`` on. lane: the number of the lane
    axis along which results are neighbours there, if there is one.
    """

    line: Resampled
    first: AffineExpr
    places: int
    lane: int | None

    def offset(self, lane: Index) -> AffineExpr:
        """Return how far behind the first place a lane's result begins."""
        if self.lane is None:
            return ZERO
        line = self.line
        return (lane[self.lane] * line.a + line.b) // line.c - line.b // line.c


def _moving(scope: LoopScope, line: Resampled, at: At, sizes: Sequence[int]) -> _Side | None:
    """Return what lanes read along an axis of the result; ``None`` where it varies from one thread
    to the next how many places these are apart.
    """
    used = scope.ranges.dims
    new = [AffineExpr.dimension(len(used) + n) for n in range(len(sizes))]
    ranges = Ranges([*used, *map(extent, sizes)])
    start = at([ZERO] * len(sizes))[line.axis]
    step = simplify(at(new)[line.axis] - start, ranges)
    first = simplify((start * line.a + line.b) // line.c, ranges)
    if step == ZERO:
        return _Side(line, first, line.places(1), None)
    lane = next((n for n, dim in enumerate(new) if step == dim), None)
    if lane is None or not line.steps_evenly(sizes[lane]):
        return None
    if divisor_of(start, [1] * len(used), ranges) % sizes[lane]:
        return None
    return _Side(line, first, line.places(sizes[lane]), lane)


@dataclass
class _Patch:
    scope: LoopScope
    op: ResampleOp
    at: At
    sums: Accumulators
    sides: Sequence[_Side]

    def __post_init__(self) -> None:
        self.sizes = [side.places for side in self.sides]
        self.type = compute_type(element_type(self.op.x))
        space = SpaceAttr(Space.REGISTER)
        type = MemRefType(self.type, [prod(self.sizes)], memory_space=space)
        self.registers = self.scope.b.insert(AllocOp(type))

    def write(self) -> None:
        """Write the patch, and each tap of each lane."""
        self._read([])
        reduction_loops(self.scope, self.op.domain.reduction, self._tap, LoopMap.UNROLL)

    # The patch -----------------------------------------------------------------------------------

    def _read(self, outer: Index) -> None:
        """Read what is at places ``outer`` of the first axes."""
        side = self.sides[len(outer)]
        if len(outer) + 1 < len(self.sides):
            self.scope.parallel_loop(
                side.places, LoopMap.UNROLL, lambda place: self._read([*outer, place])
            )
            return
        inside = [n for n in range(side.places) if self._is_inside(side, AffineExpr.constant(n))]
        for place in range(side.places):
            if place not in inside:
                self._store([*outer, AffineExpr.constant(place)])
        if len(inside) > 1:
            vector = lambda place: self._store([*outer, place + inside[0]], len(inside))
            self.scope.parallel_loop(len(inside), LoopMap.VECTOR, vector)
        elif inside:
            self._store([*outer, AffineExpr.constant(inside[0])])

    def _is_inside(self, side: _Side, place: AffineExpr) -> bool:
        size = shape(self.op.x)[side.line.axis]
        return self.scope.is_inside(side.first + place, size)

    def _store(self, places: Index, inside: int = 0) -> None:
        """Read the element at places of a patch. inside: how many neighbours of it are too."""
        index = list(self.at([ZERO] * len(self.sums.sizes)))
        for number, (side, place) in enumerate(zip(self.sides, places, strict=True)):
            axis, at = side.line.axis, side.first + place
            if not (inside and number == len(self.sides) - 1) and not self._is_inside(side, place):
                value = self.scope.integer(at, i64)
                at = self.scope.symbol(clamped(self.scope.b, value, shape(self.op.x)[axis]))
            index[axis] = at
        to, dims = self.scope.resolve([linear_index(places, self.sizes)])
        element = self.scope.read(self.op.x, index)
        self.scope.b.builder.insert(StoreOp(element, self.registers, to, dims))

    # The taps ------------------------------------------------------------------------------------

    def _tap(self, point: Index) -> None:
        """Add a tap to the sums of all lanes."""

        def add(lane: Index) -> None:
            def read(operand: SSAValue, index: Index, *how: Any) -> SSAValue:
                if operand is not self.op.x:
                    return self.scope.read(operand, index, *how)
                pairs = zip(self.sides, point, strict=True)
                places = [side.offset(lane) + tap for side, tap in pairs]
                at, dims = self.scope.resolve([linear_index(places, self.sizes)])
                return self.scope.b.insert(LoadOp(self.registers, at, dims))

            scope = RedirectedScope(self.scope, read)
            parts = self.op.contribution(scope, self.at(lane), point)
            total = self.op.combine(self.scope.b, self.sums.get(lane), parts)
            self.sums.set(lane, total)

        lane_loops(self.scope, self.sums.sizes, add)
