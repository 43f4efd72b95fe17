from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import helper
from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.frontends.onnx.graph_builder import FOLDED_ELEMENTS

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node


def test_small_known_values_are_computed(make_model: MakeModel, run_import: Import):
    nodes = [
        node("Constant", [], ["two"], value_ints=[2, 3]),
        node("Add", ["two", "w"], ["s"]),
        node("Mul", ["s", "s"], ["y"]),
    ]
    text = str(run_import(make_model(nodes, initializers={"w": np.array([10, 20])})))
    assert "graph.constant dense<[144, 529]> : tensor<2xi64>" in text
    assert "graph.add" not in text
    assert "graph.mul" not in text


def test_integers_wrap_around_as_at_run_time(make_model: MakeModel, run_import: Import):
    nodes = [node("Mul", ["w", "w"], ["y"])]
    text = str(run_import(make_model(nodes, initializers={"w": np.array([100], np.int8)})))
    assert f"dense<{np.int8(100 * 100 % 256)}> : tensor<1xi8>" in text


@pytest.mark.parametrize("count", [FOLDED_ELEMENTS, FOLDED_ELEMENTS + 1])
def test_large_values_are_left_to_a_pass(
    make_model: MakeModel, run_import: Import, context: DlcContext, count: int
):
    weight = np.arange(count, dtype=np.float32)
    nodes = [node("Add", ["w", "w"], ["s"]), node("Add", ["s", "x"], ["y"])]
    inputs = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [count])]
    text = str(run_import(make_model(nodes, inputs, initializers={"w": weight})))
    assert text.count("graph.add") == (1 if count == FOLDED_ELEMENTS else 2)
    assert len(context.weights) == 1


def test_repeated_value_is_a_splat(make_model: MakeModel, run_import: Import, context: DlcContext):
    weight = np.full((100, 2, 3), -0.0, np.float32)
    model = make_model([node("Add", ["x", "w"], ["y"])], initializers={"w": weight})
    assert "graph.splat -0.000000e+00 : f32 -> tensor<100x2x3xf32>" in str(run_import(model))
    assert len(context.weights) == 0


@pytest.mark.parametrize(("count", "source"), [(4, "graph.constant"), (5, "graph.weight")])
def test_more_than_four_elements_are_read_from_memory(
    make_model: MakeModel, run_import: Import, count: int, source: str
):
    bias = np.arange(count, dtype=np.float32)
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, count])
    model = make_model([node("Add", ["x", "w"], ["y"])], [x], initializers={"w": bias})
    assert source in str(run_import(model))


def test_sparse_initializer(make_model: MakeModel, run_import: Import, context: DlcContext):
    model = make_model([node("Add", ["x", "w"], ["y"])])
    values = onnx.numpy_helper.from_array(np.array([5, 7], np.float32), "w")
    places = onnx.numpy_helper.from_array(np.array([1, 5]))
    sparse = helper.make_sparse_tensor(values, places, [2, 3])
    model.graph.sparse_initializer.append(sparse)
    assert "tensor<2x3xf32>" in str(run_import(model))
    (symbol,) = context.weights
    np.testing.assert_array_equal(context.weights.array(symbol), [[0, 5, 0], [0, 0, 7]])


def test_unused_nodes_and_weights_disappear(
    make_model: MakeModel, run_import: Import, context: DlcContext
):
    weight = np.arange(600, dtype=np.float32).reshape(200, 3)
    nodes = [node("MatMul", ["w", "t"], ["unused"]), node("Relu", ["x"], ["y"])]
    model = make_model(nodes, initializers={"w": weight, "t": np.ones((3, 2), np.float32)})
    assert "graph.matmul" not in str(run_import(model))
    assert len(context.weights) == 0
