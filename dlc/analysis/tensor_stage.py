"""Whether a staged tile is a box of a tensor, with zeros outside: then one copy can bring it.

Along each axis of the tensor at most one index of the tile moves, in a constant step. Axes of the
buffer may be taken as one where that makes the index linear (rows of a 1x1 convolution go through
images, lines and pixels), and the lines of a tile may be several indices (the pixels of whole lines
of an image). What the region asks before it loads must be what is inside of the tensor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineExpr

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.analysis.staged_copy import StagedLoad, staged_load
from dlc.core.affine import (
    Interval,
    Ranges,
    divisor_of,
    extent,
    interval_of,
    linear_index,
    simplify,
    stride,
)
from dlc.core.locations import operation_text
from dlc.core.tensor_map import SWIZZLES, UNIT_BYTES, TensorMap
from dlc.dialects.gpu import SwizzleAttr, hardware_swizzle
from dlc.dialects.loop import AllocOp, IndexOp, StageOp
from dlc.errors import CompileError
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes


@dataclass(frozen=True)
class TensorStage:
    """The copies that bring a tile: one for each of its groups of short lines.

    buffer: the tensor. map: of one copy. coordinates: of the first copy, over ``values``; the last
    one grows by ``length`` from group to group. bytes: of all copies.
    """

    buffer: SSAValue
    map: TensorMap
    coordinates: Sequence[AffineExpr]
    values: Sequence[SSAValue]
    groups: int
    length: int
    bytes: int


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
    for split in _splits(op, staged):
        try:
            return _Box(op, staged, split).found()
        except _NoBoxError as error:
            reasons.append(str(error))
    raise CompileError(f"a tensor copy cannot bring this tile: {reasons[0]}", at=operation_text(op))


class _NoBoxError(Exception):
    """Why a tile is no box."""


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


@dataclass
class _Box:
    """The tile with its lines as some indices: dims 0, 1, .. of expressions; the place in a group
    is the next, then come the values outside of the region.
    """

    op: StageOp
    staged: StagedLoad
    split: tuple[int, ...]
    values: list[SSAValue] = field(default_factory=list[SSAValue])

    def found(self) -> TensorStage:
        """Return the copies; raises _NoBoxError."""
        load, width = self.staged.load, self._width
        index = [self._composed(e, tuple(load.indices)) for e in load.affine_map.results]
        axes = self._axes(index, buffer_type(load.buffer).get_shape())
        conditions = list(self._conditions(self.staged.condition))
        axes[-1:-1] = [_Axis(expr, 1, False) for expr, size in conditions if size == 1]
        box, steps = self._extents(axes)
        for expr, size in conditions:
            self._check_condition(expr, size, axes)
        sizes = tuple(axis.size for axis in axes)
        strides = [prod(sizes[axis + 1 :]) * width for axis in range(len(sizes) - 1)]
        uneven = steps if any(step != 1 for step in steps) else ()
        map = TensorMap(sizes, tuple(strides), box, uneven, self._swizzle)
        bytes = prod(buffer_type(load.buffer).get_shape()) * width
        for problem in (*map.problems(), *map.problems_with(width, bytes)):
            raise _NoBoxError(problem)
        first = [self._at_first(axis.index) for axis in axes]
        if divisor_of(first[-1], (), self.ranges) * width % UNIT_BYTES:
            raise _NoBoxError(f"its lines begin at no multiple of {UNIT_BYTES} bytes in memory")
        lines, places = self.op.sizes
        total = lines * places * width
        coordinates = [e.replace_dims_and_symbols(self._outer_dims(), ()) for e in first]
        groups = places // self._length
        return TensorStage(load.buffer, map, coordinates, self.values, groups, self._length, total)

    # The tile ------------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return element_bytes(buffer_type(self.op.tile).element_type)

    @property
    def _length(self) -> int:
        """The elements of a line in a group: as they lie in the buffer."""
        return buffer_type(self.op.tile).get_shape()[-1]

    @property
    def _tile_dims(self) -> tuple[int, ...]:
        """The sizes of the indices of the tile."""
        return (*self.split, self._length)

    @property
    def _swizzle(self) -> int:
        owner = self.op.tile.owner
        swizzle: SwizzleAttr | None = owner.swizzle if isinstance(owner, AllocOp) else None
        for row_bytes in SWIZZLES:
            if hardware_swizzle(row_bytes) == swizzle:
                return row_bytes
        raise _NoBoxError(f"the tile has a swizzle that is none of the hardware's: {swizzle}")

    # Index expressions ---------------------------------------------------------------------------

    @property
    def ranges(self) -> Ranges:
        """The ranges of the dims."""
        inside = [extent(size) for size in self._tile_dims]
        return Ranges([*inside, *map(range_of, self.values)])

    def _composed(self, expr: AffineExpr, values: Sequence[SSAValue]) -> AffineExpr:
        found = expr.replace_dims_and_symbols([self._of(value) for value in values], ())
        return simplify(found, self.ranges)

    def _of(self, value: SSAValue) -> AffineExpr:
        line, place = self.op.element.block.args
        dims = [AffineExpr.dimension(n) for n in range(len(self._tile_dims))]
        if value is line:
            return linear_index(dims[:-1], self.split)
        if value is place:
            return dims[-1]
        number = constant_of(value)
        if number is not None:
            return AffineExpr.constant(number)
        owner = value.owner
        inside = self.op.is_ancestor(value.block if isinstance(value, BlockArgument) else owner)
        if isinstance(owner, IndexOp) and inside:
            return self._composed(owner.expr, tuple(owner.indices))
        if inside:
            raise _NoBoxError("its places in memory are computed from data")
        if value not in self.values:
            self.values.append(value)
        return AffineExpr.dimension(len(dims) + self.values.index(value))

    def _at_first(self, expr: AffineExpr) -> AffineExpr:
        """Return an expression at the first element of the tile."""
        zeros = [AffineExpr.constant(0)] * len(self._tile_dims)
        rest = [AffineExpr.dimension(len(zeros) + n) for n in range(len(self.values))]
        return simplify(expr.replace_dims_and_symbols([*zeros, *rest], ()), self.ranges)

    def _outer_dims(self) -> list[AffineExpr]:
        """Return what the dims are in terms of the values outside alone."""
        zeros = [AffineExpr.constant(0)] * len(self._tile_dims)
        return [*zeros, *(AffineExpr.dimension(n) for n in range(len(self.values)))]

    def _steps(self, expr: AffineExpr) -> list[int | None]:
        """Return by how much an index grows with each index of the tile."""
        return [stride(expr, dim, self.ranges) for dim in range(len(self._tile_dims))]

    # Axes ----------------------------------------------------------------------------------------

    def _axes(self, index: Sequence[AffineExpr], sizes: Sequence[int]) -> list["_Axis"]:
        """Return the axes of the tensor: those of the buffer, some of them taken as one. Those of
        one element are left out: an index that must be below 1 makes an axis of its own.
        """
        guarded = set(self.staged.load.guard_axes)
        axes = [
            _Axis(expr, size, axis in guarded)
            for axis, (expr, size) in enumerate(zip(index, sizes, strict=True))
            if size > 1 or axis in guarded or expr != AffineExpr.constant(0)
        ]
        while (bad := self._first_bent(axes)) is not None:
            if len(axes) == 1:
                raise _NoBoxError("an index is no linear one")
            left = max(bad - 1, 0)
            axes[left : left + 2] = [self._merged(*axes[left : left + 2])]
        while len(axes) > 1 and (pair := self._free_pair(axes)) is not None:
            axes[pair : pair + 2] = [self._merged(*axes[pair : pair + 2])]
        return axes

    def _first_bent(self, axes: Sequence["_Axis"]) -> int | None:
        """Return the last axis whose index is not linear in those of the tile."""
        bent = [n for n, axis in enumerate(axes) if None in self._steps(axis.index)]
        return bent[-1] if bent else None

    def _merged(self, outer: "_Axis", inner: "_Axis") -> "_Axis":
        if outer.guarded or inner.guarded:
            raise _NoBoxError("an index that may be outside of its axis is no linear one")
        index = simplify(outer.index * inner.size + inner.index, self.ranges)
        return _Axis(index, outer.size * inner.size, False)

    def _free_pair(self, axes: Sequence["_Axis"]) -> int | None:
        """Return the first of two axes along which no index of the tile moves, before the last."""
        free = [not axis.guarded and not any(self._steps(axis.index)) for axis in axes[:-1]]
        pairs = (n for n in range(len(free) - 1) if free[n] and free[n + 1])
        return next(pairs, None)

    def _extents(self, axes: Sequence["_Axis"]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the box and the element strides."""
        box, steps = [1] * len(axes), [1] * len(axes)
        before = -1
        for dim, size in enumerate(self._tile_dims):
            moved = [(n, self._steps(axis.index)[dim]) for n, axis in enumerate(axes)]
            along = [(n, step) for n, step in moved if step]
            if size == 1 and not along:
                continue
            if len(along) != 1 or along[0][0] <= before:
                raise _NoBoxError("its elements do not follow the axes of the tensor")
            ((before, step),) = along
            assert step is not None
            if step < 0 or (
                dim == len(self._tile_dims) - 1 and (before, step) != (len(axes) - 1, 1)
            ):
                raise _NoBoxError("its lines are no neighbours in memory")
            box[before], steps[before] = size, step
        return tuple(box), tuple(steps)

    # Conditions ----------------------------------------------------------------------------------

    def _conditions(self, value: SSAValue | None) -> Iterator[tuple[AffineExpr, int]]:
        """Give what must be below which size for an element to be there."""
        match None if value is None else value.owner:
            case None:
                return
            case arith.AndIOp() as both:
                for operand in both.operands:
                    yield from self._conditions(operand)
            case arith.CmpiOp(lhs=left, rhs=right) as compare if compare.predicate.value.data == 2:
                size = constant_of(right)
                if size is None:
                    raise _NoBoxError("a condition compares with what is no constant")
                yield self._composed(AffineExpr.dimension(0), (left,)), size
            case arith.ConstantOp() as constant if constant_of(constant.result) in (1, -1):
                return
            case _:
                raise _NoBoxError("a condition is no comparison of an index")

    def _check_condition(self, expr: AffineExpr, size: int, axes: Sequence["_Axis"]) -> None:
        """Raise _NoBoxError unless ``expr`` is below ``size`` where some axis is inside."""
        interval: Interval = interval_of(expr, self.ranges)
        if interval.within(0, size - 1):
            return
        for axis in axes:
            times, rest = divmod(size, axis.size)
            if not rest and simplify(expr // times, self.ranges) == axis.index:
                return
        raise _NoBoxError("it ends where no axis of the tensor ends")


@dataclass(frozen=True)
class _Axis:
    """An axis of the tensor. guarded: its index may be outside of it."""

    index: AffineExpr
    size: int
    guarded: bool
