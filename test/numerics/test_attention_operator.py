"""ONNX's Attention becomes one kernel of strategy attention and keeps its meaning.

That it means what ONNX says is in test_onnx_node_suite.py.
"""

from typing import Any

import numpy as np
import onnx
import pytest
from attention_models import Array, Given, eighths, imported, node_model, strategies

from dlc.errors import CompileError
from dlc.oracle import run_reference

B, H, S, D = 4, 4, 128, 64
HEADS = {"q_num_heads": H, "kv_num_heads": H}
INPUTS = ("Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen")


def drawn(**sizes: tuple[int, ...]) -> dict[str, Array | None]:
    """Return inputs of these shapes: masks of booleans with rows that see nothing, lengths."""
    generator = np.random.default_rng(7)
    found: dict[str, Array | None] = dict.fromkeys(INPUTS[: 1 + INPUTS.index([*sizes][-1])])
    for name, shape in sizes.items():
        found[name] = eighths(generator, *shape)
    if "nonpad_kv_seqlen" in sizes:
        found["nonpad_kv_seqlen"] = np.array([S, 1, S // 2, S // 3], np.int64)
    return found


def boolean(inputs: dict[str, Array | None]) -> dict[str, Array | None]:
    mask = inputs["attn_mask"]
    assert mask is not None
    seen = mask > 0
    seen[..., 3, :] = False
    return {**inputs, "attn_mask": seen}


APART: Any = {"Q": (B, H, S, D), "K": (B, H, S, D), "V": (B, H, S, D)}
FEW: Any = {**APART, "K": (B, 2, S, D), "V": (B, 2, S, D)}
PACKED: Any = {"Q": (B, S, H * D), "K": (B, S, H * D), "V": (B, S, H * D)}
PAST: Any = {**APART, "past_key": (B, H, 64, D), "past_value": (B, H, 64, D)}
FORMS: dict[str, tuple[int, dict[str, Array | None], dict[str, Any]]] = {
    "four axes": (23, drawn(**APART), {}),
    "three axes": (23, drawn(**PACKED), HEADS),
    "causal": (23, drawn(**APART), {"is_causal": 1}),
    "fewer heads of keys": (24, drawn(**FEW), {"is_causal": 1}),
    "another length of values": (23, drawn(**{**APART, "V": (B, H, S, 32)}), {"scale": 0.25}),
    "mask of numbers": (23, drawn(**APART, attn_mask=(S, S)), {}),
    "mask of booleans": (23, boolean(drawn(**APART, attn_mask=(B, 1, S, S))), {"is_causal": 1}),
    "short mask": (24, drawn(**APART, attn_mask=(B, 1, S, S - 7)), {}),
    "softmax in single": (23, drawn(**APART), {"softmax_precision": 1}),
    "past": (24, drawn(**PAST), {"is_causal": 1}),
    "lengths": (24, drawn(**APART, nonpad_kv_seqlen=(B,)), {"is_causal": 1}),
    "window": (25, drawn(**APART), {"left_window_size": 5, "right_window_size": 9}),
}


@pytest.mark.parametrize("form", FORMS)
def test_one_kernel(form: str) -> None:
    opset, inputs, attributes = FORMS[form]
    outputs = ["Y", *(["present_key", "present_value"] if form == "past" else [])]
    keeps_meaning(node_model("Attention", inputs, outputs, opset, **attributes), inputs)


def test_flexible_attention_of_fewer_heads() -> None:
    """Keys are scaled, and only then repeated and transposed."""
    inputs = {name: x for name, x in drawn(**FEW).items() if x is not None}
    model = node_model("FlexAttention", inputs, ["Y"], domain="ai.onnx.preview")
    keeps_meaning(model, inputs)


def keeps_meaning(model: onnx.ModelProto, inputs: Given) -> None:
    """Check that a model has one kernel of attention, and means the same before and after."""
    module, context = imported(model)
    feeds = {name: x for name, x in inputs.items() if x is not None}
    wanted = run_reference(module, feeds, context.weights)
    assert strategies(module, context).count("attention") == 1
    found = run_reference(module, feeds, context.weights)
    for name, array in wanted.items():
        assert np.isfinite(array).all()
        # Both are computed in double and rounded to single once.
        np.testing.assert_allclose(found[name], array, rtol=2.0**-23, atol=2.0**-23, err_msg=name)


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_places_are_one_kernel(interleaved: int) -> None:
    generator = np.random.default_rng(3)
    table = eighths(generator, 2 * S, D // 2)
    places = generator.integers(0, 2 * S, (B, S))
    inputs: dict[str, Array | None] = {"x": eighths(generator, B, H, S, D)}
    inputs |= {"cosines": table, "sines": table[::-1].copy(), "places": places}
    model = node_model("RotaryEmbedding", inputs, ["y"], 23, interleaved=interleaved)
    module, context = imported(model)
    feeds = {name: x for name, x in inputs.items() if x is not None}
    wanted = run_reference(module, feeds, context.weights)["y"]
    assert strategies(module, context) == ["map"]
    found = run_reference(module, feeds, context.weights)["y"]
    np.testing.assert_allclose(found, wanted, rtol=2.0**-23, atol=2.0**-23)


def test_scores_that_are_read_are_in_memory() -> None:
    outputs = ["Y", "", "", "scores"]
    module, context = imported(node_model("Attention", drawn(**APART), outputs, 23))
    assert "attention" not in strategies(module, context)
    reason = "scores, weights or factors are outputs, or others read them too"
    assert reason in str(module)


REFUSED: dict[str, tuple[dict[str, Array | None], dict[str, Any], str]] = {
    "heads": (drawn(**PACKED), {"q_num_heads": 3, "kv_num_heads": 3}, "do not divide into 3 heads"),
    "groups": (
        drawn(**{**APART, "K": (B, 3, S, D), "V": (B, 3, S, D)}),
        {},
        "4 heads of queries are no multiple of 3 heads of keys",
    ),
    "half a past": (drawn(**APART, past_key=(B, H, 8, D)), {}, "past_key and past_value together"),
    "mode": (drawn(**APART), {"qk_matmul_output_mode": 4}, "qk_matmul_output_mode is 4"),
    "ranks": (drawn(**{**APART, "K": (B, S, H * D)}), {}, "three axes each, or four"),
    "precision": (drawn(**APART), {"softmax_precision": 7}, "should be a float"),
    "wide mask": (drawn(**APART, attn_mask=(S, S + 1)), {}, "columns for 128 keys"),
}


@pytest.mark.parametrize("form", REFUSED)
def test_refused_in_one_line(form: str) -> None:
    inputs, attributes, reason = REFUSED[form]
    with pytest.raises(CompileError) as error:
        imported(node_model("Attention", inputs, ["Y"], 23, **attributes))
    assert error.value.at == "node"
    assert reason in error.value.message
    assert "\n" not in str(error.value)
