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
