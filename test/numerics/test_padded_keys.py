"""Attention with more keys, whose scores are masked, gives the same results."""

import numpy as np
import pytest

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.passes import graph_pad_keys
from dlc.passes.graph_pad_keys import GraphPadKeysPass

TEXT = """
func.func @main(%q: tensor<2x5x8xf32>, %k: tensor<2x{n}x8xf32>, %v: tensor<{n}x4xf32>)
    -> tensor<2x5x4xf32> {{
  %s = graph.matmul %q, %k transpose_rhs
    : (tensor<2x5x8xf32>, tensor<2x{n}x8xf32>) -> tensor<2x5x{n}xf32>
  %p = graph.softmax %s axis 2 : tensor<2x5x{n}xf32> -> tensor<2x5x{n}xf32>
  %y = graph.matmul %p, %v : (tensor<2x5x{n}xf32>, tensor<{n}x4xf32>) -> tensor<2x5x4xf32>
  func.return %y : tensor<2x5x4xf32>
}}
"""


@pytest.mark.parametrize("keys", [77, 127, 197, 211])
def test_the_same_result(keys: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_pad_keys, "INDISTINCT", -np.inf)  # whatever it takes
    rng = np.random.default_rng(keys)
    context = registry.new_context(weights := WeightStore())
    module = parse_module(TEXT.format(n=keys), context)
    sizes = (2, 5, 8), (2, keys, 8), (keys, 4)
    inputs = {f"input{i}": rng.standard_normal(s).astype(np.float32) for i, s in enumerate(sizes)}
    inputs["input0"][0, 1] = 1e4  # one weight of 1, all others 0
    inputs["input0"][1, 2] = np.inf  # a row of NaN
    inputs["input0"][1, 3] = 0  # equal weights
    (wanted,) = run_reference(module, inputs, weights).values()
    GraphPadKeysPass(arch="sm_90a").apply(context, module)
    assert [op.name for op in module.walk()].count("graph.pad") == 2
    (found,) = run_reference(module, inputs, weights).values()
    assert np.isnan(found[1, 2]).all()
    # Sums of as many terms of order one, in another order.
    np.testing.assert_allclose(found, wanted, rtol=0, atol=keys * 2.0**-24 * 4)
