"""The strings of a model: all must be UTF-8, as the format says.

Protobuf hands over others as ``bytes``, which nothing that reads a name expects.
"""

from collections.abc import Iterable, Iterator

import onnx
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto

from dlc.errors import CompileError


def check_text(model: onnx.ModelProto) -> None:
    """Raise CompileError for the first name in a model that is not UTF-8."""
    for text in _of_model(model):
        if isinstance(text, bytes):
            raise CompileError(f"the name {text!r} in the model is not UTF-8")


def _of_model(model: onnx.ModelProto) -> Iterator[str | bytes]:
    yield from (o.domain for o in model.opset_import)
    for function in model.functions:
        yield from (function.name, function.domain, *function.input, *function.output)
        yield from function.attribute
        yield from (o.domain for o in function.opset_import)
        yield from _of_attributes(function.attribute_proto)
        yield from _of_nodes(function.node)
    yield from _of_graph(model.graph)


def _of_graph(graph: GraphProto) -> Iterator[str | bytes]:
    for value in (*graph.input, *graph.output):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for tensor in graph.initializer:
        yield from _of_tensor(tensor)
    for sparse in graph.sparse_initializer:
        yield from _of_tensor(sparse.values)
        yield from _of_tensor(sparse.indices)
    yield from _of_nodes(graph.node)


def _of_nodes(nodes: Iterable[NodeProto]) -> Iterator[str | bytes]:
    for node in nodes:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        yield from _of_attributes(node.attribute)


def _of_attributes(attributes: Iterable[AttributeProto]) -> Iterator[str | bytes]:
    for attribute in attributes:
        yield from (attribute.name, attribute.ref_attr_name)
        for tensor in (attribute.t, *attribute.tensors):
            yield from _of_tensor(tensor)
        for graph in (attribute.g, *attribute.graphs):
            yield from _of_graph(graph)


def _of_tensor(tensor: TensorProto) -> Iterator[str | bytes]:
    yield tensor.name
    for entry in tensor.external_data:
        yield from (entry.key, entry.value)
