"""Whether a staged tile is a box of a tensor, with zeros outside: then one copy can bring it.

Along each axis of the tensor at most one index of the tile moves, in a constant step. Axes of the
buffer may be taken as one where that makes the index linear (rows of a 1x1 convolution go through
images, lines and pixels), and the lines of a tile may be several indices (the pixels of whole lines
of an image). What the region asks before it loads must be what is inside of the tensor. Else the
lines may be a column of pixels (``tensor_column.py``).
"""

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineExpr

from dlc.analysis.staged_copy import StagedLoad, staged_load
from dlc.analysis.staged_tile import Axis, NoBoxError, StagedTile, TensorStage
from dlc.analysis.tensor_column import Column
from dlc.core.affine import simplify
from dlc.core.locations import operation_text
from dlc.core.tensor_map import TensorMap
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
    staged = staged_load(op)
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
    for size in inner:
        yield lines // size, size
    for outer in inner:
        for size in (s for s in inner if s < outer and outer % s == 0):
            yield lines // outer, outer // size, size


def _index_exprs(op: StageOp) -> Iterator[AffineExpr]:
    return (inner.expr for inner in op.walk() if isinstance(inner, IndexOp))


class _Box(StagedTile):
    """A tile that is a box."""

    def found(self) -> TensorStage:
        """Return the copies; raises NoBoxError."""
        axes = self._axes(self.index())
        conditions = self.conditions()
        axes[-1:-1] = [Axis(expr, 1, False) for expr, size in conditions if size == 1]
        box, steps = self._extents(axes)
        for expr, size in conditions:
            self.check_condition(expr, size, axes)
        sizes = tuple(axis.size for axis in axes)
        strides = [prod(sizes[axis + 1 :]) * self.width for axis in range(len(sizes) - 1)]
        uneven = steps if any(step != 1 for step in steps) else ()
        map = TensorMap(sizes, tuple(strides), box, uneven, self.swizzle)
        return self.stage(map, [axis.index for axis in axes])

    def _axes(self, index: Sequence[AffineExpr]) -> list[Axis]:
        """Return the axes of the tensor: those of the buffer, some of them taken as one. Those of
        one element are left out: an index that must be below 1 makes an axis of its own.
        """
        guarded = set(self.staged.load.guard_axes)
        axes = [
            Axis(expr, size, axis in guarded)
            for axis, (expr, size) in enumerate(zip(index, self.tensor_sizes, strict=True))
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
        return Axis(index, outer.size * inner.size, False)

    def _free_pair(self, axes: Sequence[Axis]) -> int | None:
        """Return the first of two axes along which no index of the tile moves, before the last."""
        free = [not axis.guarded and not any(self.steps(axis.index)) for axis in axes[:-1]]
        pairs = (n for n in range(len(free) - 1) if free[n] and free[n + 1])
        return next(pairs, None)

    def _extents(self, axes: Sequence[Axis]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the box and the element strides."""
        box, steps = [1] * len(axes), [1] * len(axes)
        before = -1
        for dim, size in enumerate(self.sizes):
            moved = [(n, self.steps(axis.index)[dim]) for n, axis in enumerate(axes)]
            along = [(n, step) for n, step in moved if step]
            if size == 1 and not along:
                continue
            if len(along) != 1 or along[0][0] <= before:
                raise NoBoxError("its elements do not follow the axes of the tensor")
            ((before, step),) = along
            assert step is not None
            if step < 0 or (dim == len(self.sizes) - 1 and (before, step) != (len(axes) - 1, 1)):
                raise NoBoxError("its lines are no neighbours in memory")
            box[before], steps[before] = size, step
        return tuple(box), tuple(steps)
