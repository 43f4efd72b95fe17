"""Tensors made from their shape or from positions, and results whose shape depends on data."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import UnitAttr, i1
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.generate import TriluOp
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.limits import MOST_COMPUTED, check_sizes
from dlc.frontends.onnx.ops.elementwise import filled
from dlc.frontends.onnx.tensors import element_dtype
from dlc.frontends.onnx.unsupported import CUT
from dlc.ir.tensor import DYNAMIC, element_type, element_type_of, numpy_dtype


def _stated_dtype(node: NodeContext, name: str, default: np.dtype) -> np.dtype:
    """Return the dtype that an attribute names by its ONNX number."""
    stated = node.integer(name, 0)
    return element_dtype(stated) if stated else default


@converts("ConstantOfShape", since=9)
def _constant_of_shape(node: NodeContext) -> SSAValue:
    sizes = [int(n) for n in node.require_constant(0, "shape").ravel()]
    value = node.attribute("value")
    filling = value if isinstance(value, np.ndarray) else np.zeros(1, np.float32)
    if min(sizes, default=0) < 0:
        raise CompileError(f"ConstantOfShape of shape {sizes}, which has a negative size")
    return filled(node, filling.item(), element_type_of(filling.dtype), sizes)


@converts("Range", since=11)
def _range(node: NodeContext) -> SSAValue:
    start, limit, step = (
        node.require_constant(number, what)
        for number, what in enumerate(("start", "limit", "delta"))
    )
    if step == 0:
        raise CompileError("the delta of Range is 0")
    count = max(int(np.ceil((limit.item() - start.item()) / step.item())), 0)
    check_sizes([count], MOST_COMPUTED)
    values = start.item() + np.arange(count) * step.item()
    return node.constant_value(values.astype(start.dtype))


@converts("EyeLike", since=9)
def _eye_like(node: NodeContext) -> SSAValue:
    sizes = node.shape(0)
    if len(sizes) != 2 or DYNAMIC in sizes:
        raise CompileError(f"EyeLike needs 2 axes of fixed size, got {list(sizes)}")
    check_sizes(sizes, MOST_COMPUTED)
    dtype = _stated_dtype(node, "dtype", numpy_dtype(element_type(node.operand(0))))
    return node.constant_value(np.eye(*sizes, k=node.integer("k", 0)).astype(dtype))


@converts("Trilu", since=14)
def _trilu(node: NodeContext) -> SSAValue:
    diagonal = 0 if node.optional(1) is None else node.require_constant(1, "diagonal").item()
    upper = UnitAttr() if node.integer("upper", 1) else None
    return node.insert(TriluOp.make(node.operand(0), diagonal=integer(diagonal), upper=upper))


@converts("Dropout", since=7)
def _dropout_with_mask_like_data(node: NodeContext) -> Sequence[SSAValue]:
    return _passed(node, element_type(node.operand(0)))


@converts("Dropout", since=10)
def _dropout(node: NodeContext) -> Sequence[SSAValue]:
    return _passed(node, i1)


def _passed(node: NodeContext, mask: Attribute) -> Sequence[SSAValue]:
    """Dropout passes everything when it does not train, or when its ratio is 0."""
    trains = node.optional(2) is not None and node.require_constant(2, "training mode").item()
    if trains and (node.optional(1) is None or node.require_constant(1, "ratio").item()):
        raise CompileError("Dropout in training mode is not supported; export the model for use")
    node.disregard("ratio", "seed")
    x = node.operand(0)
    if not node.has_output(1):
        return [x]
    return [x, filled(node, True, mask, node.shape(0))]


@converts("NonZero", since=9)
def _non_zero(node: NodeContext) -> SSAValue:
    known = node.constant(0)
    if known is None:
        raise CompileError(f"the result of NonZero has a size that depends on the data; {CUT}")
    return node.constant_value(np.array(np.nonzero(np.atleast_1d(known)), np.int64))


@converts("Unique", since=11)
def _unique(node: NodeContext) -> Sequence[SSAValue]:
    known, axis = node.constant(0), node.attribute("axis")
    if known is None:
        raise CompileError(f"the result of Unique has a size that depends on the data; {CUT}")
    axis = None if axis is None else node.integer("axis")
    parts = np.unique(known, True, True, True, axis)
    values, first, inverse, counts = parts if node.integer("sorted", 1) else _in_order(parts, axis)
    integers = (x.ravel().astype(np.int64) for x in (first, inverse, counts))
    return [node.constant_value(x) for x in (values, *integers)]


def _in_order(parts: Sequence[Array], axis: int | None) -> tuple[Array, ...]:
    """Return the parts of ``np.unique`` with the values in the order of their first occurrence."""
    values, first, inverse, counts = parts
    order = np.argsort(first)
    renamed = np.argsort(order)
    return values.take(order, axis or 0), first[order], renamed[inverse], counts[order]


@converts("HannWindow", "HammingWindow", "BlackmanWindow", since=17)
def _window(node: NodeContext) -> SSAValue:
    """The cosine sums of the standard; a periodic one leaves out the last point."""
    size = int(node.require_constant(0, "size").item())
    check_sizes([size], MOST_COMPUTED)
    phase = 2 * np.pi * np.arange(size) / (size if node.integer("periodic", 1) else size - 1)
    weights = {
        "HannWindow": (0.5, 0.5, 0.0),
        "HammingWindow": (25 / 46, 21 / 46, 0.0),
        "BlackmanWindow": (0.42, 0.5, 0.08),
    }[node.op_type]
    terms = [(-1) ** k * w * np.cos(k * phase) for k, w in enumerate(weights)]
    dtype = _stated_dtype(node, "output_datatype", np.dtype(np.float32))
    return node.constant_value(np.sum(terms, axis=0).astype(dtype))
