"""Models for analyses, which read no weights: their files take no space and no time."""

from math import prod
from pathlib import Path

import onnx
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.external_data_helper import set_external_data

_DATA = "weights.bin"


def save_hollow(model: ModelProto, path: Path) -> None:
    """Write a model whose weights are constants as one whose weights are stored, as zeros in a file
    beside it that has no blocks on the disk. It changes the model.
    """
    graph = model.graph
    stored = {each.name: each for each in graph.initializer}
    made = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    kept = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    for node in made:
        shape = numpy_helper.to_array(stored[node.input[0]])
        _add_stored(graph.initializer.add(), node.output[0], [*map(int, shape)])
    del graph.node[:]
    graph.node.extend(kept)
    onnx.save(model, path)
    with (path.parent / _DATA).open("wb") as file:
        file.truncate(max((prod(t.dims) for t in graph.initializer), default=0) * 4)


def _add_stored(tensor: TensorProto, name: str, shape: list[int]) -> None:
    tensor.name, tensor.data_type = name, TensorProto.FLOAT
    tensor.dims.extend(shape)
    tensor.raw_data = b""  # as set_external_data wants it
    set_external_data(tensor, _DATA, offset=0, length=4 * prod(shape))
    tensor.ClearField("raw_data")
