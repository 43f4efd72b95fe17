"""ONNX Runtime's own operators as imported, in numpy, and as ONNX Runtime computes them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from attention_models import Array, eighths, imported, strategies
from contrib_cases import CASES, B, Case, D, H, S

from dlc.errors import CompileError
from dlc.oracle import run_reference
from dlc.verification.onnx_reference import NoReferenceError, run_onnx_reference

TERMS = 3 * 48 + 16 + 9
"""The most that a value is a sum of, over all steps: a projection, a score, an average."""


def outputs(case: Case) -> dict[str, Array]:
    """Return what the import of a case means."""
    module, context = imported(case.model())
    return run_reference(module, case.feeds(), context.weights)


def compare(case: Case, found: Mapping[str, Array], wanted: list[Array]) -> None:
    for (name, array), other in zip(found.items(), wanted, strict=True):
        assert array.shape == other.shape
        assert array.dtype == other.dtype
        # 16 roundings of 2^-24 a value, errors of a sum added in quadrature.
        bound = 16 * 2.0**-24 * TERMS**0.5 * max(1.0, np.abs(other).max())
        meant = np.ones(array.shape, np.bool_)
        for sequence, rows in enumerate(case.rows if name == "y" else ()):
            meant[sequence, rows:] = False
        np.testing.assert_allclose(array[meant], other[meant], rtol=0, atol=bound, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_import_and_reference(name: str) -> None:
    case = CASES[name]
    compare(case, outputs(case), run_onnx_reference(case.model(), case.feeds()))


def _in_halves(case: Case) -> Case:
    """Return the case with floats of 16 bits."""
    given = case.inputs.items()
    floats = {n: x.astype(np.float16) for n, x in given if x is not None and x.dtype.kind == "f"}
    return replace(case, inputs={**case.inputs, **floats})


@pytest.mark.parametrize("name", CASES)
def test_halves(name: str) -> None:
    case = _in_halves(CASES[name])
    wanted = run_onnx_reference(case.model(), case.feeds())
    for (key, array), other in zip(outputs(case).items(), wanted, strict=True):
        assert array.dtype == other.dtype
        # Both are computed in double or nearly so, and rounded to half precision once.
        bound = 2.0**-10 * np.abs(other).max()
        np.testing.assert_allclose(array, other, rtol=2.0**-10, atol=bound, err_msg=key)


def test_filter_beyond_half_precision() -> None:
    case = _in_halves(CASES["attention tokens"])
    lowest = {**case.attributes, "mask_filter_value": float(np.finfo(np.float32).min)}
    (y,) = outputs(replace(case, attributes=lowest)).values()
    (same,) = outputs(replace(case, attributes={**lowest, "mask_filter_value": -6e4})).values()
    np.testing.assert_array_equal(y, same)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.runs])
def test_onnxruntime(name: str) -> None:
    ort = pytest.importorskip("onnxruntime", reason="needs onnxruntime: pip install -e '.[dev]'")
    case = CASES[name]
    session = ort.InferenceSession(case.model().SerializeToString())
    compare(case, outputs(case), session.run(None, case.feeds()))


@pytest.mark.parametrize("name", ["attention tokens", "heads tokens"])
def test_default_filter_of_a_row_that_sees_nothing(name: str) -> None:
    """It is -1e4, beside which scores keep their size in single precision: to 2^-11."""
    ort = pytest.importorskip("onnxruntime", reason="needs onnxruntime: pip install -e '.[dev]'")
    base = CASES[name]
    mask = base.feeds()["mask"].copy()
    mask[1] = 0
    case = replace(base, inputs={**base.inputs, "mask": mask})
    module, context = imported(case.model())
    (y,) = run_reference(module, case.feeds(), context.weights, np.float32).values()
    (wanted,) = ort.InferenceSession(case.model().SerializeToString()).run(None, case.feeds())
    given = case.feeds()
    values = given["value"] if "value" in given else given["x"] @ given["weights"][:, 2 * H * D :]
    # Four roundings of scores move a weight by 2^-9 of itself.
    largest = np.abs(values + given["bias"][2 * H * D :]).max()
    np.testing.assert_allclose(y, wanted, rtol=0, atol=2.0**-9 * largest)


def _grown(name: str) -> Case:
    """Return a case of so many tokens and elements that one kernel is the fastest."""
    batch, length, heads, size = 4, 128, 4, 64
    x, wide = (batch, length, heads * size), (batch, length, 2 * size)
    if name.startswith("attention"):
        weights = {"weights": (heads * size, 3 * heads * size), "bias": (3 * heads * size,)}
        shapes: dict[str, tuple[int, ...]] = {"x": x, **weights}
    elif name.startswith("heads"):
        shapes = {"query": x, "key": x, "value": x, "bias": (3 * heads * size,)}
    else:
        shapes = {"query": x, "key": wide, "value": wide}
    generator = np.random.default_rng(5)
    inputs: dict[str, Array | None] = {n: eighths(generator, *s) for n, s in shapes.items()}
    attributes: dict[str, Any] = {"num_heads": heads}
    if "tokens" in name:
        inputs["mask"] = (generator.random((batch, length)) > 0.3).astype(np.int32)
    if name.startswith("groups"):
        last = np.full(batch, length - 1, np.int32)
        inputs |= {"past": None, "old": None, "last": last, "total": np.array(length, np.int32)}
        attributes["kv_num_heads"] = 2
        return Case(OPERATORS["groups"], inputs, ["y"], attributes, ["total"])
    if "causal" in name:
        attributes["unidirectional"] = 1
    return Case(OPERATORS[name.split()[0]], inputs, ["y"], attributes)


OPERATORS = {
    "attention": "Attention",
    "heads": "MultiHeadAttention",
    "groups": "GroupQueryAttention",
}
GROWN = ["attention", "attention causal tokens", "heads", "heads tokens", "groups"]


@pytest.mark.parametrize("name", GROWN)
def test_one_kernel(name: str) -> None:
    case = _grown(name)
    module, context = imported(case.model())
    wanted = run_reference(module, case.feeds(), context.weights)["y"]
    assert strategies(module, context).count("attention") == 1
    found = run_reference(module, case.feeds(), context.weights)["y"]
    # Both are computed in double and rounded to single once.
    np.testing.assert_allclose(found, wanted, rtol=2.0**-23, atol=2.0**-23 * np.abs(wanted).max())


REFUSED: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "shared buffers": ("attention", {}, {"past_present_share_buffer": 1}, "past_present_share"),
    "an unknown attribute": ("attention", {}, {"other": 1}, "attribute other of Attention"),
    "a mask of four axes": (
        "attention",
        {"mask": np.ones((B, 1, S, S), np.int32)},
        {},
        "a mask of",
    ),
    "heads": ("attention", {}, {"num_heads": 5}, "48 elements do not divide into 5 heads"),
    "sizes": ("attention", {}, {"qkv_hidden_sizes": [48, 48]}, "qkv_hidden_sizes are [48, 48]"),
    "half a past": ("heads", {"past_key": np.ones((B, H, 3, D), np.float32)}, {}, "together"),
    "keys alone": ("heads", {"value": None}, {}, "its inputs have 2 parts"),
    "an order of other keys": (
        "heads",
        {},
        {"unidirectional": 1},
        "unidirectional needs a new key for each query, there are 7 for 5",
    ),
    "smooth softmax": ("groups", {}, {"smooth_softmax": 1}, "smooth_softmax = 1"),
    "no window": ("groups", {}, {"local_window_size": 0}, "local_window_size is 0"),
    "more queries": ("groups", {"total": np.array(4, np.int32)}, {}, "there are 5 queries"),
    "scale of places": ("rotary apart 0", {}, {"scale": 2.0}, "scale = 2.0"),
    "columns of caches": (
        "rotary part 0",
        {},
        {"rotary_embedding_dim": 6},
        "caches have 4 columns",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(name: str) -> None:
    base, inputs, attributes, reason = REFUSED[name]
    case = CASES[base]
    changed = replace(
        case,
        inputs={**case.inputs, **inputs},
        attributes={**case.attributes, **attributes},
    )
    with pytest.raises(CompileError) as error:
        imported(changed.model())
    assert error.value.at == "node"
    assert reason in error.value.message
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("keys", [3, 7])
def test_no_order_of_other_keys(keys: int) -> None:
    """The reference has none either: on ONNX Runtime's CPU the last query alone sees all keys."""
    case = CASES["heads causal"]
    other = np.ones((B, keys, H * D), np.float32)
    changed = replace(case, inputs={**case.inputs, "key": other, "value": other})
    with pytest.raises(NoReferenceError, match=f"{keys} new keys for {S} queries"):
        run_onnx_reference(changed.model(), changed.feeds())


def test_length_that_is_not_known() -> None:
    case = replace(CASES["groups"], constants=())
    with pytest.raises(CompileError, match="the total sequence length of GroupQueryAttention must"):
        imported(case.model())
