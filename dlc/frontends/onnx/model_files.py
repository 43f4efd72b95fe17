"""The files that a model consists of: its own, and those that hold its tensors."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import onnx
from onnx import NodeProto, TensorProto

from dlc.frontends.onnx.loading import ModelSource, read_model
from dlc.frontends.onnx.structure import subgraphs


def model_files(source: ModelSource) -> set[Path]:
    """Return the files that ``source`` is read from, none for a model in memory.

    A file of tensors need not exist. Raises CompileError when the model cannot be read.
    """
    model = read_model(source)
    if model.path is None:
        return set()
    nodes = chain.from_iterable(function.node for function in model.proto.functions)
    tensors = chain(_of_graph(model.proto.graph), _of_nodes(nodes))
    return {model.path, *(model.path.parent / place for t in tensors for place in _locations(t))}


def _locations(tensor: TensorProto) -> Iterator[str]:
    """Return where a tensor says that its bytes are; no file's name has a null character."""
    if tensor.data_location == TensorProto.EXTERNAL:
        places = (entry.value for entry in tensor.external_data if entry.key == "location")
        yield from (place for place in places if "\0" not in place)


def _of_graph(graph: onnx.GraphProto) -> Iterator[TensorProto]:
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    yield from _of_nodes(graph.node)


def _of_nodes(nodes: Iterable[NodeProto]) -> Iterator[TensorProto]:
    for node in nodes:
        for attribute in node.attribute:
            yield from (attribute.t, *attribute.tensors)
        for graph in subgraphs(node):
            yield from _of_graph(graph)
