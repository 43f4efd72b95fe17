"""Operators that the ONNX reference implementation gets wrong are not held to it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from small_models import small_models

from dlc import load
from dlc.compiler import Options, Outcome, compile_to
from dlc.verification.onnx_faults import NoReferenceError
from dlc.verification.onnx_reference import run_onnx_reference


def left_out(outcome: Outcome) -> dict[str, str]:
    """Return why operators were not checked."""
    return outcome.report["certificate"]["import"]["left_out"]


@pytest.mark.parametrize("name", ["separable", "recurrent"])
def test_a_right_model_is_accepted(name: str, tmp_path: Path) -> None:
    """LRN of more channels than batch entries; a recurrent layer with a clip."""
    (model,) = (m for m in small_models() if m.name == name)
    outcome = compile_to(tmp_path / "model.so", model.proto, Options("cpu"))
    assert outcome.checked.startswith("verified")
    assert not left_out(outcome).keys() & {"LRN", "RNN"}


def one_node(operator: str, inputs: dict[str, Any], **attributes: Any) -> list[Any]:
    """Return what our oracle makes of a node."""
    node = helper.make_node(operator, [*inputs], ["y", "h"][: 1 + ("hidden_size" in attributes)])
    for name, value in attributes.items():
        node.attribute.append(helper.make_attribute(name, value))
    ends = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for n, x in inputs.items()
    ]
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in node.output]
    graph = helper.make_graph([node], "node", ends, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return run_onnx_reference(model, inputs)


@pytest.mark.parametrize("shape", [[2, 5, 3, 4], [1, 7, 6]])
def test_lrn_has_all_channels(shape: list[int]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    (y,) = one_node("LRN", {"x": x}, size=4, alpha=0.5, beta=0.75, bias=2.0)
    for channel in range(shape[1]):
        near = np.square(x[:, max(0, channel - 1) : channel + 3].astype(np.float64))
        wanted = x[:, channel] / (2.0 + 0.5 / 4 * near.sum(axis=1)) ** 0.75
        np.testing.assert_allclose(y[:, channel], wanted, rtol=1e-6)


@pytest.mark.parametrize(("operator", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_recurrent_layers_clip(operator: str, gates: int) -> None:
    generator = np.random.default_rng(0)
    sizes = {"x": [6, 2, 5], "w": [1, 3 * gates, 5], "r": [1, 3 * gates, 3]}
    inputs = {n: generator.standard_normal(s).astype(np.float32) for n, s in sizes.items()}
    clipped, _ = one_node(operator, inputs, hidden_size=3, clip=0.02)
    free, _ = one_node(operator, inputs, hidden_size=3)
    wide, _ = one_node(operator, inputs, hidden_size=3, clip=1e3)
    np.testing.assert_array_equal(wide, free)
    assert np.abs(clipped).max() <= np.float32(np.tanh(0.02)) < np.abs(free).max()


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize(("operator", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_sequences_of_recurrent_layers_have_lengths(
    operator: str, gates: int, direction: str
) -> None:
    generator = np.random.default_rng(0)
    sizes = {"x": [6, 2, 5], "w": [1, 3 * gates, 5], "r": [1, 3 * gates, 3], "b": [1, 6 * gates]}
    inputs = {n: generator.standard_normal(s) for n, s in sizes.items()}
    given = {"hidden_size": 3, "direction": direction}
    y, h = one_node(operator, {**inputs, "n": np.array([4, 6], np.int32)}, **given)
    whole, last = one_node(operator, inputs, **given)
    short, end = one_node(operator, {**inputs, "x": inputs["x"][:4]}, **given)
    np.testing.assert_allclose(y[:, :, 1], whole[:, :, 1])
    np.testing.assert_allclose(y[:4, :, 0], short[:, :, 0])
    np.testing.assert_array_equal(y[4:, :, 0], 0)
    np.testing.assert_allclose(h, np.stack([end[:, 0], last[:, 1]], 1))


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize(("operator", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_each_sequence_has_its_own_state(operator: str, gates: int, layout: int) -> None:
    generator = np.random.default_rng(0)
    sizes = {"x": [6, 2, 5], "w": [1, 3 * gates, 5], "r": [1, 3 * gates, 3], "b": [1, 6 * gates]}
    inputs = {n: generator.standard_normal(s) for n, s in sizes.items()}
    state, lengths = generator.standard_normal([1, 2, 3]), np.array([4, 6], np.int32)

    def run(x: Any, n: Any, s: Any) -> list[Any]:
        moved = [np.swapaxes(each, 0, 1) if layout else each for each in (x, s)]
        given = {**inputs, "x": moved[0], "n": n, "s": moved[1]}
        return one_node(operator, given, hidden_size=3, layout=layout)

    both = run(inputs["x"], lengths, state)
    for number in range(2):
        own = [number]
        alone = run(inputs["x"][:, own], lengths[own], state[:, own])
        for found, wanted, axis in zip(both, alone, (0, 0) if layout else (2, 1), strict=True):
            np.testing.assert_allclose(found.take(own, axis), wanted)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_a_layer_with_lengths_is_accepted(operator: str, direction: str, tmp_path: Path) -> None:
    """Exporters write them for packed sequences."""
    gates, d = {"RNN": 1, "GRU": 3, "LSTM": 4}[operator], 1 + (direction == "bidirectional")
    node = helper.make_node(operator, ["x", "w", "r", "", "n"], ["y", "h"], hidden_size=3)
    node.attribute.append(helper.make_attribute("direction", direction))
    sizes = {"x": [6, 2, 5], "w": [d, 3 * gates, 5], "r": [d, 3 * gates, 3]}
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in sizes.items()]
    ends.append(helper.make_tensor_value_info("n", TensorProto.INT32, [2]))
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in "yh"]
    graph = helper.make_graph([node], "node", ends, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    outcome = compile_to(tmp_path / "model.so", model, Options("cpu"))
    assert outcome.checked.startswith("verified")
    assert not left_out(outcome)


@pytest.mark.parametrize(
    ("operator", "shape", "attributes"),
    [
        ("GlobalMaxPool", [2, 3, 5], {}),
        ("MaxPool", [1, 2, 9, 9], {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}),
    ],
)
def test_a_result_that_the_rules_of_onnx_refuse_says_nothing(
    operator: str, shape: list[int], attributes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = helper.make_node(operator, ["x"], ["y"], **attributes)
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in "xy"]
    graph = helper.make_graph([node], "pool", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    wrong = [np.zeros([*shape[:2], 77], np.float32)]
    monkeypatch.setattr(ReferenceEvaluator, "run", lambda *_: wrong)
    with pytest.raises(NoReferenceError, match=r"77\], ONNX's own rules give"):
        run_onnx_reference(model, {"x": np.zeros(shape, np.float32)})


def test_the_mask_of_an_old_dropout_is_of_the_type_of_its_input(tmp_path: Path) -> None:
    """The reference gives booleans, as newer versions of the operator do."""
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in "xym"]
    node = helper.make_node("Dropout", ["x"], ["y", "m"])
    graph = helper.make_graph([node], "dropout", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=8)
    outcome = compile_to(tmp_path / "model.so", model, Options("cpu"))
    assert left_out(outcome) == {"Dropout": "the reference gives a mask of booleans"}


def test_a_loop_without_a_condition_runs(tmp_path: Path) -> None:
    """ONNX's own implementation runs no iteration."""
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Identity", ["going"], ["on"]),
        helper.make_node("Add", ["v", "v"], ["w"]),
    ]
    counted = [value("i", TensorProto.INT64, []), value("going", TensorProto.BOOL, [])]
    results = [value("on", TensorProto.BOOL, []), value("w", TensorProto.FLOAT, [3])]
    body = helper.make_graph(nodes, "body", [*counted, value("v", TensorProto.FLOAT, [3])], results)
    ends = [value(n, TensorProto.FLOAT, [3]) for n in "xy"]
    count = helper.make_tensor("n", TensorProto.INT64, [], [5])
    loop = helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)
    graph = helper.make_graph([loop], "loop", ends[:1], ends[1:], [count])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    outcome = compile_to(tmp_path / "model.so", model, Options("cpu"))
    assert not left_out(outcome)
    x = np.array([1, 2, 3], np.float32)
    np.testing.assert_array_equal(load(tmp_path / "model.so").run({"x": x})["y"], 32 * x)
