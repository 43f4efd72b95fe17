"""Loops of steps mean at every level what their steps mean one after the other."""

import numpy as np
import pytest

from dlc import registry
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import Array
from dlc.oracle import run_reference

STEPS = 5
BODY = """
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x4xf32>, %m: tensor<4x4xf32>):
    %0 = graph.matmul %s, %m : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = graph.add %0, %part : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = graph.tanh %1 : tensor<2x4xf32> -> tensor<2x4xf32>
    %3 = graph.mul %2, %part : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>
"""


def text(backward: str) -> str:
    """Return a loop between ops that read and give what it does."""
    return f"""
func.func @main(%h: tensor<2x4xf32>, %x: tensor<5x2x4xf32>, %w: tensor<4x4xf32>)
    -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {{
  %early = graph.exp %h : tensor<2x4xf32> -> tensor<2x4xf32>
  %a = graph.relu %x : tensor<5x2x4xf32> -> tensor<5x2x4xf32>
  %last, %all = graph.step_loop carry(%h) slice(%a) read(%w) {{steps = {STEPS} : i64{backward}}}
    : (tensor<2x4xf32>) (tensor<5x2x4xf32>) (tensor<4x4xf32>)
    -> tensor<2x4xf32>, tensor<5x2x4xf32> {{ {BODY} }}
  %b = graph.add %all, %a : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  %c = graph.add %b, %early : (tensor<5x2x4xf32>, tensor<2x4xf32>) -> tensor<5x2x4xf32>
  func.return %last, %c : tensor<2x4xf32>, tensor<5x2x4xf32>
}}"""


FEEDS = {
    name: np.random.default_rng(n).uniform(-1, 1, sizes).astype(np.float32)
    for n, (name, sizes) in enumerate({"h": (2, 4), "x": (5, 2, 4), "w": (4, 4)}.items())
}


def by_hand(places: range) -> list[Array]:
    """Return the results in float64."""
    h, x, w = (FEEDS[name].astype(np.float64) for name in "hxw")
    a, state = np.maximum(x, 0), h
    rows = np.zeros_like(x)
    for place in places:
        state = np.tanh(state @ w + a[place])
        rows[place] = state * a[place]
    return [state, rows + a + np.exp(h)]


@pytest.mark.parametrize(
    ("backward", "places"),
    [("", range(STEPS)), (", backward", range(STEPS - 1, -1, -1))],
    ids=["forward", "backward"],
)
def test_every_level_computes_the_steps(backward: str, places: range) -> None:
    context = registry.new_context()
    module = parse_module(text(backward), context)
    feeds = {f"input{n}": array for n, array in enumerate(FEEDS.values())}
    for pipeline in ("", "optimize-graph", "fuse{arch=cpu-avx2}", "fused-group-unroll-steps"):
        for step in registry.build_passes(pipeline):
            step.apply(context, module)
        module.verify()
        found = run_reference(module, feeds, context.weights)
        for array, wanted in zip(found.values(), by_hand(places), strict=True):
            np.testing.assert_array_max_ulp(array, wanted.astype(np.float32))
