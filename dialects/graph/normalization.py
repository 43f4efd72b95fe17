"""Normalisations: to mean 0 and variance 1 over some axes, then scaled and shifted.

The variance is the mean of squared distances to the mean, never a difference of two large sums.
16-bit floats are normalised in ``f32``, so that neither the square of a distance leaves their range
nor ``epsilon`` is below it.
"""

from abc import ABC
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.data_layout import CHANNELS_FIRST, DataLayoutAttr
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, broadcast_shapes, element_type, is_float, shape


def require_floats(op: GraphOp) -> Attribute:
    """Return the one float element type of all operands; raises CompileError otherwise."""
    elements = {element_type(x) for x in op.operands}
    element = element_type(op.operands[0])
    if len(elements) > 1 or not is_float(element):
        names = " and ".join(sorted(map(str, elements)))
        raise CompileError(f"needs operands of one float element type, got {names}")
    return element


def standardized(g: Composer, x: SSAValue, axes: Sequence[int], epsilon: float) -> SSAValue:
    """Write ``(x - mean) / sqrt(variance + epsilon)`` over ``axes``."""
    wide = g.keep_wide(x)
    distance = g.sub(wide, g.mean(wide, *axes))
    variance = g.mean(g.mul(distance, distance), *axes)
    return g.narrow_like(g.mul(distance, inverse_deviation(g, variance, epsilon)), x)


def inverse_deviation(g: Composer, variance: SSAValue, epsilon: float) -> SSAValue:
    """Write ``1 / sqrt(variance + epsilon)``."""
    deviation = g.sqrt(g.add(variance, g.like(epsilon, variance)))
    return g.div(g.like(1, variance), deviation)


