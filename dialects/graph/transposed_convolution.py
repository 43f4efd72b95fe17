"""Transposed convolution, as one convolution and a rearrangement of its channels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.data_layout import OHWI
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, element_type, shape


@dataclass(frozen=True)
class Axis:
    """One spatial axis: element ``i`` of the input adds to ``i * stride + tap * dilation - begin``.

    growth: elements that the result has beyond what the inputs reach.
    """

    length: int
    taps: int
    stride: int
    begin: int
    end: int
    dilation: int
    growth: int

    @property
    def result(self) -> int:
        """The length of the result; raises CompileError when it is not positive."""
        if self.length == DYNAMIC:
            return DYNAMIC
        reached = (self.length - 1) * self.stride + (self.taps - 1) * self.dilation + 1
        result = reached + self.growth - self.begin - self.end
        if result < 1:
            raise CompileError(f"an axis of {self.length} elements would have {result} elements")
        return result

    # As a convolution. Result element p = position * stride + phase - begin receives the taps
    # phase, phase + stride, ...: each phase is a convolution of its own, whose taps are
    # ``spacing`` elements of the input apart.

    @property
    def spacing(self) -> int:
        """Elements of the input between two taps of a phase."""
        return self.dilation if self.stride == 1 else 1

    @property
    def dense_taps(self) -> int:
        """Taps of the kernel once zeros stand for what a dilation leaves out."""
        return self.taps if self.stride == 1 else (self.taps - 1) * self.dilation + 1

    @property
    def phase_taps(self) -> int:
        """Taps of each phase."""
        return -(-self.dense_taps // self.stride)

    @property
    def phases(self) -> int:
        """Phases with taps; the last ones have none where there are more than taps."""
        return min(self.stride, self.dense_taps)

    @property
    def reach(self) -> int:
        """Elements from the first to the last tap of a phase."""
        return (self.phase_taps - 1) * self.spacing

    @property
    def first(self) -> int:
        """The first position that is computed."""
        return min(self.begin // self.stride, self.reach)

    @property
    def padding(self) -> tuple[int, int]:
        """Zeros before and after the input of the convolution."""
        stop = -(-(self.begin + self.result) // self.stride)
        return self.reach - self.first, max(0, stop - self.length)

    @property
    def positions(self) -> int:
        """How many positions the convolution has."""
        return self.length + sum(self.padding) - self.reach

    @property
    def crop(self) -> tuple[int, int]:
        """The part of all positions and phases that is the result."""
        start = self.begin - self.first * self.stride
        return start, start + self.result


@irdl_op_definition
class ConvTransposeOp(CompositeOp):
    """``y[n, o, i * stride + t * dilation - begin] += x[n, c, i] * w[c, o, t]``, channels first.

    ``padding`` holds what is cut off at the begin of every axis, then at the end of every axis;
    ``growth`` what is added after that at the end. The weight is ``[channels, outputs / groups,
    ...]``.
    """

    name = "graph.conv_transpose"
    x = operand_def(TensorType)
    weight = operand_def(TensorType)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilations = prop_def(DenseArrayBase.constr(i64))
    growth = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr.constr(type=i64), default_value=integer(1))
    output = result_def(TensorType)
    assembly_format = (
        "$x `,` $weight `strides` $strides `padding` $padding `dilations` $dilations"
        " `growth` $growth (`groups` $groups^)?"
        " attr-dict `:` `(` type($x) `,` type($weight) `)` `->` type($output)"
    )

    @property
    def axes(self) -> list[Axis]:
        """The spatial axes."""
        lengths, taps = shape(self.x)[2:], shape(self.weight)[2:]
        count = len(taps)
        strides, dilations = self.strides.get_values(), self.dilations.get_values()
        padding, growth = self.padding.get_values(), self.growth.get_values()
        given = [len(lengths), len(strides), len(dilations), len(growth), len(padding)]
        if given != [count, count, count, count, 2 * count]:
            raise CompileError(
                f"{count} window axes need as many sizes, strides, dilations and growths and twice"
                f" as many paddings, got {', '.join(map(str, given))}"
            )
        begins, ends = padding[:count], padding[count:]
        columns = (lengths, taps, strides, begins, ends, dilations, growth)
        return [Axis(*each) for each in zip(*columns, strict=True)]

    @property
    def needs_elements(self) -> Sequence[int]:
        return (0, 1)

    def infer(self) -> Sequence[Attribute]:
        data, weight, groups = shape(self.x), shape(self.weight), self.groups.value.data
        if element_type(self.x) != element_type(self.weight):
            raise CompileError("the data and the weight have different element types")
        if len(data) < 3 or len(weight) < 3:
            raise CompileError("the data and the weight need at least three axes")
        if data[1] not in (DYNAMIC, weight[0]) or groups < 1 or weight[0] % groups:
            raise CompileError(
                f"the data has {data[1]} channels, the weight is for {weight[0]} in {groups} groups"
            )
        sizes = [data[0], weight[1] * groups, *(axis.result for axis in self.axes)]
        return [TensorType(element_type(self.x), sizes)]

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g, axes = Composer(insert), self.axes
        weight = self._phase_weight(g)
        begins, ends = zip(*(axis.padding for axis in axes), strict=True)
        y = insert(
            ConvOp.make(
                self.x,
                weight,
                strides=integers([1] * len(axes)),
                padding=integers([*begins, *ends]),
                dilations=integers([axis.spacing for axis in axes]),
                groups=self.groups,
                weight_layout=OHWI,
            )
        )
        return [self._interleaved(g, y)]

    def _phase_weight(self, g: Composer) -> SSAValue:
        """Write the weight of the convolution that computes every phase as channels of its own,
        with the channels that are summed together last: it is written anyway.
        """
        axes, groups = self.axes, self.groups.value.data
        channels, outputs = shape(self.weight)[:2]
        w = self._dense_weight(g)
        fill = [axis.phase_taps * axis.phases - axis.dense_taps for axis in axes]
        w = g.pad(w, [0] * (2 + len(axes)), [0, 0, *fill])
        split = [n for axis in axes for n in (axis.phase_taps, axis.phases)]
        w = g.reshape(w, [groups, channels // groups, outputs, *split])
        taps, phases = (range(3 + side, 3 + 2 * len(axes), 2) for side in (0, 1))
        w = g.transpose(w, [0, 2, *phases, *taps, 1])
        rows = groups * outputs * prod(axis.phases for axis in axes)
        w = g.reshape(w, [rows, *(axis.phase_taps for axis in axes), channels // groups])
        return g.reverse(w, range(1, 1 + len(axes)))

    def _dense_weight(self, g: Composer) -> SSAValue:
        """Write the weight with zeros for what a dilation leaves out, where a stride needs them."""
        w, rank = self.weight, len(shape(self.weight))
        for number, axis in enumerate(self.axes, 2):
            if axis.dense_taps == axis.taps:
                continue
            sizes = list(shape(w))
            apart = g.reshape(w, [*sizes[: number + 1], 1, *sizes[number + 1 :]])
            high = [axis.dilation - 1 if a == number + 1 else 0 for a in range(rank + 1)]
            apart = g.pad(apart, [0] * (rank + 1), high)
            sizes[number] = axis.taps * axis.dilation
            w = g.part(g.reshape(apart, sizes), number, 0, axis.dense_taps)
        return w

    def _interleaved(self, g: Composer, y: SSAValue) -> SSAValue:
        """Write the phases, which are channels of ``y``, as neighbours along the spatial axes, with
        zeros for those without taps.
        """
        axes, count = self.axes, len(self.axes)
        batch, outputs = shape(self.output)[:2]
        positions = [axis.positions for axis in axes]
        y = g.reshape(y, [batch, outputs, *(axis.phases for axis in axes), *positions])
        pairs = [a for axis in range(count) for a in (2 + count + axis, 2 + axis)]
        y = g.transpose(y, [0, 1, *pairs])
        none = [n for axis in axes for n in (0, axis.stride - axis.phases)]
        y = g.pad(y, [0] * (2 + 2 * count), [0, 0, *none])
        full = [axis.stride * n for axis, n in zip(axes, positions, strict=True)]
        y = g.reshape(y, [batch, outputs, *full])
        crops = {number: axis.crop for number, axis in enumerate(axes, 2)}
        if all(crop == (0, n) for crop, n in zip(crops.values(), full, strict=True)):
            return y
        return g.window(y, crops)

    def reference(self, *operands: Array) -> Array:
        x, weight = operands
        axes, groups = self.axes, self.groups.value.data
        batch, channels, outputs = x.shape[0], x.shape[1], weight.shape[1]
        reached = [(a.length - 1) * a.stride + (a.taps - 1) * a.dilation + 1 for a in axes]
        room = [n + a.growth for n, a in zip(reached, axes, strict=True)]
        y = np.zeros((batch, groups, outputs, *room), x.dtype)
        columns = x.reshape(batch, groups, channels // groups, -1)
        factors = weight.reshape(groups, channels // groups, outputs, *weight.shape[2:])
        for tap in product(*(range(axis.taps) for axis in axes)):
            place = [
                slice(t * a.dilation, t * a.dilation + (a.length - 1) * a.stride + 1, a.stride)
                for t, a in zip(tap, axes, strict=True)
            ]
            part = np.matmul(np.swapaxes(factors[(..., *tap)], 1, 2), columns)
            y[(..., *place)] += part.reshape(batch, groups, outputs, *x.shape[2:])
        kept = [slice(a.begin, a.begin + a.result) for a in axes]
        return y[(..., *kept)].reshape(shape(self.output))


OPERATIONS = [ConvTransposeOp]
