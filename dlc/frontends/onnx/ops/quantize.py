"""Quantisation, and products of quantised tensors."""

import numpy as np
from onnx.helper import tensor_dtype_to_np_dtype
from xdsl.dialects.builtin import IntegerType, Signedness, f32, i32
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.quantize import DequantizeLinearOp, QuantizeLinearOp, write_quantized
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.contraction import matmul
from dlc.frontends.onnx.ops.convolution import convolution
from dlc.ir.tensor import element_type, element_type_of, shape

_BYTE = IntegerType(8, Signedness.UNSIGNED)


def _scaling(
    node: NodeContext, quantized: Attribute
) -> tuple[list[SSAValue], dict[str, Attribute]]:
    """Return scale and zero point in one shape, and the properties that say what they are for."""
    node.disregard("saturate", "precision")  # integers always saturate; f32 is the least precision
    g, scale, zero_point = Composer(node.insert), node.operand(1), node.optional(2)
    rank, axis = len(node.shape(0)), node.integer("axis", 1)
    axis = axis % rank if -rank <= axis < rank else 0  # one scale for all needs no axis
    properties: dict[str, Attribute] = {"axis": integer(axis)}
    block = node.integer("block_size", 0)
    if block:
        properties["block"] = integer(block)
    elif shape(scale) == (1,) and node.shape(0)[axis : axis + 1] != (1,):
        scale = g.reshape(scale, [])
    if zero_point is None:
        zero_point = g.splat(0, quantized, shape(scale))
    return [scale, g.reshape(zero_point, shape(scale))], properties


@converts("QuantizeLinear", since=10)
def _quantize(node: NodeContext) -> SSAValue:
    element = _BYTE
    stated = node.integer("output_dtype", 0)
    if node.optional(2) is not None:
        element = element_type(node.operand(2))
    elif stated:
        element = element_type_of(np.dtype(tensor_dtype_to_np_dtype(stated)))
    parameters, properties = _scaling(node, element)
    return node.insert(QuantizeLinearOp.make(node.operand(0), *parameters, results=1, **properties))


@converts("DequantizeLinear", since=10)
def _dequantize(node: NodeContext) -> SSAValue:
    x = node.operand(0)
    parameters, properties = _scaling(node, element_type(x))
    y = node.insert(DequantizeLinearOp.make(x, *parameters, results=1, **properties))
    stated = node.integer("output_dtype", 0)
    if not stated:
        return y
    element = element_type_of(np.dtype(tensor_dtype_to_np_dtype(stated)))
    return Composer(node.insert).cast(y, element)


def _centered(
    node: NodeContext, x: SSAValue, zero_point: SSAValue | None, axis: int | None = None
) -> SSAValue:
    """Insert ``x - zero_point`` as ``i32``; a vector of zero points runs along ``axis``."""
    g = Composer(node.insert)
    wide = g.cast(x, i32)
    if zero_point is None:
        return wide
    sizes = shape(zero_point)
    if sizes == (1,):
        zero_point = g.reshape(zero_point, [])
    elif len(sizes) == 1 and axis is not None:
        zero_point = g.on_axis(zero_point, axis % len(shape(x)), len(shape(x)))
    return g.sub(wide, g.cast(zero_point, i32))


@converts("MatMulInteger", since=10)
def _matmul_integer(node: NodeContext) -> SSAValue:
    a = _centered(node, node.operand(0), node.optional(2), -2)
    return matmul(node, a, _centered(node, node.operand(1), node.optional(3), -1))


@converts("ConvInteger", since=10)
def _conv_integer(node: NodeContext) -> SSAValue:
    x = _centered(node, node.operand(0), node.optional(2))
    return convolution(node, x, _centered(node, node.operand(1), node.optional(3), 0))


@converts("QLinearMatMul", since=10)
def _qlinear_matmul(node: NodeContext) -> SSAValue:
    a = _centered(node, node.operand(0), node.operand(2), -2)
    b = _centered(node, node.operand(3), node.operand(5), -1)
    left, right = _on_matrix(node, 1, -2), _on_matrix(node, 4, -1)
    return _requantized(node, matmul(node, a, b), left, right)


def _on_matrix(node: NodeContext, i: int, axis: int) -> SSAValue:
    """Return a scale, a scalar or one for each row or column, so that it fits the product."""
    g, scale = Composer(node.insert), node.operand(i)
    return g.reshape(scale, [-1, 1]) if axis == -2 and len(shape(scale)) == 1 else scale


@converts("QLinearConv", since=10)
def _qlinear_conv(node: NodeContext) -> SSAValue:
    g = Composer(node.insert)
    x = _centered(node, node.operand(0), node.operand(2))
    weight = _centered(node, node.operand(3), node.operand(5), 0)
    y = convolution(node, x, weight)
    rank, scale, bias = len(shape(y)), node.operand(4), node.optional(8)
    if bias is not None:
        y = g.add(y, g.on_axis(bias, 1, rank))
    if shape(scale):
        scale = g.reshape(scale, []) if shape(scale) == (1,) else g.on_axis(scale, 1, rank)
    return _requantized(node, y, node.operand(1), scale)


def _requantized(node: NodeContext, total: SSAValue, left: SSAValue, right: SSAValue) -> SSAValue:
    """Insert the quantisation of an ``i32`` total of products of factors with these scales."""
    g, scale, zero_point = Composer(node.insert), node.operand(6), node.operand(7)
    if len(shape(scale)) > 1 or shape(scale) not in ((), (1,)):
        raise CompileError(f"{node.op_type} needs one scale for its result")
    factor = g.div(g.mul(g.cast(left, f32), g.cast(right, f32)), g.cast(scale, f32))
    return write_quantized(g, g.mul(g.cast(total, f32), factor), zero_point)
