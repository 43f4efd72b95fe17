"""Types of values as ONNX's own shape inference finds them."""

from collections.abc import Mapping, Sequence

import onnx
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from dlc.dialects._tensor import element_type_of, shape
from dlc.errors import CompileError
from dlc.frontends.onnx.tensors import element_dtype

Types = Mapping[str, TensorType[Attribute]]


def infer_types(model: onnx.ModelProto, inputs: Types) -> Types:
    """Return the types with fixed sizes that are found for the values of a model's graph.

    inputs: the types of its inputs. There are none where ONNX refuses the model.
    """
    sized = onnx.ModelProto()
    sized.CopyFrom(model)
    for value in sized.graph.input:
        if value.name in inputs:
            _fix_sizes(value, shape(inputs[value.name]))
    try:
        inferred = onnx.shape_inference.infer_shapes(sized, data_prop=True)
    except (onnx.shape_inference.InferenceError, onnx.checker.ValidationError, ValueError):
        return {}
    found = {v.name: _fixed_type(v) for v in inferred.graph.value_info}
    return {name: type for name, type in found.items() if type is not None}


def _fix_sizes(value: onnx.ValueInfoProto, sizes: Sequence[int]) -> None:
    element = value.type.tensor_type.elem_type
    fixed = [size if size >= 0 else None for size in sizes]
    value.CopyFrom(onnx.helper.make_tensor_value_info(value.name, element, fixed))


def _fixed_type(value: onnx.ValueInfoProto) -> TensorType[Attribute] | None:
    tensor = value.type.tensor_type
    dims = tensor.shape.dim
    if not tensor.HasField("shape") or not all(d.HasField("dim_value") for d in dims):
        return None
    try:
        element = element_type_of(element_dtype(tensor.elem_type))
    except CompileError:
        return None
    return TensorType(element, [d.dim_value for d in dims])
