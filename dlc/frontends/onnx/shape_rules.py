"""What the shape rules of the ONNX standard say about a node."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from onnx import NodeProto, TypeProto
from onnx.numpy_helper import from_array
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.functions import type_proto
from dlc.frontends.onnx.loading import domain_name
from dlc.frontends.onnx.node_form import one_line
from dlc.frontends.onnx.tensors import element_dtype
from dlc.ir.tensor import element_count, element_type_of

_OTHER_FAULTS = (
    onnx.checker.ValidationError,
    onnx.defs.SchemaError,
    LookupError,
    TypeError,
    ValueError,
)
"""No such operator, or a node that is damaged: nothing is said about its operands."""

Known = Callable[[SSAValue], Array | None]
"""Returns the elements of a value that are known when compiling."""

_LARGEST_SHAPE = 1024
"""Elements of a value that a shape rule may read: sizes, pads, repeats."""


class RefusedError(CompileError):
    """A node whose operands ONNX's own shape rule refuses: no runtime can run it."""


def refusal(
    node: NodeProto,
    opsets: Mapping[str, int],
    operands: Sequence[SSAValue | None],
    known: Known,
) -> str:
    """Return why ONNX's shape rule refuses a node on operands of these types and, where they are
    ``known``, these elements; empty where it does not.
    """
    try:
        _infer(node, opsets, operands, known)
    except onnx.shape_inference.InferenceError as error:
        return one_line(re.sub(r"^\[\w+\] ", "", str(error)))
    except _OTHER_FAULTS:
        return ""
    return ""


def output_types(
    node: NodeProto,
    opsets: Mapping[str, int],
    operands: Sequence[SSAValue | None],
    known: Known,
) -> Mapping[str, TensorType[Attribute]]:
    """Return the types with fixed sizes that ONNX's shape rule gives the outputs of a node, by
    name. Attributes that its operator does not have are passed over.
    """
    try:
        found = _infer(_with_known_attributes(node, opsets), opsets, operands, known)
    except (onnx.shape_inference.InferenceError, *_OTHER_FAULTS):
        return {}
    types = {name: _fixed_type(type) for name, type in found.items()}
    return {name: type for name, type in types.items() if type is not None}


def _with_known_attributes(node: NodeProto, opsets: Mapping[str, int]) -> NodeProto:
    domain = domain_name(node.domain)
    schema = onnx.defs.get_schema(node.op_type, opsets.get(domain, 0), domain)
    bare = NodeProto()
    bare.CopyFrom(node)
    del bare.attribute[:]
    bare.attribute.extend(a for a in node.attribute if a.name in schema.attributes)
    return bare


def _infer(
    node: NodeProto,
    opsets: Mapping[str, int],
    operands: Sequence[SSAValue | None],
    known: Known,
) -> Mapping[str, TypeProto]:
    given = {n: x for n, x in zip(node.input, operands, strict=True) if n and x is not None}
    arrays = {name: known(x) for name, x in given.items() if element_count(x) <= _LARGEST_SHAPE}
    domain = domain_name(node.domain)
    return onnx.shape_inference.infer_node_outputs(
        onnx.defs.get_schema(node.op_type, opsets.get(domain, 0), domain),
        node,
        {name: type_proto(x) for name, x in given.items()},
        {n: from_array(np.asarray(a)) for n, a in arrays.items() if a is not None},
        opset_imports=[onnx.helper.make_opsetid(d, v) for d, v in opsets.items()],
    )


def _fixed_type(type: TypeProto) -> TensorType[Attribute] | None:
    tensor = type.tensor_type
    dims = tensor.shape.dim
    if not tensor.HasField("shape") or not all(d.HasField("dim_value") for d in dims):
        return None
    try:
        element = element_type_of(element_dtype(tensor.elem_type))
    except CompileError:
        return None
    return TensorType(element, [d.dim_value for d in dims])
