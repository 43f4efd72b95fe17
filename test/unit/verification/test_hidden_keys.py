"""What is right where hidden keys of attention hold NaN or infinities, and what is not."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.verification.judge import Judge
from dlc.verification.miscompile import MiscompileError
from dlc.verification.reference import Reference

TEXT = """
func.func @main(%q: tensor<1x4x2xf32>, %k: tensor<1x4x2xf32>, %v: tensor<1x4x2xf32>, %m: tensor<4x4xf32>) -> tensor<1x4x2xf32> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<1x4x2xf32>, tensor<1x4x2xf32>) -> tensor<1x4x4xf32>
  %1 = graph.add %0, %m : (tensor<1x4x4xf32>, tensor<4x4xf32>) -> tensor<1x4x4xf32>
  %2 = graph.softmax %1 axis 2 : tensor<1x4x4xf32> -> tensor<1x4x4xf32>
  %3 = graph.matmul %2, %v : (tensor<1x4x4xf32>, tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  func.return %3 : tensor<1x4x2xf32>
}
"""  # noqa: E501
CAUSAL = np.where(np.tri(4) > 0, 0, -np.inf).astype(np.float32)
LAST = 3
"""The key that only the last query sees."""

Floats = NDArray[np.float32]


def feeds(strange: str, mask: Floats) -> dict[str, Floats]:
    """Return inputs whose last key has NaN in its first element, in the keys or the values."""
    generator = np.random.default_rng(0)
    drawn = [generator.standard_normal((1, 4, 2)).astype(np.float32) for _ in "qkv"]
    drawn["qkv".index(strange)][0, LAST, 0] = np.nan
    return {f"input{number}": x for number, x in enumerate([*drawn, mask])}


def left_out(inputs: dict[str, Floats]) -> Floats:
    """Return what comes out where hidden keys are not computed with at all."""
    q, k, v, mask = inputs.values()
    rows: list[Floats] = []
    for query, added in zip(q[0], mask, strict=True):
        seen = added > -1e38
        scores = k[0][seen] @ query
        weights = np.exp(scores - scores.max())
        rows.append(weights / weights.sum() @ v[0][seen])
    return np.array([rows], np.float32)


def judge() -> Judge:
    context = registry.new_context(weights := WeightStore())
    return Judge(Reference(parse_module(TEXT, context), weights), "fp32")


@pytest.mark.parametrize("strange", ["k", "v"])
@pytest.mark.parametrize("lowest", [-np.inf, np.finfo(np.float32).min], ids=["infinite", "lowest"])
def test_keys_that_are_left_out(strange: str, lowest: float) -> None:
    inputs = feeds(strange, np.where(CAUSAL == 0, 0, np.float32(lowest)))
    found = left_out(inputs)
    assert np.isfinite(found[0, :LAST]).all()
    assert np.isnan(found[0, LAST]).any()
    judge().check(inputs, {"output0": found}, "special")


@pytest.mark.parametrize("strange", ["k", "v"])
def test_keys_that_are_not(strange: str) -> None:
    """NaN of a key that a query sees must come through."""
    inputs = feeds(strange, CAUSAL)
    found = left_out(inputs)
    found[0, LAST] = 0
    with pytest.raises(MiscompileError):
        judge().check(inputs, {"output0": found}, "special")


def test_other_elements() -> None:
    """What no NaN touches must be right."""
    inputs = feeds("v", CAUSAL)
    found = left_out(inputs)
    found[0, 1, 1] += 0.1
    with pytest.raises(MiscompileError):
        judge().check(inputs, {"output0": found}, "special")


def test_a_mask_that_does_not_hide() -> None:
    inputs = feeds("v", np.where(CAUSAL == 0, 0, np.float32(-5)))
    found = left_out({**inputs, "input3": CAUSAL})
    with pytest.raises(MiscompileError):
        judge().check(inputs, {"output0": found}, "special")
