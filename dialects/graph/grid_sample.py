"""Elements interpolated at places that another tensor names."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import StringAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)

from dlc.dialects.graph.computed import ComputedOp, Index, Scope
from dlc.dialects.graph.movement import clamped
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_type, is_float, shape

_FIRST_TAP = {"nearest": 0, "linear": 0, "cubic": -1}
_TAPS = {"nearest": 1, "linear": 2, "cubic": 4}
_PADDINGS = ("zeros", "border", "reflection")
_SHARPNESS = -0.75
"""The parameter of Keys' cubic convolution (1981) that the field uses."""
_FARTHEST = 2.0**30
"""Coordinates are cut off here, so that they fit an integer; all are far outside by then."""


@dataclass(frozen=True)
class _Tap:
    """A neighbour of a coordinate along one axis: its position and weight, and if it is inside."""

    position: AffineExpr
    weight: SSAValue
    inside: SSAValue


@irdl_op_definition
class GridSampleOp(ComputedOp):
    """``y[n, c, o...] = x[n, c, grid[n, o..., :]]``, interpolated between the elements of ``x``.

    ``grid[..., k]`` is the coordinate along the axis of ``x`` that is ``k`` before the last: -1 and
    1 are the middles of the outermost elements with ``align_corners``, else their outer edges; with
    ``unnormalized`` it is an index, which may lie between elements.
    ``mode`` is ``nearest`` (halves to even), ``linear`` or ``cubic``; beyond the edge ``padding``
    is ``zeros``, the ``border`` element, or the ``reflection`` of the inside.
    """

    name = "graph.grid_sample"
    x = operand_def(TensorType)
    grid = operand_def(TensorType)
    mode = prop_def(StringAttr)
    padding = prop_def(StringAttr)
    align_corners = opt_prop_def(UnitAttr)
    unnormalized = opt_prop_def(UnitAttr)
    output = result_def(TensorType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$x `,` $grid attr-dict `:` `(` type($x) `,` type($grid) `)` `->` type($output)"
    )

    @property
    def needs_elements(self) -> Sequence[int]:
        return (0,)

    @property
    def finite_operands(self) -> Sequence[int]:
        return (1,)

    def infer(self) -> Sequence[Attribute]:
        sizes, places = shape(self.x), shape(self.grid)
        if not is_float(element_type(self.x)) or not is_float(element_type(self.grid)):
            raise CompileError("works on floats")
        if self.mode.data not in _TAPS or self.padding.data not in _PADDINGS:
            raise CompileError(f"mode {self.mode.data!r} with padding {self.padding.data!r}")
        rank = len(sizes) - 2
        if rank < 1 or len(places) != len(sizes) or places[-1] != rank or places[0] != sizes[0]:
            raise CompileError(f"a grid of {list(places)} does not fit a tensor of {list(sizes)}")
        return [TensorType(element_type(self.x), [*sizes[:2], *places[1:-1]])]

    @property
    def has_steps(self) -> bool:
        return self.mode.data == "nearest"

    def flops(self) -> int:
        return 2 * _TAPS[self.mode.data] ** (len(shape(self.x)) - 2) * self.domain.points

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        b, type = scope.b, compute_type(element_type(self.x))
        axes = range(2, len(shape(self.x)))
        taps = [self._taps(scope, index, axis) for axis in axes]
        total = b.constant(0, type)
        for chosen in product(*taps):
            x = scope.read(self.x, [*index[:2], *(tap.position for tap in chosen)])
            weight, inside = chosen[0].weight, chosen[0].inside
            for tap in chosen[1:]:
                weight = b.mul(weight, tap.weight)
                inside = b.logical("and", inside, tap.inside)
            # Chosen, not multiplied by 0: an element outside may be infinite where it is read.
            part = b.select(inside, b.mul(x, b.cast(weight, type)), b.constant(0, type))
            total = b.add(total, part)
        return total

    def _taps(self, scope: Scope, index: Index, axis: int) -> list[_Tap]:
        b, size = scope.b, shape(self.x)[axis]
        number = AffineExpr.constant(len(shape(self.x)) - 1 - axis)
        coordinate = self._coordinate(
            b, scope.read(self.grid, [index[0], *index[2:], number]), size
        )
        nearest = self.mode.data == "nearest"
        base = b.math(math.RoundEvenOp if nearest else math.FloorOp, coordinate)
        weights = self._weights(b, b.sub(coordinate, base))
        first = b.add(b.cast(base, i64), b.constant(_FIRST_TAP[self.mode.data], i64))
        taps: list[_Tap] = []
        for step, weight in enumerate(weights):
            place = b.add(first, b.constant(step, i64))
            inside = b.compare("eq", place, clamped(b, place, size))
            if self.padding.data != "zeros":
                inside = b.constant(True, inside.type)
            taps.append(_Tap(scope.symbol(self._padded(b, place, size)), weight, inside))
        return taps

    def _placement(self, size: int) -> tuple[float, float]:
        """Return what a coordinate is multiplied by, and what is added, to make it an index."""
        if self.unnormalized is not None:
            return 1.0, 0.0
        return (size - 1 if self.align_corners is not None else size) / 2, (size - 1) / 2

    def _coordinate(self, b: ScalarBuilder, x: SSAValue, size: int) -> SSAValue:
        """Write a coordinate as an index, which may lie between elements."""
        position = b.fma(x, *(b.constant(number, x.type) for number in self._placement(size)))
        far = b.constant(_FARTHEST, x.type)
        return b.maximum(b.negate(far), b.minimum(position, far))

    def _weights(self, b: ScalarBuilder, offset: SSAValue) -> list[SSAValue]:
        """Write the weight of each tap from the distance to the one at the floor."""
        one = b.constant(1, offset.type)
        if self.mode.data == "nearest":
            return [one]
        rest = b.sub(one, offset)
        if self.mode.data == "linear":
            return [rest, offset]
        outer, inner = _outer_weight(b, offset), _inner_weight(b, offset)
        return [outer, inner, _inner_weight(b, rest), _outer_weight(b, rest)]

    def _padded(self, b: ScalarBuilder, place: SSAValue, size: int) -> SSAValue:
        """Write the position inside that stands for any position."""
        if self.padding.data == "reflection":
            place = self._reflected(b, place, size)
        return clamped(b, place, size)

    def _reflected(self, b: ScalarBuilder, place: SSAValue, size: int) -> SSAValue:
        overlap = 1 if self.align_corners is None else 0
        last = 2 * (size - 1) + overlap
        period = b.constant(max(last + overlap, 1), i64)
        # The remainder has the sign of the position; a second one makes it positive.
        forth = b.rem(b.add(b.rem(place, period), period), period)
        return b.minimum(forth, b.sub(b.constant(last, i64), forth))

    def reference(self, *operands: Array) -> Array:
        x, grid = operands
        spatial = x.shape[2:]
        taps = [self._reference_taps(grid[..., -1 - a], n) for a, n in enumerate(spatial)]
        batch = np.arange(x.shape[0]).reshape([-1] + [1] * len(spatial))
        total = np.zeros([x.shape[0], *grid.shape[1:-1], x.shape[1]], x.dtype)
        for chosen in product(*taps):
            weight = np.prod([w for _, w in chosen], axis=0)
            part = np.moveaxis(x, 1, -1)[(batch, *(place for place, _ in chosen))]
            total += np.where(weight[..., None] == 0, 0, part * weight[..., None])
        return np.moveaxis(total, -1, 1)

    def _reference_taps(self, grid: Array, size: int) -> list[tuple[Array, Array]]:
        factor, shift = self._placement(size)
        at = grid * factor + shift
        base = np.rint(at) if self.mode.data == "nearest" else np.floor(at)
        taps: list[tuple[Array, Array]] = []
        for step in range(_TAPS[self.mode.data]):
            place = base + _FIRST_TAP[self.mode.data] + step
            weight = self._reference_weight(np.abs(at - place))
            if self.padding.data == "zeros":
                weight = np.where((place < 0) | (place >= size), 0, weight)
            taps.append((self._reference_place(place.astype(np.int64), size), weight))
        return taps

    def _reference_weight(self, distance: Array) -> Array:
        if self.mode.data == "nearest":
            return np.ones_like(distance)
        if self.mode.data == "linear":
            return 1 - distance
        a, d = _SHARPNESS, distance
        near = (a + 2) * d**3 - (a + 3) * d**2 + 1
        return np.where(d <= 1, near, a * (d**3 - 5 * d**2 + 8 * d - 4))

    def _reference_place(self, place: Array, size: int) -> Array:
        if self.padding.data == "reflection":
            numbers = np.arange(size)
            mirrored = numbers[::-1] if self.align_corners is None else numbers[-2:0:-1]
            there_and_back = np.concatenate([numbers, mirrored])
            return there_and_back[place % len(there_and_back)]
        return np.clip(place, 0, size - 1)


def _inner_weight(b: ScalarBuilder, distance: SSAValue) -> SSAValue:
    """Write Keys' kernel for distances up to 1."""
    type = distance.type
    slope = b.fma(distance, b.constant(_SHARPNESS + 2, type), b.constant(-_SHARPNESS - 3, type))
    return b.fma(b.mul(slope, distance), distance, b.constant(1, type))


def _outer_weight(b: ScalarBuilder, beyond: SSAValue) -> SSAValue:
    """Write Keys' kernel for distances from 1 to 2: ``a * u * (u - 1)**2`` with ``u`` beyond 1."""
    rest = b.sub(beyond, b.constant(1, beyond.type))
    return b.mul(b.mul(b.constant(_SHARPNESS, beyond.type), beyond), b.mul(rest, rest))


OPERATIONS = [GridSampleOp]
