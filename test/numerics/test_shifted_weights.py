"""Weights of rows that start within a line: kept once for each place of a line, read once for
the turns of a team.
"""

import numpy as np
import pytest

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.simulator import run_module

TEXT = """
func.func @main(%x: tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %w = graph.weight @{w} : tensor<{n}xf32>
  %b = graph.weight @{b} : tensor<{n}xf32>
  %y = fused_group.group @g(%x, %w, %b)
    : (tensor<{m}x{n}xf32>, tensor<{n}xf32>, tensor<{n}xf32>) -> tensor<{m}x{n}xf32>
    attributes {{schedule = #loop.schedule<strategy = "row", target = "gpu", {schedule}>}} {{
  ^bb0(%g: tensor<{m}x{n}xf32>, %v: tensor<{n}xf32>, %c: tensor<{n}xf32>):
    %m = graph.reduce_max %g axes [1] keep_dims : tensor<{m}x{n}xf32> -> tensor<{m}x1xf32>
    %d = graph.sub %g, %m : (tensor<{m}x{n}xf32>, tensor<{m}x1xf32>) -> tensor<{m}x{n}xf32>
    %e = graph.mul %d, %v : (tensor<{m}x{n}xf32>, tensor<{n}xf32>) -> tensor<{m}x{n}xf32>
    %r = graph.add %e, %c : (tensor<{m}x{n}xf32>, tensor<{n}xf32>) -> tensor<{m}x{n}xf32>
    fused_group.yield %r : tensor<{m}x{n}xf32>
  }}
  func.return %y : tensor<{m}x{n}xf32>
}}
"""
PASSES = "lower-to-loop,lower-to-gpu{arch=sm_90a}"


@pytest.mark.parametrize("length", [5, 50, 197])
@pytest.mark.parametrize(
    ("count", "schedule"),
    [
        (9, "threads = 32, vector = 8"),
        (9, "threads = 8, rows = 4, vector = 4"),
        (9, "threads = 16, rows = 8, packed = true, turns = 4"),
        (9, "threads = 64, rows = 4, packed = true, turns = 4"),
    ],
)
def test_each_element_has_its_own_weight(length: int, count: int, schedule: str) -> None:
    rng = np.random.default_rng(length)
    context = registry.new_context(weights := WeightStore())
    w, b = (rng.integers(-9, 10, length).astype(np.float32) for _ in range(2))
    names = {"w": weights.add("w", w), "b": weights.add("b", b)}
    module = parse_module(TEXT.format(m=count, n=length, schedule=schedule, **names), context)
    for step in registry.build_passes(PASSES):
        step.apply(context, module)
    x = rng.integers(-9, 10, (count, length)).astype(np.float32)
    (y,) = run_module(module, [x], weights)
    np.testing.assert_array_equal(y, (x - x.max(1, keepdims=True)) * w + b)


@pytest.mark.parametrize(
    "schedule",
    ["threads = 8, rows = 4, vector = 4", "threads = 8, rows = 8, packed = true, turns = 2"],
)
def test_a_number_of_each_row_is_no_weight_of_elements(schedule: str) -> None:
    """Of a square there are as many numbers of rows as elements in a row."""
    rng = np.random.default_rng(0)
    context = registry.new_context(weights := WeightStore())
    w, b = (rng.integers(-9, 10, size).astype(np.float32) for size in ((17, 1), (17,)))
    names = {"w": weights.add("w", w), "b": weights.add("b", b)}
    text = TEXT.format(m=17, n=17, schedule=schedule, **names)
    for old, new in (
        (f"@{names['w']} : tensor<17xf32>", f"@{names['w']} : tensor<17x1xf32>"),
        (
            "tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>",
            "tensor<17x17xf32>, tensor<17x1xf32>, tensor<17xf32>",
        ),
        ("%v: tensor<17xf32>", "%v: tensor<17x1xf32>"),
        (
            "%d, %v : (tensor<17x17xf32>, tensor<17xf32>)",
            "%d, %v : (tensor<17x17xf32>, tensor<17x1xf32>)",
        ),
    ):
        assert old in text
        text = text.replace(old, new)
    module = parse_module(text, context)
    for step in registry.build_passes(PASSES):
        step.apply(context, module)
    x = rng.integers(-9, 10, (17, 17)).astype(np.float32)
    (y,) = run_module(module, [x], weights)
    np.testing.assert_array_equal(y, (x - x.max(1, keepdims=True)) * w + b)
