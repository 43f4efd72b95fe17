"""Halves between two quantised values, as ONNX Runtime rounds them: what is a half depends on the
precision of the division, so an interpreter in double precision gets it wrong unless told.
"""

from collections.abc import Mapping

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper

import dlc
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context

Array = NDArray[np.generic]
SCALES = [0.5, 0.1, 0.3, 1.7]
COUNT = 511


def halves(scale: float, zero_point: int) -> NDArray[np.float32]:
    """Return the halves of ``scale`` from the least to the largest value of 8 bits."""
    steps = np.arange(COUNT) / 2 - zero_point
    return steps.astype(np.float32) * np.float32(scale)


def model_of(operator: str, scale: float, zero_point: int) -> ModelProto:
    """Return a model of one node, with ``x`` as its input."""
    results = {"y": TensorProto.UINT8}
    parameters = [
        helper.make_tensor("scale", TensorProto.FLOAT, [], [scale]),
        helper.make_tensor("zero_point", TensorProto.UINT8, [], [zero_point]),
    ]
    if operator == "DynamicQuantizeLinear":
        parameters = []
        results |= {"scale": TensorProto.FLOAT, "zero_point": TensorProto.UINT8}
    inputs = ["x", *(parameter.name for parameter in parameters)]
    outputs = [
        helper.make_tensor_value_info(n, t, [COUNT] if n == "y" else []) for n, t in results.items()
    ]
    graph = helper.make_graph(
        [helper.make_node(operator, inputs, list(results))],
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [COUNT])],
        outputs,
        parameters,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def by_onnxruntime(model: ModelProto, x: Array) -> dict[str, Array]:
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    results = (np.asarray(result) for result in session.run(None, {"x": x}))
    return dict(zip(names, results, strict=True))


def check(found: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, name)


@pytest.mark.parametrize("zero_point", [0, 100, 255])
@pytest.mark.parametrize("scale", SCALES)
def test_quantize(scale: float, zero_point: int) -> None:
    model, x = model_of("QuantizeLinear", scale, zero_point), halves(scale, zero_point)
    context = new_context()
    module = import_model(model, None, context)
    check(run_reference(module, {"x": x}, context.weights), by_onnxruntime(model, x))


@pytest.mark.parametrize("operator", ["QuantizeLinear", "DynamicQuantizeLinear"])
def test_quantize_at_run_time_and_at_compile_time(operator: str) -> None:
    model = model_of(operator, 0.3, 100)
    compiled = dlc.compile(model, target="cpu", verify=False)
    for scale in SCALES:
        x = halves(scale, 100)
        check(compiled.run({"x": x}), by_onnxruntime(model, x))
    x = halves(0.3, 100)
    folded = dlc.compile(model, target="cpu", verify=False, constants={"x": x})
    check(folded.run({}), by_onnxruntime(model, x))
