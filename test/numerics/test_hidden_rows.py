"""What attention gives for a query that a mask hides every key from (docs/precision.md)."""

import numpy as np
import onnx
import pytest
from attention_models import Array, eighths, imported, strategies
from onnx import helper, numpy_helper

from dlc.oracle import run_reference

HEADS, QUERIES, SIZE, HIDDEN = 2, 64, 32, 8
LOWEST = float(np.finfo(np.float32).min)


def model(low: float) -> onnx.ModelProto:
    """Return attention to whose scores ``(1 - m) * low`` is added."""
    nodes = [
        helper.make_node("Transpose", ["k"], ["t"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "t"], ["s"]),
        helper.make_node("Sub", ["one", "m"], ["n"]),
        helper.make_node("Mul", ["n", "low"], ["b"]),
        helper.make_node("Add", ["s", "b"], ["a"]),
        helper.make_node("Softmax", ["a"], ["w"], axis=-1),
        helper.make_node("MatMul", ["w", "v"], ["y"]),
    ]
    numbers = {"one": np.float32(1), "low": np.float32(low)}
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            *(
                helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [HEADS, QUERIES, SIZE])
                for name in "qkv"
            ),
            helper.make_tensor_value_info("m", onnx.TensorProto.FLOAT, [1, QUERIES, QUERIES]),
        ],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.asarray(x), name) for name, x in numbers.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def feeds() -> dict[str, Array]:
    generator = np.random.default_rng(2)
    found = {name: eighths(generator, HEADS, QUERIES, SIZE) for name in "qkv"}
    mask = np.ones((1, QUERIES, QUERIES), np.float32)
    mask[:, :HIDDEN] = 0
    return {**found, "m": mask}


def unmasked(given: dict[str, Array]) -> Array:
    """Return what the hidden queries would give without a mask."""
    scores = np.exp(given["q"][:, :HIDDEN].astype(np.float64) @ given["k"].swapaxes(1, 2))
    return scores / scores.sum(-1, keepdims=True) @ given["v"]


@pytest.mark.parametrize(("low", "is_mean"), [(-1e4, False), (-1e9, True), (LOWEST, True)])
def test_single_precision(low: float, is_mean: bool) -> None:
    graph, context = imported(model(low))
    given = feeds()
    found = run_reference(graph, given, context.weights, np.float32)["y"][:, :HIDDEN]
    mean = np.broadcast_to(given["v"].mean(1, keepdims=True), found.shape)
    # At 1e4 a score keeps 2^-11, half the distance of neighbours there, at 1e9 nothing.
    np.testing.assert_allclose(found, mean if is_mean else unmasked(given), rtol=0, atol=2.0**-10)


@pytest.mark.parametrize("low", [-1e4, -1e9, LOWEST])
def test_half_precision(low: float) -> None:
    graph, context = imported(model(low))
    given = feeds()
    assert strategies(graph, context).count("attention") == 1
    found = run_reference(graph, given, context.weights, np.float32)["y"][:, :HIDDEN]
    # The mask is -65504: a score keeps 2^-9 there. The weights are rounded to half precision.
    np.testing.assert_allclose(found, unmasked(given), rtol=0, atol=2.0**-8)
