"""Bodies of operators that are functions: the model's own, and those that ONNX defines as such."""

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx import AttributeProto, FunctionProto, NodeProto
from xdsl.ir import SSAValue

from dlc.frontends.onnx.loading import domain_name
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape

Functions = Mapping[tuple[str, str], FunctionProto]


def model_functions(model: onnx.ModelProto) -> Functions:
    """Return the model's own functions by domain and name."""
    return {(domain_name(f.domain), f.name): f for f in model.functions}


def standard_function(
    node: NodeProto, opset: int, operands: Sequence[SSAValue | None]
) -> FunctionProto | None:
    """Return the body that the ONNX standard gives an operator for these operands, if any."""
    return typed_function(node, opset, [type_proto(x) for x in operands])


def typed_function(
    node: NodeProto, opset: int, types: Sequence[onnx.TypeProto]
) -> FunctionProto | None:
    """Return the body that the ONNX standard gives an operator for operands of these types, if any.

    An absent operand has the empty type.
    """
    domain = domain_name(node.domain)
    if not onnx.defs.has(node.op_type, opset, domain):
        return None
    schema = onnx.defs.get_schema(node.op_type, opset, domain)
    if _needs_graph(schema):
        return None
    try:
        body = _function_body(schema, node, opset, types)
    except RuntimeError:  # onnx parses a text into which it puts the names of the node's graphs
        return None
    if not body:
        return None
    function = FunctionProto.FromString(body)
    defaults = [a.default_value for a in schema.attributes.values() if a.default_value.name]
    function.attribute_proto.extend(defaults)
    return function


def _needs_graph(schema: onnx.defs.OpSchema) -> bool:
    """Return whether an attribute that must be there is a graph (SequenceMap): ``onnx`` crashes
    while it builds such a function for operands of unknown type, or without the graph.
    """
    graph = onnx.defs.OpSchema.AttrType.GRAPH
    return any(a.required and a.type == graph for a in schema.attributes.values())


def _function_body(
    schema: onnx.defs.OpSchema, node: NodeProto, opset: int, types: Sequence[onnx.TypeProto]
) -> bytes:
    untyped: Any = schema  # onnx does not declare the methods for functions
    version = _newest(untyped.function_opset_versions, opset)
    if version is not None:
        return untyped.get_function_with_opset_version(version)
    version = _newest(untyped.context_dependent_function_opset_versions, opset)
    if version is None:
        return b""
    return untyped.get_context_dependent_function_with_opset_version(
        version, node.SerializeToString(), [t.SerializeToString() for t in types]
    )


def standard_functions() -> list[str]:
    """Return the operators of ONNX's own domain that the standard defines as functions."""
    schemas: Sequence[Any] = onnx.defs.get_all_schemas()
    return sorted(
        s.name
        for s in schemas
        if not s.domain and (s.has_function or s.has_context_dependent_function)
    )


def bind_attributes(function: FunctionProto, call: NodeProto) -> FunctionProto:
    """Return the function with its attribute references replaced by the attributes of ``call``."""
    values = {a.name: a for a in (*function.attribute_proto, *call.attribute)}
    bound = FunctionProto()
    bound.CopyFrom(function)
    for node in bound.node:
        _bind_node(node, values)
    return bound


def _bind_node(node: NodeProto, values: Mapping[str, AttributeProto]) -> None:
    attributes: list[AttributeProto] = []
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                _bind_node(inner, values)
        if not attribute.ref_attr_name:
            attributes.append(attribute)
        elif attribute.ref_attr_name in values:
            value = AttributeProto()
            value.CopyFrom(values[attribute.ref_attr_name])
            value.name = attribute.name
            attributes.append(value)
    kept = [AttributeProto.FromString(a.SerializeToString()) for a in attributes]
    del node.attribute[:]
    node.attribute.extend(kept)


def _newest(versions: Sequence[int], opset: int) -> int | None:
    return max((v for v in versions if v <= opset), default=None)


def type_proto(value: SSAValue | None) -> onnx.TypeProto:
    """Return the type of a value as ONNX writes it; of an absent one the empty type."""
    if value is None:
        return onnx.TypeProto()
    data_type = onnx.helper.np_dtype_to_tensor_dtype(numpy_dtype(element_type(value)))
    sizes = [None if size == DYNAMIC else size for size in shape(value)]
    return onnx.helper.make_tensor_type_proto(data_type, sizes)
