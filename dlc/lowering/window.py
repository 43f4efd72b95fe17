"""Windows of neighbouring results (GPU): a thread reads what they share once, into registers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.sliding import Sliding, sliding
from dlc.core.affine import linear_index, stride
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.lanes import Accumulators, LaneReducer, lane_loops, reduction_loops
from dlc.lowering.scope import LoopScope

At = Callable[[Index], Index]


class WindowReducer(LaneReducer):
    """Reduces for positions and lanes at once, where windows of neighbouring positions share
    elements; a ``Reducer``.

    Around the taps along which the window slides are the loops over the other ones. In them a line
    of the operand is read, as long as all windows together, and then each tap of each window.
    """

    def reduce_lanes(self, scope: LoopScope, op: ReductionOp, at: At, sums: Accumulators) -> None:
        slide = sliding(op)
        if slide is None or not _moves(scope, at, slide):
            super().reduce_lanes(scope, op, at, sums)
            return
        sizes = list(op.domain.reduction)
        del sizes[slide.tap]
        window = _Window(scope, op, slide, at, sums)
        reduction_loops(scope, sizes, window.write)


def _moves(scope: LoopScope, at: At, slide: Sliding) -> bool:
    """Return whether the positions that lanes have are neighbours along the axis of the window."""
    position = len(scope.ranges.dims)  # a dim that is not used yet
    index = at([AffineExpr.dimension(position), AffineExpr.constant(0)])
    steps = [stride(expr, position, scope.ranges) for expr in index]
    return all(step == (axis == slide.axis) for axis, step in enumerate(steps))


@dataclass
class _Window:
    """The taps of one line of windows: positions and lanes of each in ``sums``."""

    scope: LoopScope
    op: ReductionOp
    slide: Sliding
    at: At
    sums: Accumulators

    def write(self, others: Index) -> None:
        """Write the line, and what it adds to all sums. others: the place along the other taps."""
        positions, lanes = self.sums.sizes
        operand = self.op.operands[self.slide.operand]
        line = _Line(self.scope, operand, [self.slide.places(positions), lanes])
        lane_loops(self.scope, line.sizes, lambda at: self._read(line, at, others))
        loop = ForOp(0, self.slide.taps, kind=LoopKind.REDUCTION, map=LoopMap.UNROLL)
        with self.scope.loop(loop) as tap:
            self.scope.parallel_loop(
                lanes, LoopMap.VECTOR, lambda lane: self._add(line, lane, self._point(tap, others))
            )
            self.scope.b.builder.insert(YieldOp())

    def _point(self, tap: AffineExpr, others: Index) -> Index:
        return [*others[: self.slide.tap], tap, *others[self.slide.tap :]]

    def _read(self, line: "_Line", at: Index, others: Index) -> None:
        """Read a place and lane of the line as the first window would, as far as it is."""
        place, lane = at
        nothing = self.scope.b.constant(0, line.type)

        def store(operand: SSAValue, *where: Any) -> SSAValue:
            if operand is line.operand:
                line.store(self.scope.read(operand, *where), at)
            return nothing

        index = self.at([AffineExpr.constant(0), lane])
        self.op.contribution(_Reading(self.scope, store), index, self._point(place, others))

    def _add(self, line: "_Line", lane: AffineExpr, point: Index) -> None:
        """Add a tap of a lane to the sums of all positions."""
        scope, op = self.scope, self.op

        def add(position: AffineExpr) -> None:
            place = position * self.slide.step + point[self.slide.tap]

            def load(operand: SSAValue, *where: Any) -> SSAValue:
                if operand is line.operand:
                    return line.load([place, lane])
                return scope.read(operand, *where)

            index = [position, lane]
            parts = op.contribution(_Reading(scope, load), self.at(index), point)
            self.sums.set(index, op.combine(scope.b, self.sums.get(index), parts))

        scope.parallel_loop(self.sums.sizes[0], LoopMap.UNROLL, add)


class _Line:
    """Registers of a thread for places of an operand, some lanes at each: ``sizes``."""

    def __init__(self, scope: LoopScope, operand: SSAValue, sizes: Sequence[int]):
        self._scope = scope
        self.operand = operand
        self.sizes = sizes
        self.type = compute_type(element_type(operand))
        space = SpaceAttr(Space.REGISTER)
        type = MemRefType(self.type, [prod(sizes)], memory_space=space)
        self._buffer = scope.b.insert(AllocOp(type))

    def store(self, value: SSAValue, at: Index) -> None:
        """Write the element at a place and lane."""
        exprs, dims = self._scope.resolve([linear_index(at, self.sizes)])
        self._scope.b.builder.insert(StoreOp(value, self._buffer, exprs, dims))

    def load(self, at: Index) -> SSAValue:
        """Return the element at a place and lane."""
        exprs, dims = self._scope.resolve([linear_index(at, self.sizes)])
        return self._scope.b.insert(LoadOp(self._buffer, exprs, dims))


class _Reading:
    """A ``Scope`` that reads in another way."""

    def __init__(self, scope: LoopScope, read: Callable[..., SSAValue]):
        self._scope = scope
        self._read = read
        self.b: ScalarBuilder = scope.b

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        """Return an element of an operand."""
        return self._read(operand, index, guard, fill)

    def symbol(self, value: SSAValue) -> AffineExpr:
        """Return a computed integer as an index expression."""
        return self._scope.symbol(value)

    def integer(self, expr: AffineExpr, type: Attribute) -> SSAValue:
        """Return an index expression as a scalar."""
        return self._scope.integer(expr, type)

    def reduce(self, op: ReductionOp, index: Index) -> Sequence[SSAValue]:
        """Return the accumulators of another reduction."""
        return self._scope.reduce(op, index)
