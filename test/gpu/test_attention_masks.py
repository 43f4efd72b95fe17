"""Attention whose masks are numbers, not minus infinity, as exporters write them."""

from collections.abc import Mapping

import numpy as np
import pytest
from attention_text import Case
from lowered import lowered
from simulated import Runner

from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError

ROWS, KEYS, DEPTH = 16, 64, 16
UNIT = 2.0**-11


def text(element: str, value: str) -> str:
    """Return attention in 16 bits, with a mask in 32 bits that is added in 32 bits."""
    q, k = f"tensor<1x{ROWS}x{DEPTH}x{element}>", f"tensor<1x{KEYS}x{DEPTH}x{element}>"
    v, y = f"tensor<1x{KEYS}x{DEPTH}x{value}>", f"tensor<1x{ROWS}x{DEPTH}x{value}>"
    m, s, r = (f"tensor<{size}xf32>" for size in (f"{ROWS}x{KEYS}", f"1x{ROWS}x{KEYS}", "1x16x1"))
    short, weights = (f"tensor<1x{ROWS}x{KEYS}x{t}>" for t in (element, value))
    keys = 'strategy = "attention", target = "gpu", rows = 16, step = 16, warps = 1, stages = 1'
    return f"""
func.func @main(%a: {q}, %b: {k}, %c: {v}, %d: {m}) -> {y} {{
  %r = fused_group.group @g(%a, %b, %c, %d) : ({q}, {k}, {v}, {m}) -> {y} attributes {{
      schedule = #loop.schedule<{keys}>}} {{
  ^bb0(%q: {q}, %k: {k}, %v: {v}, %mask: {m}):
    %0 = graph.matmul %q, %k transpose_rhs : ({q}, {k}) -> {short}
    %1 = graph.cast %0 {{to = f32}} : {short} -> {s}
    %x = graph.add %1, %mask : ({s}, {m}) -> {s}
    %l = graph.reduce_max %x axes [2] keep_dims : {s} -> {r}
    %2 = graph.sub %x, %l : ({s}, {r}) -> {s}
    %e = graph.exp %2 : {s} -> {s}
    %t = graph.reduce_sum %e axes [2] keep_dims : {s} -> {r}
    %3 = graph.div %e, %t : ({s}, {r}) -> {s}
    %w = graph.cast %3 {{to = {value}}} : {s} -> {weights}
    %y = graph.matmul %w, %v : ({weights}, {v}) -> {y}
    fused_group.yield %y : {y}
  }}
  func.return %r : {y}
}}"""


@pytest.mark.parametrize("hidden", [-1e4, -65504, -1e9, np.finfo(np.float32).min], ids=str)
def test_what_is_hidden_by_a_number(runner: Runner, hidden: float) -> None:
    """Of half of the rows the first two steps are hidden, of others all keys."""
    generator = np.random.default_rng(1)
    shapes = (1, ROWS, DEPTH), (1, KEYS, DEPTH), (1, KEYS, DEPTH)
    q, k, v = (generator.standard_normal(shape).astype(np.float16) for shape in shapes)
    mask = np.zeros((ROWS, KEYS), np.float32)
    mask[: ROWS // 2, : KEYS // 2] = hidden
    mask[ROWS // 2 : ROWS // 2 + 4] = hidden
    module = lowered(text("f16", "f16"), f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, q, k, v, mask)
    scores = (q.astype(np.float32) @ k.astype(np.float32).swapaxes(1, 2) + mask).astype(np.float64)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64)
    rounded = abs(hidden) * 2.0**-23 if hidden > -1e6 else 0.0  # scores beside such a mask
    np.testing.assert_allclose(y, wanted, rtol=0, atol=6 * (2 * UNIT + rounded + KEYS * 2.0**-24))


@pytest.mark.parametrize("size", [1, 16, 256])
@pytest.mark.parametrize("mask", ["", "causal"])
def test_large_scores_to_which_nothing_is_added(runner: Runner, mask: str, size: int) -> None:
    """Whole numbers, so that scores, up to 1.4e8, are exact; largest ones come in later steps."""
    case = Case("rows = 16, step = 16, warps = 1, stages = 1", 2, 40, 77, 16, 16, mask=mask)
    generator = np.random.default_rng(size)
    q, k = (generator.integers(-8, 9, (2, n, 16)).astype(np.float16) for n in (40, 77))
    k[:, ::7] += k[:, :1]  # scores close to each other
    inputs = {"q": q * size, "k": k * size, "v": generator.standard_normal((2, 77, 16))}
    inputs["v"] = inputs["v"].astype(np.float16)
    y = _result(runner, case, inputs)
    largest = 16 * 8 * 16 * 2.0**-24  # of size 1; of others a score is alone, or others are equal
    np.testing.assert_allclose(
        y, case.wanted(inputs), rtol=0, atol=6 * (2 * UNIT + largest + 77 * 2.0**-24)
    )


@pytest.mark.parametrize(("key", "weight"), [(-np.inf, 0.0), (np.inf, np.nan), (-65504, 0.0)])
def test_scores_without_end(runner: Runner, key: float, weight: float) -> None:
    """One key of the second step has scores of minus infinity, or infinity, in all rows."""
    case = Case("rows = 16, step = 16, warps = 1, stages = 1", 1, 20, 40, 16, 16)
    inputs = dict(case.inputs())
    inputs["q"][..., 0] = 4.0
    inputs["k"][0, 20, 0] = key
    y = _result(runner, case, inputs)
    if np.isnan(weight):
        assert np.isnan(y).all()
        return
    np.testing.assert_allclose(y, case.wanted(inputs), rtol=0, atol=6 * (2 * UNIT + 2.0**-18))


def test_rows_that_see_minus_infinity_only(runner: Runner) -> None:
    """Without a mask: the first step of keys, or all, are minus infinity."""
    case = Case("rows = 16, step = 16, warps = 1, stages = 1", 2, 20, 40, 16, 16, zero=True)
    inputs = dict(case.inputs())
    inputs["q"][..., 0] = 1.0
    inputs["k"][0, :16, 0] = inputs["k"][1, :, 0] = -np.inf
    y = _result(runner, case, inputs)
    assert (y[1] == 0).all()
    np.testing.assert_allclose(y, case.wanted(inputs), rtol=0, atol=6 * (2 * UNIT + 2.0**-18))


def _result(runner: Runner, case: Case, inputs: Mapping[str, Array]) -> Array:
    module = lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, *(inputs[name] for name in "qkv"))
    return y


def test_values_of_another_type_are_no_attention() -> None:
    with pytest.raises(CompileError, match="no strategy computes these ops together"):
        lowered(text("f16", "f32"), "lower-to-loop")
