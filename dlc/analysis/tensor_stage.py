"""Whether a staged tile is a box of a tensor, with zeros outside: then one copy can bring it.

Along each axis of the tensor at most one index of the tile moves, in a constant step. Axes of the
buffer may be taken as one where that makes the index linear (rows of a 1x1 convolution go through
images, lines and pixels), and the lines of a tile may be several indices (the pixels of whole lines
of an image). What the region asks before it loads must be what is inside of the tensor. Else the
lines may be a column of pixels (``tensor_column.py``).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod

from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineExpr

from dlc.analysis.staged_copy import StagedLoad, rounded_load
from dlc.analysis.staged_tile import Axis, NoBoxError, StagedTile, TensorStage
from dlc.analysis.tensor_column import Column
from dlc.core.affine import divisor_of, simplify
from dlc.core.locations import operation_text
from dlc.core.tensor_map import MOST_AXES, TensorMap
from dlc.dialects.loop import IndexOp, StageOp
from dlc.errors import CompileError


def is_box(op: StageOp) -> bool:
    """Return whether tensor copies can bring a tile."""
    try:
        tensor_stage(op)
    except CompileError:
        return False
    return True


def tensor_stage(op: StageOp) -> TensorStage:
    """Return the copies that bring a tile; raises CompileError that says why none can."""
    staged = rounded_load(op)
    if staged is None:
        raise CompileError(
            "a tensor copy brings elements as they are in memory; these are computed",
            at=operation_text(op),
        )
    reasons: list[str] = []
    ways = [*(_Box(op, staged, split) for split in _splits(op, staged)), Column.of(op, staged)]
    for way in ways:
        try:
            return way.found()
        except NoBoxError as error:
            reasons.append(str(error))
    raise CompileError(f"a tensor copy cannot bring this tile: {reasons[0]}", at=operation_text(op))


def _splits(op: StageOp, staged: StagedLoad) -> Iterator[tuple[int, ...]]:
    """Give the ways to take the lines of a tile as several indices, by their sizes."""
    lines = op.sizes[0]
    yield (lines,)
    divisors = {
        part.rhs.value
        for expr in (*staged.load.affine_map.results, *_index_exprs(op))
        for part in expr.dfs()
        if isinstance(part, AffineBinaryOpExpr) and isinstance(part.rhs, AffineConstantExpr)
    }
    inner = sorted(d for d in divisors if 1 < d < lines and lines % d == 0)
    for chain in _chains(inner):
        yield tuple(outer // size for outer, size in pairwise((lines, *reversed(chain), 1)))


def _chains(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Give sizes of which each divides the next."""
    for number, size in enumerate(sizes):
        yield (size,)
        yield from ((size, *rest) for rest in _chains(sizes[number + 1 :]) if rest[0] % size == 0)


def _index_exprs(op: StageOp) -> Iterator[AffineExpr]:
    return (inner.expr for inner in op.walk() if isinstance(inner, IndexOp))


