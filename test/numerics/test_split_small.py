"""Copies of a small operation give what the one gave."""

import numpy as np

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.passes.graph_split_small import GraphSplitSmallPass

TEXT = """
func.func @main(%n: tensor<7x1xi32>, %x: tensor<7x11xf32>) -> (tensor<7x11xf32>, tensor<7x11xf32>) {
  %zero = graph.splat 0 : i32 -> tensor<i32>
  %0 = graph.compare %zero, %n {predicate = "lt"} : (tensor<i32>, tensor<7x1xi32>) -> tensor<7x1xi1>
  %1 = graph.exp %x : tensor<7x11xf32> -> tensor<7x11xf32>
  %2 = graph.where %0, %x, %1
    : (tensor<7x1xi1>, tensor<7x11xf32>, tensor<7x11xf32>) -> tensor<7x11xf32>
  %3 = graph.where %0, %1, %1
    : (tensor<7x1xi1>, tensor<7x11xf32>, tensor<7x11xf32>) -> tensor<7x11xf32>
  func.return %2, %3 : tensor<7x11xf32>, tensor<7x11xf32>
}
"""


def test_the_same_results() -> None:
    context = registry.new_context(weights := WeightStore())
    module = parse_module(TEXT, context)
    rng = np.random.default_rng(0)
    feeds = {
        "input0": rng.integers(-2, 3, (7, 1)).astype(np.int32),
        "input1": rng.standard_normal((7, 11)).astype(np.float32),
    }
    wanted = run_reference(module, feeds, weights)
    GraphSplitSmallPass().apply(context, module)
    assert [op.name for op in module.walk()].count("graph.compare") == 2
    found = run_reference(module, feeds, weights)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
