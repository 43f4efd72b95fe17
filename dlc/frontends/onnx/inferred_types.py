"""Types of values as ONNX's own shape inference finds them."""

from collections.abc import Iterator, Mapping, Sequence

import onnx
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from dlc.dialects._tensor import element_type_of, shape
from dlc.errors import CompileError
from dlc.frontends.onnx.structure import subgraphs
from dlc.frontends.onnx.tensors import element_dtype

Types = Mapping[str, TensorType[Attribute]]


def infer_types(model: onnx.ModelProto, inputs: Types) -> Types:
    """Return the types with fixed sizes that are found for the values of a model's graph.

    inputs: the types of its inputs. There are none where ONNX refuses the model, or crashes on it.
    """
    if not all(map(_has_its_inputs, _nodes(model))):
        return {}
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


def _nodes(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """Yield all nodes, those of functions and subgraphs too."""
    waiting = [model.graph.node, *(function.node for function in model.functions)]
    while waiting:
        for node in waiting.pop():
            yield node
            waiting.extend(graph.node for graph in subgraphs(node))


def _has_its_inputs(node: onnx.NodeProto) -> bool:
    """Whether a node has the inputs that every version of its operator asks for; the inference of
    onnx 1.23 reads them unasked (EyeLike: SIGSEGV).
    """
    try:
        least = onnx.defs.get_schema(node.op_type, node.domain).min_input
    except onnx.defs.SchemaError:
        return True
    return len(node.input) >= least and all(node.input[:least])


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
