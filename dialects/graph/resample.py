"""Weighted sums of neighbours at even steps: resizing along several axes at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)

from dlc.dialects.graph.computed import Domain, Index, Scope, SummingOp
from dlc.dialects.graph.gather import check_axis
from dlc.dialects.graph.interpolate import weighted
from dlc.dialects.graph.movement import clamped
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, is_float, shape


@dataclass(frozen=True)
class Resampled:
    """An axis of ``graph.resample``: the result has ``size`` elements along it, number ``p`` of
    which begins at place ``(a * p + b) floordiv c`` of the operand, and is the sum of ``taps``.
    """

    axis: int
    size: int
    taps: int
    a: int
    b: int
    c: int

    def steps_evenly(self, count: int) -> bool:
        """Whether groups of so many neighbours begin equally far apart in the operand."""
        return count == 1 or self.a * count % self.c == 0

    def places(self, count: int) -> int:
        """Return the places of the operand that so many neighbours read together."""
        return (self.a * (count - 1) + self.b) // self.c - self.b // self.c + self.taps


@irdl_op_definition
class ResampleOp(SummingOp):
    """Weighted sums of neighbours along ``axes``, as if one axis after the other were resized.

    ``y[.., p, ..] = sum over t of weights[p mod n, t] * x[.., place(p) + t, ..]``

    ``place(p) = (a * p + b) floordiv c``, where ``lines`` has ``a, b, c`` for each axis; what lies
    outside is taken to the nearest element. ``n`` is the number of rows of the axis' weights,
    ``sizes`` how many elements of the result there are along each.

    ``%y = graph.resample %x weights %w {axes = array<i64: 1>, sizes = array<i64: 6>,
    lines = array<i64: 2, -1, 4>} : tensor<2x3xf32>, tensor<2x2xf32> -> tensor<2x6xf32>``
    """

    name = "graph.resample"
    x = operand_def(TensorType)
    weights = var_operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(i64))
    sizes = prop_def(DenseArrayBase.constr(i64))
    lines = prop_def(DenseArrayBase.constr(i64))
    output = result_def(TensorType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$x `weights` $weights attr-dict `:` type($x) `,` type($weights) `->` type($output)"
    )

    @property
    def needs_elements(self) -> Sequence[int]:
        return range(len(self.operands))

    def along(self) -> list[Resampled]:
        """Return what happens along each axis."""
        numbers = self.lines.get_values()
        lines = [numbers[i : i + 3] for i in range(0, len(numbers), 3)]
        taps = [shape(weights)[1] for weights in self.weights]
        each = zip(self.axes.get_values(), self.sizes.get_values(), taps, lines, strict=True)
        return [Resampled(axis, size, count, *line) for axis, size, count, line in each]

    def infer(self) -> Sequence[Attribute]:
        sizes, element, count = list(shape(self.x)), element_type(self.x), len(self.axes)
        if not is_float(element) or any(element_type(w) != element for w in self.weights):
            raise CompileError(
                f"needs floats of one type, got {', '.join(map(str, self._types()))}"
            )
        if not len(self.weights) == len(self.sizes) == len(self.lines) / 3 == count > 0:
            raise CompileError("each axis needs weights, a size and three numbers of its line")
        if len(set(self.axes.get_values())) < count:
            raise CompileError("an axis is resized once; each axis should be another one")
        if any(len(shape(w)) != 2 for w in self.weights):
            raise CompileError("weights need two axes")
        for each in self.along():
            check_axis(each.axis, len(sizes))
            if each.c < 1 or each.size < 0:
                raise CompileError(f"the line of axis {each.axis} has no positive divisor")
            sizes[each.axis] = each.size
        return [TensorType(element, sizes)]

    def _types(self) -> list[Attribute]:
        return [element_type(value) for value in self.operands]

    @property
    def domain(self) -> Domain:
        return Domain(shape(self.output), tuple(shape(w)[1] for w in self.weights))

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        b, at = scope.b, list(index)
        factors: list[SSAValue] = []
        for each, weights, tap in zip(self.along(), self.weights, reduction, strict=True):
            p = index[each.axis]
            place = scope.integer((p * each.a + each.b) // each.c + tap, i64)
            at[each.axis] = scope.symbol(clamped(b, place, shape(self.x)[each.axis]))
            factors.append(scope.read(weights, [p % shape(weights)[0], tap]))
        return [b.mul(scope.read(self.x, at), reduce(b.mul, factors))]

    def flops(self) -> int:
        return 2 * self.domain.points

    def reference(self, *operands: Array) -> Array:
        y, *weights = operands
        for each, table in zip(self.along(), weights, strict=True):
            at = np.arange(each.size)
            first = (each.a * at + each.b) // each.c
            places = first[:, np.newaxis] + np.arange(table.shape[1])
            places = np.clip(places, 0, y.shape[each.axis] - 1)
            y = weighted(y, places, table[at % len(table)], each.axis)
        return y


OPERATIONS = [ResampleOp]
