"""Windows of neighbouring results (GPU): a thread reads what they share once, into registers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.sliding import Sliding, sliding
from dlc.analysis.weight_order import lane_order
from dlc.core.affine import UNKNOWN, Ranges, extent, linear_index, simplify, stride
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.graph.resample import ResampleOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type, shape
from dlc.lowering.job import Job
from dlc.lowering.lanes import Accumulators, LaneReducer, lane_loops, reduction_loops
from dlc.lowering.patch import reduce_patch
from dlc.lowering.redirected import RedirectedScope
from dlc.lowering.scope import LoopScope

At = Callable[[Index], Index]
Packed = Mapping[SSAValue, Sequence[int]]
"""Weights whose axes stand in another order."""

ZERO = AffineExpr.constant(0)


@dataclass(frozen=True)
class _Transposed:
    """Packs a weight: its axes in another order."""

    order: tuple[int, ...]

    def __call__(self, weight: Array) -> Array:
        return weight.transpose(self.order)


def pack_for_lanes(job: Job, op: ReductionOp) -> Packed:
    """Let the kernel take weights of ``op`` so that neighbouring results read neighbours."""
    packed: dict[SSAValue, Sequence[int]] = {}
    for number, operand in enumerate(op.operands):
        order = lane_order(op, number)
        if order and operand in job.weights:
            sizes = [shape(operand)[axis] for axis in order]
            job.buffers[operand] = job.repack(operand, sizes, _Transposed(tuple(order)))
            packed[operand] = order
    return packed


class WindowReducer(LaneReducer):
    """Reduces for positions and lanes at once, where windows of neighbouring positions share
    elements; a ``Reducer``.

    Around the taps along which the window slides are the loops over the other ones. In them a line
    of the operand is read, as long as all windows together, and then each tap of each window.
    """

    def __init__(self, packed: Packed):
        super().__init__()
        self._packed = packed

    def reduce_lanes(self, scope: LoopScope, op: ReductionOp, at: At, sums: Accumulators) -> None:
        if isinstance(op, ResampleOp) and reduce_patch(scope, op, at, sums):
            return
        slide = sliding(op)
        if slide is None or not _moves(scope, at, slide, sums.sizes[1]):
            if self._packed:
                raise CompileError("the elements of a thread are no whole groups of channels")
            super().reduce_lanes(scope, op, at, sums)
            return
        window = _Window(scope, op, slide, at, sums, self._packed)
        reduction_loops(scope, [slide.reduction[n] for n in slide.outer], window.write)


def _moves(scope: LoopScope, at: At, slide: Sliding, lanes: int) -> bool:
    """Return whether the positions that lanes have are neighbours along the axis of the window, and
    what they read at a place is told by their numbers.
    """
    used = scope.ranges.dims
    inner = [slide.reduction[n] for n in slide.inner]
    new = [AffineExpr.dimension(len(used) + n) for n in range(2 + len(inner))]
    ranges = Ranges([*used, UNKNOWN, *map(extent, (lanes, *inner))])
    index = at([new[0], ZERO])
    steps = [stride(expr, len(used), ranges) for expr in index]
    point = [ZERO] * len(slide.reduction)
    first = slide.offset(at([ZERO, ZERO]), point)
    for number, dim in zip(slide.inner, new[2:], strict=True):
        point[number] = dim
    channel = simplify(slide.offset(at([ZERO, new[1]]), point) - first, ranges)
    own = all(dim > len(used) for dim in channel.used_dims())
    return own and all(step == (axis == slide.axis) for axis, step in enumerate(steps))


@dataclass
class _Window:
    """The taps of one line of windows: positions and lanes of each in ``sums``."""

    scope: LoopScope
    op: ReductionOp
    slide: Sliding
    at: At
    sums: Accumulators
    packed: Packed

    def write(self, outer: Index) -> None:
        """Write the line, and what it adds to all sums. outer: the place along the other taps."""
        positions, lanes = self.sums.sizes
        operand = self.op.operands[self.slide.operand]
        sizes = [self.slide.places(positions), self.slide.channels(lanes)]
        line = _Line(self.scope, operand, sizes)
        lane_loops(self.scope, sizes, lambda at: self._read(line, at, outer))
        inner = [self.slide.taps, *(self.slide.reduction[n] for n in self.slide.inner)]

        def tap(point: Index) -> None:
            def add(lane: AffineExpr) -> None:
                self._add(line, lane, outer, point)

            self.scope.parallel_loop(lanes, LoopMap.VECTOR, add)

        reduction_loops(self.scope, inner, tap, LoopMap.UNROLL)

    def _point(self, outer: Index, inner: Index) -> Index:
        """Return the point of the reduction. inner: the tap, then the places along inner axes."""
        numbers = [*self.slide.outer, self.slide.tap, *self.slide.inner]
        found = dict(zip(numbers, [*outer, *inner], strict=True))
        return [found[number] for number in range(len(numbers))]

    def _read(self, line: "_Line", at: Index, outer: Index) -> None:
        """Read a place and channel of the line as the first window would, as far as it is."""
        place, channel = at
        nothing = self.scope.b.constant(0, line.type)

        def store(operand: SSAValue, index: Index, *how: Any) -> SSAValue:
            if operand is line.operand:
                where = [*index[:-1], index[-1] + channel]
                line.store(self.scope.read(operand, where, *how), at)
            return nothing

        point = self._point(outer, [place, *(ZERO for _ in self.slide.inner)])
        self.op.contribution(RedirectedScope(self.scope, store), self.at([ZERO, ZERO]), point)

    def _add(self, line: "_Line", lane: AffineExpr, outer: Index, inner: Index) -> None:
        """Add a tap of a lane to the sums of all positions."""
        scope, op, slide = self.scope, self.op, self.slide
        point = self._point(outer, inner)
        first = self._point(outer, [ZERO for _ in inner])
        channel = slide.offset(self.at([ZERO, lane]), point) - slide.offset(
            self.at([ZERO, ZERO]), first
        )

        def add(position: AffineExpr) -> None:
            def load(operand: SSAValue, index: Index, *how: Any) -> SSAValue:
                if operand is line.operand:
                    return line.load([position * slide.step + inner[0], channel])
                return self._other(operand, index, *how)

            index = [position, lane]
            parts = op.contribution(RedirectedScope(scope, load), self.at(index), point)
            self.sums.set(index, op.combine(scope.b, self.sums.get(index), parts))

        scope.parallel_loop(self.sums.sizes[0], LoopMap.UNROLL, add)

    def _other(self, operand: SSAValue, index: Index, *how: Any) -> SSAValue:
        """Return an element of another operand, which may be packed."""
        if operand not in self.packed:
            return self.scope.read(operand, index, *how)
        own = [index[axis] for axis in self.packed[operand]]
        return self.scope.read(operand, own, *how)


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