class _Box(StagedTile):
    """A tile that is a box."""

    def found(self) -> TensorStage:
        """Return the copies; raises NoBoxError."""
        conditions = self.conditions()
        ones = [Axis(expr, 1, prod(self.tensor_sizes)) for expr, n in conditions if n == 1]
        axes = self._few(self._refined(self._axes(self.index())))
        axes = self._in_order([*self._refined(ones), *axes])
        for expr, size in conditions:
            self.check_condition(expr, size, axes)
        extents = [self._extent(axis) for axis in axes]
        box, steps = (tuple(extent[i] for extent in extents) for i in (0, 1))
        sizes = tuple(axis.size for axis in axes)
        strides = tuple(axis.stride * self.width for axis in axes[:-1])
        uneven = steps if any(step != 1 for step in steps) else ()
        rounded = self.staged.rounded_bits
        map = TensorMap(sizes, strides, box, uneven, self.swizzle, rounded_bits=rounded)
        return self.stage(map, [axis.index for axis in axes])

    def _axes(self, index: Sequence[AffineExpr]) -> list[Axis]:
        """Return the axes of the tensor: those of the buffer, some of them taken as one. Those of
        one element are left out: an index that must be below 1 makes an axis of its own.
        """
        guarded, sizes = set(self.staged.load.guard_axes), self.tensor_sizes
        axes = [
            Axis(expr, size, prod(sizes[axis + 1 :]), axis in guarded)
            for axis, (expr, size) in enumerate(zip(index, sizes, strict=True))
            if size > 1 or axis in guarded or expr != AffineExpr.constant(0)
        ]
        while (bad := self._first_bent(axes)) is not None:
            if len(axes) == 1:
                raise NoBoxError("an index is no linear one")
            left = max(bad - 1, 0)
            axes[left : left + 2] = [self._merged(*axes[left : left + 2])]
        while len(axes) > 1 and (pair := self._free_pair(axes)) is not None:
            axes[pair : pair + 2] = [self._merged(*axes[pair : pair + 2])]
        return axes

    def _first_bent(self, axes: Sequence[Axis]) -> int | None:
        """Return the last axis whose index is not linear in those of the tile."""
        bent = [n for n, axis in enumerate(axes) if None in self.steps(axis.index)]
        return bent[-1] if bent else None

    def _merged(self, outer: Axis, inner: Axis) -> Axis:
        if outer.guarded or inner.guarded:
            raise NoBoxError("an index that may be outside of its axis is no linear one")
        index = simplify(outer.index * inner.size + inner.index, self.ranges)
        return Axis(index, outer.size * inner.size, inner.stride)

    def _free_pair(self, axes: Sequence[Axis]) -> int | None:
        """Return the first of two axes along which no index of the tile moves, before the last."""
        free = [not axis.guarded and not self._moving(axis) for axis in axes[:-1]]
        pairs = (n for n in range(len(free) - 1) if free[n] and free[n + 1])
        return next(pairs, None)

    def _moving(self, axis: Axis) -> list[tuple[int, int]]:
        """Return by how much an axis' index grows with which indices of the tile."""
        steps = ((step, dim) for dim, step in enumerate(self.steps(axis.index)))
        return [(step, dim) for step, dim in steps if step and self.sizes[dim] > 1]

    def _refined(self, axes: Sequence[Axis]) -> list[Axis]:
        """Return axes along each of which one index of the tile moves, or none: where several move
        along one, as the digits of its index do, it is as many.
        """
        return [part for axis in axes for part in self._digits(axis)]

    def _few(self, axes: Sequence[Axis]) -> list[Axis]:
        """Return the axes, the last one with a free one before it where they are too many."""
        if len(axes) <= MOST_AXES or self._moving(axes[-2]):
            return list(axes)
        return [*axes[:-2], self._merged(*axes[-2:])]

    def _digits(self, axis: Axis) -> list[Axis]:
        moving = sorted(self._moving(axis), reverse=True)
        if len(moving) < 2:
            return [axis]
        top, starts = moving[0][0], divisor_of(self.at_first(axis.index), (), self.ranges)
        whole = all(outer == step * self.sizes[dim] for (outer, _), (step, dim) in pairwise(moving))
        if not whole or moving[-1][0] != 1 or axis.guarded or axis.size % top or starts % top:
            raise NoBoxError("its elements do not follow the axes of the tensor")
        outer = Axis(simplify(axis.index // top, self.ranges), axis.size // top, axis.stride * top)
        return [
            outer,
            *(
                Axis(
                    simplify(axis.index // step % self.sizes[dim], self.ranges),
                    self.sizes[dim],
                    axis.stride * step,
                )
                for step, dim in moving[1:]
            ),
        ]

    def _in_order(self, axes: Sequence[Axis]) -> list[Axis]:
        """Return the axes in the order of the tile: those along which nothing moves first."""
        last = [dim for dim, size in enumerate(self.sizes) if size > 1]
        dims = [dim for axis in axes for _, dim in self._moving(axis)]
        if sorted(dims) != last:
            raise NoBoxError("its elements do not follow the axes of the tensor")
        found = sorted(
            axes, key=lambda axis: max((dim for _, dim in self._moving(axis)), default=-1)
        )
        steps = [step for step, _ in self._moving(found[-1])]
        if steps != [1] or found[-1].stride != 1:
            raise NoBoxError("its lines are no neighbours in memory")
        return found

    def _extent(self, axis: Axis) -> tuple[int, int]:
        """Return the box and the element stride along an axis."""
        moving = self._moving(axis)
        if not moving:
            return 1, 1
        ((step, dim),) = moving
        if step < 0:
            raise NoBoxError("its elements do not follow the axes of the tensor")
        return self.sizes[dim], step
