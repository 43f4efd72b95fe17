"""Products that share their lhs give the same results as one."""

import numpy as np
import pytest

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.passes.graph_merge_products import GraphMergeProductsPass

TEXT = """
func.func @main(%x: tensor<2x5x8xf32>) -> (tensor<2x5x16xf32>, tensor<2x5x7xf32>) {{
  %u = graph.weight @{u} : tensor<8x16xf32>
  %0 = graph.matmul %x, %u : (tensor<2x5x8xf32>, tensor<8x16xf32>) -> tensor<2x5x16xf32>
  %a = graph.weight @{a} : tensor<16xf32>
  %1 = graph.add %0, %a : (tensor<2x5x16xf32>, tensor<16xf32>) -> tensor<2x5x16xf32>
  %t = graph.weight @{t} : tensor<7x8xf32>
  %v = graph.transpose %t {{permutation = array<i64: 1, 0>}} : tensor<7x8xf32> -> tensor<8x7xf32>
  %2 = graph.matmul %x, %v : (tensor<2x5x8xf32>, tensor<8x7xf32>) -> tensor<2x5x7xf32>
  %b = graph.weight @{b} : tensor<7xf32>
  %3 = graph.add %b, %2 : (tensor<7xf32>, tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  func.return %1, %3 : tensor<2x5x16xf32>, tensor<2x5x7xf32>
}}
"""


@pytest.mark.parametrize("pays", [True, False])
def test_the_same_results(pays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    context = registry.new_context(weights := WeightStore())
    sizes = {"u": (8, 16), "a": (16,), "t": (7, 8), "b": (7,)}
    names = {n: weights.add(n, rng.integers(-3, 4, s).astype("f4")) for n, s in sizes.items()}
    module = parse_module(TEXT.format(**names), context)
    x = rng.integers(-3, 4, (2, 5, 8)).astype(np.float32)
    wanted = list(run_reference(module, {"input0": x}, weights).values())
    prices = iter([1.0, 1.0, 1.9 if pays else 2.0])  # of each product, of both as one
    monkeypatch.setattr("dlc.passes.graph_merge_products._Merged._price", lambda *_: next(prices))
    GraphMergeProductsPass(arch="sm_90a").apply(context, module)
    module.verify()
    assert [op.name for op in module.walk()].count("graph.matmul") == (1 if pays else 2)
    found = list(run_reference(module, {"input0": x}, weights).values())
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
