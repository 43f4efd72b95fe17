"""Products between ``DequantizeLinear`` nodes are sums of integers, rounded once."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

from dlc.compiler.levels import lower
from dlc.compiler.targets import parse_targets
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import build_passes, new_context
from dlc.simulator import run_module

Array = NDArray[Any]
UNIT = 2.0**-24
"""Half the distance from 1 to the next number of f32."""
OPERATORS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "MatMul": ((33, 100), (100, 50), {}),
    "Gemm": ((33, 100), (50, 100), {"transB": 1}),
    "Conv": ((2, 16, 9, 9), (40, 16, 3, 3), {"pads": [1, 1, 1, 1]}),
}


def model_of(operator: str) -> tuple[ModelProto, dict[str, Array]]:
    """Return a product of a quantised tensor and weights with scales of their own per channel."""
    left, right, attributes = OPERATORS[operator]
    rng = np.random.default_rng(len(operator))
    channel = 1 if operator == "MatMul" else 0
    count = right[channel]
    constants = {
        "b": rng.integers(-128, 128, right).astype(np.int8),
        "s": np.float32(0.037),
        "p": np.uint8(117),
        "t": rng.uniform(0.001, 0.1, count).astype(np.float32),
        "q": np.zeros(count, np.int8),
    }
    nodes = [
        helper.make_node("DequantizeLinear", ["a", "s", "p"], ["x"]),
        helper.make_node("DequantizeLinear", ["b", "t", "q"], ["w"], axis=channel),
        helper.make_node(operator, ["x", "w"], ["y"], **attributes),
    ]
    graph = helper.make_graph(
        nodes,
        "product",
        [helper.make_tensor_value_info("a", TensorProto.UINT8, left)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, {"a": rng.integers(0, 256, left).astype(np.uint8)}


def check(found: Array, wanted: Array) -> None:
    """Assert that the sum, the product of the scales, the product of both and the reference are
    each rounded once.
    """
    error = np.abs(found.astype(np.float64) - wanted)
    assert (error <= 4 * UNIT * (1 + 4 * UNIT) * np.abs(wanted)).all()


@pytest.mark.parametrize("operator", OPERATORS)
def test_splitting_changes_nothing_but_rounding(operator: str) -> None:
    model, feeds = model_of(operator)
    context = new_context()
    module = import_model(model, None, context)
    exact = run_reference(module, feeds, context.weights)["y"]
    for step in build_passes("graph-decompose,graph-split-scales,graph-split-zero-points"):
        step.apply(context, module)
    module.verify()
    assert "xui8>, tensor" in str(module)
    found = run_reference(module, feeds, context.weights)["y"]
    check(found, exact)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_kernels_round_no_more(operator: str, target: str) -> None:
    model, feeds = model_of(operator)
    context = new_context()
    module = import_model(model, None, context)
    exact = run_reference(module, feeds, context.weights)["y"]
    for _ in lower(context, module, parse_targets(target)[0], "fp32"):
        pass
    assert "m16n8k32" in str(module)
    check(run_module(module, feeds, context.weights)[0], exact)
