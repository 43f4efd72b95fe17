"""Operators on images whose batch size is a symbol: it stays one until it is fixed."""

from collections.abc import Callable

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, shape

Run = Callable[..., ModuleOp]

ONES = np.ones(4, np.float32)
WEIGHTS = {
    "w": np.ones((4, 4, 3, 3), np.float32),
    "b": ONES,
    "up": np.array([1, 1, 2, 2], np.float32),
    "scaled": np.array([1, 1, 1.5, 2.5], np.float32),
    "step": np.array(0.5, np.float32),
    "zero": np.array(3, np.uint8),
}
FOUR = ["x", "b", "b", "b", "b"]
CASES: dict[str, tuple[NodeProto, tuple[int, ...]]] = {
    "Conv": (helper.make_node("Conv", ["x", "w", "b"], ["y"]), (4, 6, 6)),
    "ConvTranspose": (helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"]), (4, 10, 10)),
    "MaxPool": (helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2]), (4, 7, 7)),
    "GlobalAveragePool": (helper.make_node("GlobalAveragePool", ["x"], ["y"]), (4, 1, 1)),
    "BatchNormalization": (helper.make_node("BatchNormalization", FOUR, ["y"]), (4, 8, 8)),
    "InstanceNormalization": (
        helper.make_node("InstanceNormalization", ["x", "b", "b"], ["y"]),
        (4, 8, 8),
    ),
    "LRN": (helper.make_node("LRN", ["x"], ["y"], size=3), (4, 8, 8)),
    "Softmax": (helper.make_node("Softmax", ["x"], ["y"], axis=1), (4, 8, 8)),
    "nearest": (helper.make_node("Resize", ["x", "", "up"], ["y"]), (4, 16, 16)),
    "linear": (
        helper.make_node("Resize", ["x", "", "scaled"], ["y"], mode="linear"),
        (4, 12, 20),
    ),
    "QuantizeLinear": (
        helper.make_node("QuantizeLinear", ["x", "step", "zero"], ["y"]),
        (4, 8, 8),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_batch_stays_symbolic(
    name: str, run_import: Run, make_model: Callable[..., object]
) -> None:
    node, expected = CASES[name]
    source = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4, 8, 8])
    module = run_import(make_model([node], [source], initializers=WEIGHTS, opset=20))
    main = next(op for op in module.ops if isinstance(op, FuncOp))
    assert shape(main.function_type.outputs.data[0]) == (DYNAMIC, *expected)


def test_a_resized_axis_must_be_fixed(run_import: Run, make_model: Callable[..., object]) -> None:
    node, _ = CASES["nearest"]
    source = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, "height", 8])
    with pytest.raises(CompileError, match="Resize needs sizes that are fixed"):
        run_import(make_model([node], [source], initializers=WEIGHTS, opset=20))
