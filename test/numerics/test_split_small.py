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

POSITIONS = """
func.func @main(%n: tensor<7x1xi32>, %x: tensor<7x11xf32>) -> (tensor<7x11xf32>, tensor<7x11xf32>) {
  %zero = graph.splat 0.0 : f32 -> tensor<f32>
  %0 = graph.range {start = -3 : i32, step = 1 : i32, size = 11 : i32} -> tensor<11xi32>
  %1 = graph.reshape %0 {sizes = array<i64: 1, 11>} : tensor<11xi32> -> tensor<1x11xi32>
  %2 = graph.compare %0, %n {predicate = "lt"}
    : (tensor<11xi32>, tensor<7x1xi32>) -> tensor<7x11xi1>
  %3 = graph.compare %1, %n {predicate = "eq"}
    : (tensor<1x11xi32>, tensor<7x1xi32>) -> tensor<7x11xi1>
  %4 = graph.where %2, %x, %zero
    : (tensor<7x11xi1>, tensor<7x11xf32>, tensor<f32>) -> tensor<7x11xf32>
  %5 = graph.where %3, %x, %4
    : (tensor<7x11xi1>, tensor<7x11xf32>, tensor<7x11xf32>) -> tensor<7x11xf32>
  func.return %4, %5 : tensor<7x11xf32>, tensor<7x11xf32>
}
"""


def test_positions_of_each_reader() -> None:
    _compare(POSITIONS, "graph.range")


def test_the_same_results() -> None:
    _compare(TEXT, "graph.compare")


def _compare(text: str, copied: str) -> None:
    context = registry.new_context(weights := WeightStore())
    module = parse_module(text, context)
    rng = np.random.default_rng(0)
    feeds = {
        "input0": rng.integers(-2, 3, (7, 1)).astype(np.int32),
        "input1": rng.standard_normal((7, 11)).astype(np.float32),
    }
    wanted = run_reference(module, feeds, weights)
    GraphSplitSmallPass().apply(context, module)
    assert [op.name for op in module.walk()].count(copied) == 2
    found = run_reference(module, feeds, weights)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
