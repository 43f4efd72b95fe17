"""Convolutions."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dlc.dialects.graph.computed import ContractionOp, Domain, WeightInner, WeightOrder
from dlc.dialects.graph.contraction import matrix_product, wide_integers
from dlc.dialects.graph.data_layout import (
    CHANNELS_FIRST,
    CHANNELS_LAST,
    HWIO,
    OHWI,
    OIHW,
    DataLayoutAttr,
    WeightLayoutAttr,
    channels_last_permutation,
)
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.graph.window import Window
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, shape


@irdl_op_definition
class ConvOp(ContractionOp):
    """``y[n, o, p] = sum over i, t of x[n, i, p * stride + t * dilation - begin] * w[o, i, t]``.

    Any number of spatial axes. ``padding`` holds the begin of every axis, then the end of every
    axis; padded elements are 0. With ``groups`` the output channels are cut in as many parts, each
    of which sees its part of the input channels only. The reduction runs in the order in which the
    weight is stored. 8-bit integers, with a sign or without, give ``i32``.

    ``%y = graph.conv %x, %w strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1]
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>``
    """

    name = "graph.conv"
    x = operand_def(TensorType)
    weight = operand_def(TensorType)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilations = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr.constr(type=i64), default_value=integer(1))
    data_layout = prop_def(DataLayoutAttr, default_value=CHANNELS_FIRST)
    weight_layout = prop_def(WeightLayoutAttr, default_value=OIHW)
    output = result_def(TensorType)
    assembly_format = (
        "$x `,` $weight `strides` $strides `padding` $padding `dilations` $dilations"
        " (`groups` $groups^)? (`layout` $data_layout^)? (`weight_layout` $weight_layout^)?"
        " (`precision` $precision^)?"
        " attr-dict `:` `(` type($x) `,` type($weight) `)` `->` type($output)"
    )

    @property
    def windows(self) -> tuple[Window, ...]:
        """The window of each spatial axis."""
        _, _, axes = self.weight_layout.axes(len(shape(self.weight)))
        sizes = [shape(self.weight)[a] for a in axes]
        strides, dilations = self.strides.get_values(), self.dilations.get_values()
        padding = self.padding.get_values()
        if not 2 * len(strides) == 2 * len(dilations) == len(padding) == 2 * len(sizes):
            raise CompileError(
                f"{len(sizes)} window axes need as many strides and dilations and twice as many"
                f" paddings, got {len(strides)}, {len(dilations)} and {len(padding)}"
            )
        begins, ends = padding[: len(sizes)], padding[len(sizes) :]
        return tuple(map(Window, sizes, strides, begins, ends, dilations))

    @property
    def needs_elements(self) -> Sequence[int]:
        return (0, 1)

    def infer(self) -> Sequence[Attribute]:
        data, weight = shape(self.x), shape(self.weight)
        element = self.sum_type()
        if len(data) != len(weight) or len(data) < 3:
            raise CompileError(
                f"the data has {len(data)} axes and the weight {len(weight)}; both need the same"
                " number, at least 3"
            )
        outputs = self._output_channels()
        sizes = list(data)
        sizes[self.data_layout.channel_axis(len(data))] = outputs
        axes = self.data_layout.spatial_axes(len(data))
        for axis, window in zip(axes, self.windows, strict=True):
            sizes[axis] = window.positions(data[axis])
        return [TensorType(element, sizes)]

    def _output_channels(self) -> int:
        rank = len(shape(self.x))
        o, i, _ = self.weight_layout.axes(rank)
        groups, outputs, part = self.groups.value.data, shape(self.weight)[o], shape(self.weight)[i]
        channels = shape(self.x)[self.data_layout.channel_axis(rank)]
        if groups < 1 or outputs % groups:
            raise CompileError(f"{outputs} output channels do not divide into {groups} groups")
        if channels not in (DYNAMIC, part * groups):
            raise CompileError(
                f"the data has {channels} channels, the weight is for {groups} x {part}"
            )
        return outputs

    @property
    def domain(self) -> Domain:
        o, *inner = self._weight_order()
        del o
        return Domain(shape(self.output), tuple(shape(self.weight)[a] for a in inner))

    def _weight_order(self) -> list[int]:
        """Return the output-channel axis of the weight, then its others in stored order."""
        rank = len(shape(self.weight))
        o, _, _ = self.weight_layout.axes(rank)
        return [o, *(a for a in range(rank) if a != o)]

    @property
    def lhs_guard(self) -> Sequence[int]:
        sizes = shape(self.x)
        axes = self.data_layout.spatial_axes(len(sizes))
        return [a for a, w in zip(axes, self.windows, strict=True) if w.leaves(sizes[a])]

    def indexing_maps(self) -> tuple[AffineMap, AffineMap, AffineMap]:
        rank = len(shape(self.x))
        dims = [AffineExpr.dimension(a) for a in range(2 * rank - 1)]
        result, reduction = dims[:rank], dims[rank:]
        o, i, window_axes = self.weight_layout.axes(rank)
        at_weight = dict(zip(self._weight_order()[1:], reduction, strict=True))
        channel = self.data_layout.channel_axis(rank)
        at_weight[o] = result[channel]
        lhs = list(result)
        lhs[channel] = self._input_channel(result[channel], at_weight[i])
        axes = self.data_layout.spatial_axes(rank)
        for axis, window, tap in zip(axes, self.windows, window_axes, strict=True):
            lhs[axis] = window.index(result[axis], at_weight[tap])
        return (
            AffineMap(len(dims), 0, tuple(lhs)),
            AffineMap(len(dims), 0, tuple(at_weight[a] for a in range(rank))),
            AffineMap(len(dims), 0, tuple(result)),
        )

    def _input_channel(self, output: AffineExpr, part: AffineExpr) -> AffineExpr:
        """Return the input channel at position ``part`` of the group of an output channel."""
        groups = self.groups.value.data
        if groups == 1:
            return part
        o, i, _ = self.weight_layout.axes(len(shape(self.weight)))
        outputs, inputs = shape(self.weight)[o] // groups, shape(self.weight)[i]
        group = output if outputs == 1 else output // outputs
        return group if inputs == 1 else group * inputs + part

    def weight_order(self, inner: WeightInner) -> WeightOrder | None:
        rank = len(shape(self.weight))
        o, i, window = self.weight_layout.axes(rank)
        # One input channel per group leaves nothing consecutive to read along k.
        by_output = inner == "n" or shape(self.weight)[i] == 1
        layout = HWIO if by_output else OHWI
        if layout == self.weight_layout:
            return None
        axes = (*window, i, o) if by_output else (o, *window, i)
        return WeightOrder(axes, {"weight_layout": layout})

    @property
    def permuted_operands(self) -> Sequence[int]:
        return (0,)

    @property
    def preferred_permutation(self) -> Sequence[int] | None:
        if self.data_layout == CHANNELS_LAST:
            return None
        return channels_last_permutation(len(shape(self.x)))

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        layout = self.data_layout.permuted(permutation)
        return None if layout is None else self.with_operands(operands, data_layout=layout)

    def reference(self, *operands: Array) -> Array:
        x, weight = wide_integers(*operands)
        rank = x.ndim
        o, i, axes = self.weight_layout.axes(rank)
        x = np.moveaxis(x, self.data_layout.channel_axis(rank), 1)
        y = convolve(x, weight.transpose(o, i, *axes), self.windows, self.groups.value.data)
        return np.moveaxis(y, 1, self.data_layout.channel_axis(rank))


def convolve(x: Array, weight: Array, windows: Sequence[Window], groups: int) -> Array:
    """Convolve ``x[n, c, ...]`` with ``weight[o, c / groups, ...]``: one matrix product per tap."""
    positions = [w.positions(n) for w, n in zip(windows, x.shape[2:], strict=True)]
    padded = np.pad(x, [(0, 0), (0, 0), *((w.begin, w.end) for w in windows)])
    batch, outputs = x.shape[0], weight.shape[0]
    split = weight.reshape(1, groups, outputs // groups, *weight.shape[1:])
    y = np.zeros((batch, groups, outputs // groups, int(np.prod(positions))), x.dtype)
    for tap, part in taps(padded, windows, positions):
        columns = part.reshape(batch, groups, -1, y.shape[-1])
        factor = split[(..., *tap)]
        y += factor * columns if factor.shape[-1] == 1 else matrix_product(factor, columns)
    return y.reshape(batch, outputs, *positions)


def taps(
    padded: Array, windows: Sequence[Window], positions: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Yield every tap and what all windows read there of ``padded[n, c, ...]``."""
    for tap in product(*(range(w.size) for w in windows)):
        yield (
            tap,
            padded[
                (
                    slice(None),
                    slice(None),
                    *(
                        slice(t * w.dilation, t * w.dilation + (p - 1) * w.stride + 1, w.stride)
                        for t, w, p in zip(tap, windows, positions, strict=True)
                    ),
                )
            ],
        )


OPERATIONS = [ConvOp]