def standardize(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """Return ``(x - mean) / sqrt(variance + epsilon)`` over ``axes``."""
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


@irdl_op_definition
class BatchNormOp(CompositeOp):
    """``y = (x - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]`` per channel ``c``.

    The statistics are operands (inference form). Parameters are vectors of the type of ``x``.
    """

    name = "graph.batch_norm"
    x = operand_def(TensorType)
    scale = operand_def(TensorType)
    bias = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    epsilon = prop_def(FloatAttr.constr(type=f64))
    data_layout = prop_def(DataLayoutAttr, default_value=CHANNELS_FIRST)
    output = result_def(TensorType)
    assembly_format = (
        "$x `scale` $scale `bias` $bias `mean` $mean `variance` $variance `epsilon` $epsilon"
        " (`layout` $data_layout^)? attr-dict `:` type($x) `,` type($scale) `,` type($bias) `,`"
        " type($mean) `,` type($variance) `->` type($output)"
    )

    @property
    def channel_axis(self) -> int:
        """The axis along which the parameters run."""
        rank = len(shape(self.x))
        return min(self.data_layout.channel_axis(rank), rank - 1)

    def infer(self) -> Sequence[Attribute]:
        require_floats(self)
        channels = shape(self.x)[self.channel_axis]
        for parameter in self.operands[1:]:
            sizes = shape(parameter)
            if len(sizes) != 1 or (DYNAMIC not in (*sizes, channels) and sizes != (channels,)):
                raise CompileError(
                    f"a parameter has shape {list(shape(parameter))}, needs [{channels}]"
                )
        return [self.x.type]

    def affine(self, g: Composer) -> tuple[SSAValue, SSAValue]:
        """Write the factor and the summand of each channel: ``y = x * factor + summand``."""
        scale, bias, mean, variance = map(g.widen, self.operands[1:])
        factor = g.mul(scale, inverse_deviation(g, variance, self.epsilon.value.data))
        return factor, g.sub(bias, g.mul(mean, factor))

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        rank, axis = len(shape(self.x)), self.channel_axis
        factor, summand = (g.on_axis(v, axis, rank) for v in self.affine(g))
        y = g.add(g.mul(g.widen(self.x), factor), summand)
        return [g.cast(y, element_type(self.x))]

    def reference(self, *operands: Array) -> Array:
        x = np.moveaxis(operands[0], self.channel_axis, -1)
        scale, bias, mean, variance = operands[1:]
        y = (x - mean) / np.sqrt(variance + self.epsilon.value.data) * scale + bias
        return np.moveaxis(y, -1, self.channel_axis)


class NormalizeLastOp(CompositeOp, ABC):
    """A normalisation over the axes from ``axis`` to the last one, scaled and maybe shifted.

    ``scale`` and ``bias`` broadcast to the shape of ``x``.
    """

    x = operand_def(TensorType)
    scale = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    epsilon = prop_def(FloatAttr.constr(type=f64))
    output = result_def(TensorType)
    assembly_format = (
        "$x `scale` $scale (`bias` $bias^ `:` type($bias))? `axis` $axis `epsilon` $epsilon"
        " attr-dict `:` type($x) `,` type($scale) `->` type($output)"
    )

    @property
    def normalized(self) -> tuple[int, ...]:
        """The axes over which the statistics run."""
        return tuple(range(self.axis.value.data, len(shape(self.x))))

    def infer(self) -> Sequence[Attribute]:
        require_floats(self)
        if not self.normalized or self.axis.value.data < 0:
            raise CompileError(
                f"axis {self.axis.value.data} is outside a tensor of {len(shape(self.x))} axes"
            )
        if broadcast_shapes(*map(shape, self.operands)) != shape(self.x):
            raise CompileError("the scale or the bias does not broadcast to the data")
        return [self.x.type]

    def _scaled(self, g: Composer, y: SSAValue) -> list[SSAValue]:
        y = g.mul(y, self.scale)
        return [y if self.bias is None else g.add(y, self.bias)]


@irdl_op_definition
class LayerNormOp(NormalizeLastOp):
    """``y = (x - mean) / sqrt(variance + epsilon) * scale + bias`` over the last axes.

    ``%y = graph.layer_norm %x scale %s bias %b : tensor<8xf32> axis 1 epsilon 1.0e-05
    : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>``
    """

    name = "graph.layer_norm"

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        return self._scaled(g, standardized(g, self.x, self.normalized, self.epsilon.value.data))

    def reference(self, *operands: Array) -> Array:
        x, scale, *bias = operands
        y = standardize(x, self.normalized, self.epsilon.value.data) * scale
        return y + bias[0] if bias else y


@irdl_op_definition
class RmsNormOp(NormalizeLastOp):
    """``y = x / sqrt(mean of x * x + epsilon) * scale + bias`` over the last axes."""

    name = "graph.rms_norm"

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        x = g.keep_wide(self.x)
        power = g.mean(g.mul(x, x), *self.normalized)
        inverse = inverse_deviation(g, power, self.epsilon.value.data)
        return self._scaled(g, g.narrow_like(g.mul(x, inverse), self.x))

    def reference(self, *operands: Array) -> Array:
        x, scale, *bias = operands
        power = np.square(x).mean(self.normalized, keepdims=True)
        y = x / np.sqrt(power + self.epsilon.value.data) * scale
        return y + bias[0] if bias else y


@irdl_op_definition
class GroupNormOp(CompositeOp):
    """``y = (x - mean) / sqrt(variance + epsilon) * scale[c] + bias[c]``, channels first.

    The statistics run over all elements of a batch entry in one of ``groups`` parts of the
    channels; as many groups as channels make an instance normalisation.
    """

    name = "graph.group_norm"
    x = operand_def(TensorType)
    scale = operand_def(TensorType)
    bias = operand_def(TensorType)
    groups = prop_def(IntegerAttr.constr(type=i64))
    epsilon = prop_def(FloatAttr.constr(type=f64))
    output = result_def(TensorType)
    assembly_format = (
        "$x `scale` $scale `bias` $bias `groups` $groups `epsilon` $epsilon attr-dict"
        " `:` type($x) `,` type($scale) `,` type($bias) `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        require_floats(self)
        sizes, groups = shape(self.x), self.groups.value.data
        if len(sizes) < 2 or groups < 1 or sizes[1] % groups:
            raise CompileError(f"the channels of shape {list(sizes)} do not make {groups} groups")
        for parameter in (self.scale, self.bias):
            if shape(parameter) != (sizes[1],):
                raise CompileError(
                    f"a parameter has shape {list(shape(parameter))}, needs [{sizes[1]}]"
                )
        return [self.x.type]

    def _grouped(self) -> tuple[int, ...]:
        """Return the shape with the channels cut in groups."""
        sizes, groups = shape(self.x), self.groups.value.data
        return (sizes[0], groups, sizes[1] // groups, *sizes[2:])

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        sizes, grouped = shape(self.x), self._grouped()
        x = g.reshape(self.x, grouped)
        y = standardized(g, x, range(2, len(grouped)), self.epsilon.value.data)
        # In the shape of the groups, so that all of it is about the rows that are reduced.
        each = [*grouped[1:3], *(1 for _ in grouped[3:])]
        scale, bias = (g.reshape(v, each) for v in (self.scale, self.bias))
        return [g.reshape(g.add(g.mul(y, scale), bias), sizes)]

    def reference(self, *operands: Array) -> Array:
        x, *parameters = operands
        grouped = x.reshape(self._grouped())
        axes = tuple(range(2, grouped.ndim))
        y = standardize(grouped, axes, self.epsilon.value.data).reshape(x.shape)
        scale, bias = (np.expand_dims(v, tuple(range(1, x.ndim - 1))) for v in parameters)
        return y * scale + bias


OPERATIONS = [BatchNormOp, LayerNormOp, RmsNormOp, GroupNormOp]
