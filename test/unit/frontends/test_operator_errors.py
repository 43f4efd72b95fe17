"""What elementwise, layout and gather operators refuse, and in which words."""

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model

INTS = np.array
REFUSED: dict[str, tuple[str, dict[str, Any], list[np.ndarray], str]] = {
    "negative-size": ("Reshape", {}, [INTS([-5])], "a negative size other than -1"),
    "does-not-fill": ("Reshape", {}, [INTS([4])], "6 elements of shape"),
    "copied-axis": ("Reshape", {}, [INTS([0, 0, 0])], "copies an axis"),
    "parts": ("Split", {"axis": 1}, [INTS([1, 1])], "do not add up to 3"),
    "squeezed": ("Squeeze", {}, [INTS([0])], "cannot squeeze axis 0 of size 2"),
    "twice": ("Unsqueeze", {}, [INTS([0, 0])], "not distinct"),
    "axis": ("Gather", {"axis": 2}, [INTS([0])], "axis 2 is outside a tensor of 2 axes"),
    "step": ("Slice", {}, [INTS([0]), INTS([1]), INTS([0]), INTS([0])], "a step of Slice is 0"),
    "lengths": ("Slice", {}, [INTS([0]), INTS([1, 2])], "differ in length"),
    "expanded": ("Expand", {}, [INTS([2, 4])], "do not broadcast: sizes \\[3, 4\\] differ"),
    "negative": ("Expand", {}, [INTS([-2, 3])], "have a negative one"),
    "repeats": ("Tile", {}, [INTS([2])], "do not fit 2 axes"),
    "to-float8": ("Cast", {"to": onnx.TensorProto.FLOAT8E5M2}, [], "float8e5m2 is not supported"),
    "to-text": ("Cast", {"to": onnx.TensorProto.STRING}, [], "string is not supported"),
    "training": (
        "Dropout",
        {},
        [np.array(0.5, np.float32), np.array(True)],
        "Dropout in training mode is not supported",
    ),
    "data-dependent": ("NonZero", {}, [], "depends on the data; cut the model before it"),
    "permutation": ("Transpose", {"perm": [0, 0]}, [], "no permutation of 2 axes"),
    "approximation": ("Gelu", {"approximate": "fast"}, [], "no approximation 'fast'"),
    "type": ("Not", {}, [], "Not takes bool for its input X, not float32; put a Cast before it"),
    "type-of-function": (
        "HammingWindow",
        {},
        [],
        "HammingWindow takes int32, int64 for its input size, not float32",
    ),
    "one-type": (
        "Concat",
        {"axis": 0},
        [np.zeros([2, 3], np.float32), INTS([[1, 2, 3]])],
        r"one type for its inputs inputs\[0\] and inputs\[2\], not float32 and int64",
    ),
    "attribute-of-function": (
        "SoftmaxCrossEntropyLoss",
        {"reduction": 1},
        [INTS([0, 1])],
        "mismatched attribute type in 'here : reduction'",
    ),
    "rank": (
        "NegativeLogLikelihoodLoss",
        {},
        [INTS([0, 1]), np.ones([1, 1, 3], np.float32)],
        "ONNX refuses these operands of NegativeLogLikelihoodLoss: weight rank must be 1",
    ),
    "blocks": ("DepthToSpace", {"blocksize": 2}, [], "needs 4 axes of fixed size"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_names_the_node_and_the_reason(
    name: str, make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    operator, attributes, constants, message = REFUSED[name]
    initializers = {f"c{number}": value for number, value in enumerate(constants)}
    node = helper.make_node(operator, ["x", *initializers], ["y"], name="here", **attributes)
    with pytest.raises(CompileError, match=message) as refusal:
        import_model(make_model([node], initializers=initializers), None, context)
    assert refusal.value.at == "here"


def test_what_must_be_known_says_so(
    make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    shape = helper.make_tensor_value_info("s", onnx.TensorProto.INT64, [1])
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    model = make_model([helper.make_node("Reshape", ["x", "s"], ["y"])], inputs=[x, shape])
    with pytest.raises(CompileError, match="the shape of Reshape must be known when compiling"):
        import_model(model, None, context)


@pytest.mark.parametrize("lengths", [[4], [-1]])
@pytest.mark.parametrize(("operator", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_lengths_are_those_of_parts_of_the_sequence(
    operator: str,
    gates: int,
    lengths: list[int],
    make_model: Callable[..., onnx.ModelProto],
    context: DlcContext,
) -> None:
    constants = {
        "w": np.ones([1, gates * 5, 2], np.float32),
        "r": np.ones([1, gates * 5, 5], np.float32),
        "n": np.array(lengths, np.int32),
        "sizes": np.array([3, 1, 2]),
    }
    nodes = [
        helper.make_node("Reshape", ["x", "sizes"], ["s"]),
        helper.make_node(operator, ["s", "w", "r", "", "n"], ["y"], name="here", hidden_size=5),
    ]
    with pytest.raises(
        CompileError, match=r"sequences of 3 steps are not all between 0"
    ) as refusal:
        import_model(make_model(nodes, initializers=constants), None, context)
    assert refusal.value.at == "here"


def test_hidden_size_that_is_not_that_of_the_weights(
    make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    weights = {"w": np.ones([1, 96, 2], np.float32), "r": np.ones([1, 96, 25], np.float32)}
    weights["sizes"] = np.array([3, 1, 2])
    nodes = [
        helper.make_node("Reshape", ["x", "sizes"], ["s"]),
        helper.make_node("LSTM", ["s", "w", "r"], ["y"], name="here", hidden_size=24),
    ]
    with pytest.raises(CompileError, match=r"R is \[1x96x25\], and hidden_size is 24") as refusal:
        import_model(make_model(nodes, initializers=weights), None, context)
    assert refusal.value.at == "here"
