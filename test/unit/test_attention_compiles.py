"""Operators of attention through the whole path: compiled and verified for a GPU and the CPU."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from attention_models import Array, eighths, imported, node_model, strategies

import dlc
from dlc.compiler import Options, compile_to
from dlc.verification.onnx_reference import run_onnx_reference

B, S, D = 2, 96, 32
_draws = np.random.default_rng(9)


def _masked() -> tuple[onnx.ModelProto, dict[str, Array]]:
    """Return ONNX's Attention with a query that sees no key."""
    inputs: dict[str, Array] = {n: eighths(_draws, B, 2, S, D) for n in "QKV"}
    inputs["mask"] = _draws.random((B, 1, S, S)) > 0.3
    inputs["mask"][:, :, 5, :6] = False
    return node_model("Attention", inputs, ["Y"], 23, is_causal=1), inputs


def _grouped() -> tuple[onnx.ModelProto, dict[str, Array]]:
    """Return GroupQueryAttention of a prompt, with rotary places."""
    inputs: dict[str, Array] = {
        "query": eighths(_draws, B, S, 4 * D),
        "key": eighths(_draws, B, S, 2 * D),
        "value": eighths(_draws, B, S, 2 * D),
    }
    tables = {n: eighths(_draws, S, D // 2) for n in ("cosines", "sines")}
    last, total = np.full(B, S - 1, np.int32), np.array(S, np.int32)
    model = node_model(
        "GroupQueryAttention",
        {**inputs, "past": None, "old": None, "last": last, "total": total, **tables},
        ["Y", "keys", "values"],
        domain="com.microsoft",
        constants=("total", "last", *tables),
        num_heads=4,
        kv_num_heads=2,
        do_rotary=1,
    )
    return model, inputs


def _tokens() -> tuple[onnx.ModelProto, dict[str, Array]]:
    """Return MultiHeadAttention with a bias and a mask of tokens."""
    inputs: dict[str, Array] = {n: eighths(_draws, B, S, 2 * D) for n in ("q", "k", "v")}
    inputs["bias"] = eighths(_draws, 6 * D)
    inputs["tokens"] = (_draws.random((B, S)) > 0.3).astype(np.int32)
    more: dict[str, Any] = {"domain": "com.microsoft", "constants": ("bias",), "num_heads": 2}
    model = node_model("MultiHeadAttention", inputs, ["Y"], **more)
    return model, {name: x for name, x in inputs.items() if name != "bias"}


def _step() -> tuple[onnx.ModelProto, dict[str, Array]]:
    """Return ONNX's Attention of one query more, with the keys before it as inputs and all of them
    as outputs; pairs of heads share keys.
    """
    inputs: dict[str, Array | None] = {
        "q": eighths(_draws, B, 4, 1, D),
        "k": eighths(_draws, B, 2, 1, D),
        "v": eighths(_draws, B, 2, 1, D),
        "mask": None,
        "old_keys": eighths(_draws, B, 2, 2 * S - 1, D),
        "old_values": eighths(_draws, B, 2, 2 * S - 1, D),
    }
    model = node_model("Attention", inputs, ["Y", "keys", "values"], 24)
    return model, {n: x for n, x in inputs.items() if x is not None}


FORMS = {"masked": _masked, "grouped": _grouped, "tokens": _tokens, "step": _step}


@pytest.mark.parametrize("form", FORMS)
def test_gpu(form: str, tmp_path: Path) -> None:
    model, _ = FORMS[form]()
    assert strategies(*imported(model)).count("attention") == 1
    outcome = compile_to(tmp_path / "a.so", model, Options(target="sm_90a", precision="fp16"))
    assert "emulated for sm_90a: the whole artifact" in outcome.checked
    assert "import checked for 1 of 1 kinds" in outcome.checked


@pytest.mark.parametrize("form", FORMS)
def test_cpu(form: str, tmp_path: Path) -> None:
    model, feeds = FORMS[form]()
    outcome = compile_to(tmp_path / "a.so", model, Options(target="cpu"))
    assert "verified: " in outcome.checked
    found = dlc.load(tmp_path / "a.so").run(feeds)
    for array, wanted in zip(found.values(), run_onnx_reference(model, feeds), strict=True):
        assert np.isfinite(wanted).all()
        # 16 roundings of 2^-24 a value, errors of sums of D and S terms added in quadrature.
        bound = 16 * 2.0**-24 * (D + S) ** 0.5 * max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(array, wanted, rtol=0, atol=bound)
