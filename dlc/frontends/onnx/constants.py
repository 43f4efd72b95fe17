"""Values of inputs that are compiled in: read as a user writes them, and held to the inputs."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from dlc.core.array_files import read_array
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.input_types import model_inputs
from dlc.frontends.onnx.loading import ModelSource, read_model
from dlc.frontends.onnx.tensors import element_dtype
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape, shape_text

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def read_constants(texts: Mapping[str, str], source: ModelSource) -> dict[str, Array]:
    """Return the values of inputs by name.

    texts: numbers with commas between them, or ``@`` and the name of a ``.npy`` file. Numbers take
    the element type of the input; one number is a value without axes unless the input has one axis.
    Raises CompileError for a name that is no input, and for what cannot be read as its values.
    """
    inputs = {i.name: i for i in model_inputs(read_model(source).proto.graph)} if texts else {}
    values: dict[str, Array] = {}
    for name, text in texts.items():
        if name not in inputs:
            raise CompileError(f"the model has no input {name}; it has {', '.join(inputs)}")
        try:
            values[name] = _read_value(text, inputs[name])
        except CompileError as error:
            error.place(f"constant {name}")
            raise
    return values


def _read_value(text: str, value: onnx.ValueInfoProto) -> Array:
    if text.startswith("@"):
        return read_array(Path(text[1:]))
    tensor = value.type.tensor_type
    dtype = element_dtype(tensor.elem_type)
    array = np.array([_read_number(number, dtype) for number in text.split(",")], dtype)
    is_vector = tensor.HasField("shape") and len(tensor.shape.dim) == 1
    return array if array.size > 1 or is_vector else array.reshape(())


def _read_number(text: str, dtype: np.dtype) -> bool | int | float:
    try:
        if dtype.kind == "b":
            return _BOOLEANS[text.lower()]
        if dtype.kind not in "iu":
            return float(text)
        number = int(text)
    except (KeyError, ValueError) as error:
        raise CompileError(f"{text!r} is no value of {dtype}") from error
    limits = np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        raise CompileError(f"{text} is out of the range of {dtype}")
    return number


def check_constants(
    constants: Mapping[str, Array], types: Mapping[str, TensorType[Attribute]]
) -> Mapping[str, Array]:
    """Return the values of inputs that are compiled in; raises CompileError if they do not fit."""
    for name, array in constants.items():
        if name not in types:
            raise CompileError(f"the model has no input {name}; it has {', '.join(types)}")
        expected = numpy_dtype(element_type(types[name]))
        if array.dtype != expected:
            raise CompileError(f"its value is {array.dtype}, should be {expected}", f"input {name}")
        sizes = shape(types[name])
        if len(sizes) != array.ndim or any(
            n not in (size, DYNAMIC) for n, size in zip(sizes, array.shape, strict=True)
        ):
            raise CompileError(
                f"its value has shape {shape_text(array.shape)}, should be {shape_text(sizes)}",
                f"input {name}",
            )
    return constants
