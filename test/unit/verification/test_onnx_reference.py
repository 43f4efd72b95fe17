"""What the ONNX reference implementation is not asked, or not believed."""

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper
from onnx.reference import ReferenceEvaluator

from dlc.verification.onnx_faults import NoReferenceError
from dlc.verification.onnx_reference import run_onnx_reference

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)


def chain(opset: int, *operators: str, inputs: str = "", **attributes: Any) -> ModelProto:
    """Return operators one after the other; inputs: further ones, of sizes [3], of each."""
    names = [f"v{i}" for i in range(len(operators) + 1)]
    nodes = [
        helper.make_node(operator, [a, *inputs], [b], **attributes)
        for operator, a, b in zip(operators, names, names[1:], strict=False)
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, X.shape) for n in names]
    more = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in inputs]
    graph = helper.make_graph(nodes, "chain", [ends[0], *more], ends[-1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def test_a_softmax_of_a_matrix_is_said_in_the_newer_one() -> None:
    (found,) = run_onnx_reference(chain(11, "Softmax"), {"v0": X})
    powers = np.exp(X.reshape(2, 12).astype(np.float64))
    wanted = (powers / powers.sum(axis=1, keepdims=True)).reshape(X.shape)
    # An exponential, a sum of 12 terms and a quotient, each rounded to f32.
    np.testing.assert_allclose(found, wanted, rtol=16 * 2.0**-24 * 14**0.5, atol=0)


def test_an_older_operator_beside_others_has_no_reference() -> None:
    with pytest.raises(NoReferenceError, match="Softmax of opset 11 stands beside others"):
        run_onnx_reference(chain(11, "Softmax", "Relu"), {"v0": X})


def test_statistics_of_single_elements_have_no_reference() -> None:
    model = chain(7, "BatchNormalization", inputs="abcd", spatial=0)
    feeds = {"v0": X, **{name: np.ones(3, np.float32) for name in "abcd"}}
    with pytest.raises(NoReferenceError, match="statistics of single elements are not in the ref"):
        run_onnx_reference(model, feeds)


def test_results_that_are_no_tensors_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReferenceEvaluator, "run", lambda *_: [[X, X]])
    with pytest.raises(NoReferenceError, match="its results are no tensors"):
        run_onnx_reference(chain(21, "Relu"), {"v0": X})


def product_of_bytes(operator: str, *more: tuple[str, int, list[int]]) -> ModelProto:
    """Return a product of 4 x 4 integers, with inputs in the order of the operator."""
    ends = [helper.make_tensor_value_info(n, kind, sizes) for n, kind, sizes in more]
    node = helper.make_node(operator, [n for n, _, _ in more], ["y"])
    graph = helper.make_graph([node], "g", ends, [helper.make_empty_tensor_value_info("y")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


BYTE, FLOAT, SQUARE = TensorProto.INT8, TensorProto.FLOAT, [4, 4]
A = np.arange(16, dtype=np.int8).reshape(4, 4)
ROWS, COLUMNS = np.array([1, 20, 3, 40], np.int8), np.array([5, 6, 7, 8], np.int8)
SUMS = (A.astype(int) - ROWS[:, None]) @ (A.astype(int) - COLUMNS)


def test_zero_points_of_rows_are_those_of_the_rows_of_the_first_factor() -> None:
    inputs = [("a", BYTE, SQUARE), ("b", BYTE, SQUARE), ("p", BYTE, [4]), ("q", BYTE, [4])]
    feeds = {"a": A, "b": A, "p": ROWS, "q": COLUMNS}
    (found,) = run_onnx_reference(product_of_bytes("MatMulInteger", *inputs), feeds)
    np.testing.assert_array_equal(found, SUMS)
    assert found.dtype == np.int32


def test_scales_of_rows_are_those_of_the_rows_of_the_first_factor() -> None:
    one = np.array(1, np.float32)
    scales = np.array([1, 0.5, 0.25, 2], np.float32)
    feeds = {"a": A, "s": scales, "p": ROWS, "b": A, "t": one, "q": COLUMNS, "u": one}
    kinds = [BYTE, FLOAT, BYTE, BYTE, FLOAT, BYTE, FLOAT]
    inputs = [(n, kind, [*x.shape]) for kind, (n, x) in zip(kinds, feeds.items(), strict=True)]
    model = product_of_bytes("QLinearMatMul", *inputs, ("r", BYTE, []))
    (found,) = run_onnx_reference(model, feeds | {"r": np.array(0, np.int8)})
    wanted = np.clip(np.rint(SUMS * scales[:, None]), -128, 127)
    np.testing.assert_array_equal(found, wanted)
