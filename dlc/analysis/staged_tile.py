"""The index of a staged tile's elements in memory, in terms of places in the tile."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.analysis.staged_copy import StagedLoad
from dlc.arch.memory import PIECE_BYTES
from dlc.core.affine import Ranges, divisor_of, extent, interval_of, linear_index, simplify, stride
from dlc.core.tensor_map import TensorMap
from dlc.dialects.gpu import SwizzleAttr
from dlc.dialects.loop import AllocOp, IndexOp, StageOp
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes


@dataclass(frozen=True)
class TensorStage:
    """The copies that bring a tile: one for each of its groups of short lines.

    buffer: the tensor. map: of one copy. coordinates: of the first copy, then its offsets, over
    ``values``; the last coordinate grows by ``length`` from group to group.
    """

    buffer: SSAValue
    map: TensorMap
    coordinates: Sequence[AffineExpr]
    values: Sequence[SSAValue]
    groups: int
    length: int


class NoBoxError(Exception):
    """Why a tile is no box of a tensor."""


@dataclass(frozen=True)
class Axis:
    """An axis of a tensor. stride: elements from one to the next. guarded: the index may be outside
    of the axis.
    """

    index: AffineExpr
    size: int
    stride: int
    guarded: bool = False


@dataclass
class StagedTile:
    """A stage whose lines are taken as some indices, of sizes ``split``: dims 0, 1, .. of
    expressions; the place in a group is the next, then come the values outside of the region.
    """

    op: StageOp
    staged: StagedLoad
    split: tuple[int, ...]
    values: list[SSAValue] = field(default_factory=list[SSAValue])
    _ranges: Ranges = field(default_factory=Ranges)

    @cached_property
    def width(self) -> int:
        """The bytes of an element."""
        return element_bytes(buffer_type(self.op.tile).element_type)

    @cached_property
    def length(self) -> int:
        """The elements of a line in a group: as they lie in the buffer."""
        return buffer_type(self.op.tile).get_shape()[-1]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the indices of the tile."""
        return (*self.split, self.length)

    @cached_property
    def tensor_sizes(self) -> tuple[int, ...]:
        """The shape of the buffer that is read."""
        return tuple(buffer_type(self.staged.load.buffer).get_shape())

    @cached_property
    def swizzle(self) -> int:
        """The bytes of the rows that the tile's swizzle permutes; raises NoBoxError."""
        owner = self.op.tile.owner
        swizzle: SwizzleAttr | None = owner.swizzle if isinstance(owner, AllocOp) else None
        row_bytes = 0 if swizzle is None else swizzle.line_bytes
        if row_bytes is None:
            raise NoBoxError(f"the tile has a swizzle that is none of the hardware's: {swizzle}")
        return row_bytes

    def index(self) -> list[AffineExpr]:
        """Return the index of an element along each axis of the buffer."""
        load = self.staged.load
        return [self.composed(e, tuple(load.indices)) for e in load.affine_map.results]

    def stage(self, map: TensorMap, coordinates: Sequence[AffineExpr]) -> TensorStage:
        """Return the copies by a map; raises NoBoxError where no driver encodes it.

        coordinates: of any element; those of the first are taken.
        """
        buffer = self.staged.load.buffer
        bytes = prod(self.tensor_sizes) * self.width
        for problem in (*map.problems(), *map.problems_with(self.width, bytes)):
            raise NoBoxError(problem)
        first = [self.at_first(e) for e in coordinates]
        if divisor_of(first[map.rank - 1], (), self.ranges) * self.width % PIECE_BYTES:
            raise NoBoxError(f"its lines begin at no multiple of {PIECE_BYTES} bytes in memory")
        outer = [e.replace_dims_and_symbols(self._outer_dims(), ()) for e in first]
        groups = self.op.sizes[1] // self.length
        return TensorStage(buffer, map, outer, self.values, groups, self.length)

    # Index expressions ---------------------------------------------------------------------------

    @property
    def ranges(self) -> Ranges:
        """The ranges of the dims."""
        known = len(self.sizes) + len(self.values)
        if len(self._ranges.dims) != known:
            self._ranges = Ranges([*map(extent, self.sizes), *map(range_of, self.values)])
        return self._ranges

    def composed(self, expr: AffineExpr, values: Sequence[SSAValue]) -> AffineExpr:
        """Return an expression over index values in terms of the dims; raises NoBoxError."""
        found = expr.replace_dims_and_symbols([self._of(value) for value in values], ())
        return simplify(found, self.ranges)

    def _of(self, value: SSAValue) -> AffineExpr:
        line, place = self.op.element.block.args
        dims = [AffineExpr.dimension(n) for n in range(len(self.sizes))]
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
            return self.composed(owner.expr, tuple(owner.indices))
        if inside:
            raise NoBoxError("its places in memory are computed from data")
        if value not in self.values:
            self.values.append(value)
        return AffineExpr.dimension(len(dims) + self.values.index(value))

    def at_first(self, expr: AffineExpr) -> AffineExpr:
        """Return an expression at the first element of the tile."""
        zeros = [AffineExpr.constant(0)] * len(self.sizes)
        rest = [AffineExpr.dimension(len(zeros) + n) for n in range(len(self.values))]
        return simplify(expr.replace_dims_and_symbols([*zeros, *rest], ()), self.ranges)

    def _outer_dims(self) -> list[AffineExpr]:
        """Return what the dims are in terms of the values outside alone."""
        zeros = [AffineExpr.constant(0)] * len(self.sizes)
        return [*zeros, *(AffineExpr.dimension(n) for n in range(len(self.values)))]

    def steps(self, expr: AffineExpr) -> list[int | None]:
        """Return by how much an index grows with each index of the tile."""
        return [stride(expr, dim, self.ranges) for dim in range(len(self.sizes))]

    # Conditions ----------------------------------------------------------------------------------

    def conditions(self) -> list[tuple[AffineExpr, int]]:
        """Return what must be below which size for an element to be there; raises NoBoxError."""
        return self._found_conditions

    @cached_property
    def _found_conditions(self) -> list[tuple[AffineExpr, int]]:
        return list(self._conditions(self.staged.condition))

    def _conditions(self, value: SSAValue | None) -> Iterator[tuple[AffineExpr, int]]:
        match None if value is None else value.owner:
            case None:
                return
            case arith.AndIOp() as both:
                for operand in both.operands:
                    yield from self._conditions(operand)
            case arith.CmpiOp(lhs=left, rhs=right) as compare if _is_below(compare):
                size = constant_of(right)
                if size is None:
                    raise NoBoxError("a condition compares with what is no constant")
                yield self.composed(AffineExpr.dimension(0), (left,)), size
            case arith.ConstantOp() as constant if constant_of(constant.result) in (1, -1):
                return
            case _:
                raise NoBoxError("a condition is no comparison of an index")

    def check_condition(self, expr: AffineExpr, size: int, axes: Sequence[Axis]) -> None:
        """Raise NoBoxError unless ``expr`` is below ``size`` where some axis is inside."""
        if interval_of(expr, self.ranges).within(0, size - 1):
            return
        for axis in axes:
            times, rest = divmod(size, axis.size)
            if not rest and simplify(expr // times, self.ranges) == axis.index:
                return
        raise NoBoxError("it ends where no axis of the tensor ends")


def _is_below(compare: arith.CmpiOp) -> bool:
    return arith.CMPI_COMPARISON_OPERATIONS[compare.predicate.value.data] == "slt"
