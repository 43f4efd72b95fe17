"""A model of half precision in single: what it means, without what is lost on the way.

The ONNX reference implementation rounds each step of an operator to the type of its inputs. A cube
of 0.01 is below the smallest normal float16, and its root is off by far more than its last digit.
"""

from collections.abc import Mapping

import ml_dtypes
import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper

from dlc.dialects.graph.structure import Array

_HALF = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
_HALF_DTYPES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def is_half(array: Array) -> bool:
    """Return whether an array has floats of 16 bits."""
    return array.dtype in _HALF_DTYPES


def in_single(model: ModelProto, feeds: Mapping[str, Array]) -> tuple[ModelProto, dict[str, Array]]:
    """Return a model, and its inputs, with float32 in place of floats of 16 bits."""
    wide = ModelProto()
    wide.CopyFrom(model)
    for value in wide.graph.input:
        if value.type.tensor_type.elem_type in _HALF:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for tensor in wide.graph.initializer:
        if tensor.data_type in _HALF:
            array = numpy_helper.to_array(tensor).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    given = {n: x.astype(np.float32) if is_half(x) else x for n, x in feeds.items()}
    return wide, given
