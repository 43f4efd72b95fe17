"""MaxUnpool puts elements where the places say, which need not be in their own windows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference

X = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 2, 2)
UNPOOL: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}


@pytest.mark.parametrize("strides", [[1, 1], [2, 2]])
def test_places_may_be_anywhere(
    strides: list[int], make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    sizes = [1 * s + 2 for s in strides]
    places = np.array([7, 0, 2, 0]).reshape(X.shape)  # the last one of two at a place counts
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape),
        helper.make_tensor_value_info("p", TensorProto.INT64, X.shape),
    ]
    node = helper.make_node("MaxUnpool", ["x", "p"], ["y"], kernel_shape=[2, 2], strides=strides)
    module = import_model(make_model([node], inputs=inputs), None, context)
    assert "graph.max_unpool" not in {op.name for op in module.walk()}
    expected = np.zeros(sizes, np.float32)
    expected.flat[[7, 0, 2]] = 1, 4, 3
    found = run_reference(module, {"x": X, "p": places}, context.weights)["y"]
    np.testing.assert_array_equal(found[0, 0], expected)


@pytest.mark.parametrize(
    ("size", "pool", "in_windows"),
    [
        (4, UNPOOL, True),
        (5, UNPOOL, False),  # places in 5 x 5, put into 4 x 4
        (4, UNPOOL | {"storage_order": 1}, False),
        (3, {"kernel_shape": [2, 2]}, False),  # windows of other strides
        (4, {"kernel_shape": [2, 2], "dilations": [2, 2]}, False),
    ],
    ids=["same", "larger", "columns", "strides", "dilations"],
)
def test_places_of_the_same_windows_are_searched_in_them(
    size: int,
    pool: dict[str, Any],
    in_windows: bool,
    make_model: Callable[..., onnx.ModelProto],
    context: DlcContext,
) -> None:
    nodes = [
        helper.make_node("MaxPool", ["x"], ["m", "p"], **pool),
        helper.make_node("MaxUnpool", ["m", "p"], ["y"], **UNPOOL),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, size, size))
    module = import_model(make_model(nodes, inputs=[x]), None, context)
    assert ("graph.max_unpool" in {op.name for op in module.walk()}) == in_windows


def test_places_of_a_pooling_are_numbered_as_its_operand_is(
    make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    """As PyTorch exports it: 5 is no multiple of 2, so that the result says its shape."""
    nodes = [
        helper.make_node("MaxPool", ["x"], ["m", "p"], **UNPOOL),
        helper.make_node("MaxUnpool", ["m", "p", "sizes"], ["y"], **UNPOOL),
    ]
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 7)).astype(np.float32)
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)
    model = make_model(nodes, inputs=[info], initializers={"sizes": np.array(x.shape)})
    module = import_model(model, None, context)
    assert "graph.max_unpool" in {op.name for op in module.walk()}
    windows = x[:, :, :4, :6].reshape(2, 3, 2, 2, 3, 2)
    peaks = windows.max(axis=(3, 5), keepdims=True)
    expected = np.zeros_like(x)
    expected[:, :, :4, :6] = np.where(windows == peaks, windows, 0).reshape(2, 3, 4, 6)
    found = run_reference(module, {"x": x}, context.weights)["y"]
    np.testing.assert_array_equal(found, expected)


def test_a_shape_of_another_rank_is_an_error(
    make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    nodes = [
        helper.make_node("MaxPool", ["x"], ["m", "p"], **UNPOOL),
        helper.make_node("MaxUnpool", ["m", "p", "sizes"], ["y"], **UNPOOL),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 4, 4))
    model = make_model(nodes, inputs=[x], initializers={"sizes": np.array([4, 4])})
    with pytest.raises(CompileError, match=r"output_shape \[4, 4\] should have 4 sizes"):
        import_model(model, None, context)


def test_a_search_that_takes_too_long_is_refused(
    make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    sizes = (1, 16, 64, 64)
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes),
        helper.make_tensor_value_info("p", TensorProto.INT64, sizes),
    ]
    node = helper.make_node("MaxUnpool", ["x", "p"], ["y"], "up", **UNPOOL)
    with pytest.raises(CompileError, match=r"up: its places .* 17179869184 pairs .* too long"):
        import_model(make_model([node], inputs=inputs), None, context)
