"""A model in one piece, as others read it."""

import os

from onnx import ModelProto, TensorProto, numpy_helper

from dlc.frontends.onnx.loading import read_model
from dlc.frontends.onnx.tensors import read_tensor


def with_weights(path: str | os.PathLike[str]) -> ModelProto:
    """Return the model of a file with the bytes of all its weights in it. Raises CompileError."""
    model = read_model(path)
    for tensor in model.proto.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL or tensor.name in model.embedded:
            tensor.CopyFrom(numpy_helper.from_array(read_tensor(tensor, model), tensor.name))
    return model.proto
