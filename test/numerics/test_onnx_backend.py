"""ONNX's backend interface over the compiler."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from dlc import onnx_backend
from dlc.errors import CompileError

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def _model(*nodes: onnx.NodeProto, inputs: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
    outputs = [onnx.ValueInfoProto(name="y")]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.fixture
def reshape() -> onnx.ModelProto:
    """Make a model whose second input says the shape of its output."""
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b"]),
        helper.make_tensor_value_info("sizes", TensorProto.INT64, ["rank"]),
    ]
    negate = helper.make_node("Neg", ["x"], ["n"])
    return _model(negate, helper.make_node("Reshape", ["n", "sizes"], ["y"]), inputs=inputs)


def test_node():
    (y,) = onnx_backend.run_node(helper.make_node("Add", ["a", "b"], ["y"]), [X, X[0]])
    np.testing.assert_array_equal(y, X + X[0])


def test_input_that_is_a_shape_is_compiled_in(reshape: onnx.ModelProto):
    assert onnx_backend.is_compatible(reshape)
    prepared = onnx_backend.prepare(reshape)
    for sizes in ([3, 2], [6], [1, 2, 3]):
        (y,) = prepared.run([X, np.array(sizes)])
        np.testing.assert_array_equal(y, -X.reshape(sizes))


def test_inputs_of_other_shapes_are_compiled_for(reshape: onnx.ModelProto):
    prepared = onnx_backend.prepare(reshape)
    for x in (X, X[:1]):
        (y,) = prepared.run({"x": x, "sizes": np.array([-1])})
        np.testing.assert_array_equal(y, -x.reshape(-1))


def test_model_that_cannot_be_compiled():
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])]
    model = _model(helper.make_node("NoSuchOp", ["x"], ["y"]), inputs=inputs)
    assert not onnx_backend.is_compatible(model)
    with pytest.raises(CompileError, match="ONNX has no operator NoSuchOp"):
        onnx_backend.run_model(model, [X])


def test_devices():
    assert onnx_backend.supports_device("CPU")
    assert not onnx_backend.supports_device("CUDA:1")


@pytest.mark.parametrize("device", ["CUDA", "CUDA:1", "TPU"])
def test_a_device_that_is_not_supported_is_refused(device: str):
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])]
    negate = helper.make_node("Neg", ["x"], ["y"])
    model = _model(negate, inputs=inputs)
    message = f"^this backend runs on the CPU, not on '{device}'"
    with pytest.raises(CompileError, match=message):
        onnx_backend.prepare(model, device)
    with pytest.raises(CompileError, match=message):
        onnx_backend.run_model(model, [X], device)
    with pytest.raises(CompileError, match=message):
        onnx_backend.run_node(negate, [X], device)
