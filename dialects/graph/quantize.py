"""Between real numbers and the integers that stand for them: ``x = (q - zero_point) * scale``."""

from abc import ABC
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import (
    compute_type,
    element_type,
    is_float,
    is_integer,
    numpy_dtype,
    shape,
)


class ScaledOp(CompositeOp, ABC):
    """An op with a scale and a zero point.

    There is one of both for all elements, or one for each index along ``axis``, or one for each
    ``block`` neighbours along ``axis``.
    """

    x = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero_point = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    block = opt_prop_def(IntegerAttr.constr(type=i64))
    output = result_def(TensorType)
    assembly_format = (
        "$x `scale` $scale `zero_point` $zero_point `axis` $axis (`block` $block^)? attr-dict"
        " `:` type($x) `,` type($scale) `,` type($zero_point) `->` type($output)"
    )

    def check_parameters(self, quantized: Attribute, real: Attribute) -> None:
        """Raise CompileError unless types and shapes fit together."""
        if element_type(self.zero_point) != quantized or not is_integer(quantized):
            raise CompileError(
                f"the zero point is {element_type(self.zero_point)}, the quantised tensor"
                f" {quantized}"
            )
        if not is_float(real) or not is_float(element_type(self.scale)):
            raise CompileError(f"the scale and the real tensor must be floats, not {real}")
        if shape(self.scale) != shape(self.zero_point):
            raise CompileError("the scale and the zero point have different shapes")
        expected = self._parameter_shape()
        if shape(self.scale) != expected:
            raise CompileError(
                f"the scale has shape {list(shape(self.scale))}, needs {list(expected)}"
            )

    def _parameter_shape(self) -> tuple[int, ...]:
        sizes, axis = shape(self.x), self.axis.value.data
        if not shape(self.scale):
            return ()
        if not 0 <= axis < len(sizes):
            raise CompileError(f"axis {axis} is outside a tensor of {len(sizes)} axes")
        if self.block is None:
            return (sizes[axis],)
        return (*sizes[:axis], -(-sizes[axis] // self.block.value.data), *sizes[axis + 1 :])

    def write_parameter(self, g: Composer, parameter: SSAValue) -> SSAValue:
        """Write a scale or zero point so that it broadcasts to ``x``."""
        sizes, axis = shape(parameter), self.axis.value.data
        if not sizes:
            return parameter
        if self.block is None:
            return g.on_axis(parameter, axis, len(shape(self.x)))
        block = self.block.value.data
        apart = g.reshape(parameter, [*sizes[: axis + 1], 1, *sizes[axis + 1 :]])
        apart = g.broadcast(apart, [*sizes[: axis + 1], block, *sizes[axis + 1 :]])
        joined = g.reshape(apart, [*sizes[:axis], sizes[axis] * block, *sizes[axis + 1 :]])
        return g.part(joined, axis, 0, shape(self.x)[axis])

    def spread(self, parameter: Array) -> Array:
        """Return a scale or zero point so that it broadcasts to ``x``, in numpy."""
        axis, sizes = self.axis.value.data, shape(self.x)
        if not parameter.shape:
            return parameter
        if self.block is None:
            return parameter.reshape([-1 if a == axis else 1 for a in range(len(sizes))])
        repeated = np.repeat(parameter, self.block.value.data, axis)
        return repeated.take(range(sizes[axis]), axis)


def write_quantized(g: Composer, x: SSAValue, zero_point: SSAValue) -> SSAValue:
    """Write ``round(x) + zero_point`` limited to the range of the zero point's element type.

    The sum is formed in ``f32``, exactly for 16 bits and fewer.
    """
    element = element_type(zero_point)
    limits = np.iinfo(numpy_dtype(element))
    moved = g.add(g.round(x), g.cast(zero_point, element_type(x)))
    return g.cast(g.clip(moved, limits.min, limits.max), element)


@irdl_op_definition
class QuantizeLinearOp(ScaledOp):
    """``y = round(x / scale) + zero_point``, halves to even, limited to the zero point's type.

    The quotient is one of the compute type of ``x``, which decides what is a half.

    ``%q = graph.quantize_linear %x scale %s zero_point %z axis 0
    : tensor<4xf32>, tensor<f32>, tensor<ui8> -> tensor<4xui8>``
    """

    name = "graph.quantize_linear"

    def infer(self) -> Sequence[Attribute]:
        element = element_type(self.zero_point)
        self.check_parameters(element, element_type(self.x))
        if numpy_dtype(element).itemsize > 2:
            raise CompileError(f"quantises to at most 16 bits, not to {element}")
        return [TensorType(element, shape(self.x))]

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        x = g.widen(self.x)
        scale = g.cast(self.write_parameter(g, self.scale), element_type(x))
        return [write_quantized(g, g.div(x, scale), self.write_parameter(g, self.zero_point))]

    def reference(self, *operands: Array) -> Array:
        x, scale, zero_point = operands
        # A quotient is a tie, or is not, in the precision of the division: ONNX, QuantizeLinear.
        dtype = numpy_dtype(compute_type(element_type(self.x)))
        quotient = x.astype(dtype) / self.spread(scale).astype(dtype)
        limits = np.iinfo(zero_point.dtype)
        y = np.rint(quotient) + self.spread(zero_point)
        return np.clip(y, limits.min, limits.max).astype(zero_point.dtype)


@irdl_op_definition
class DequantizeLinearOp(ScaledOp):
    """``y = (x - zero_point) * scale``, in the element type of the scale."""

    name = "graph.dequantize_linear"

    def infer(self) -> Sequence[Attribute]:
        element = element_type(self.scale)
        self.check_parameters(element_type(self.x), element)
        return [TensorType(element, shape(self.x))]

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        scale = g.widen(self.write_parameter(g, self.scale))
        zero_point = g.cast(self.write_parameter(g, self.zero_point), i32)
        distance = g.sub(g.cast(self.x, i32), zero_point)
        y = g.mul(g.cast(distance, element_type(scale)), scale)
        return [g.cast(y, element_type(self.scale))]

    def reference(self, *operands: Array) -> Array:
        x, scale, zero_point = operands
        return (x.astype(np.float64) - self.spread(zero_point)) * self.spread(scale)


OPERATIONS = [QuantizeLinearOp, DequantizeLinearOp]
