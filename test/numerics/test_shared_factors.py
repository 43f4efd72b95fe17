"""Products that share factors give the same results as those of repeated ones, everywhere."""

import numpy as np
import pytest
from lowered import lowered

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.passes.graph_share_factors import GraphShareFactorsPass
from dlc.simulator import run_module

TEXT = """
func.func @main(%q: {q}, %k: {k}) -> {y} {{
  %0 = graph.broadcast %k {{sizes = array<i64: 2, {n}, {g}, 37, 16>}} : {k} -> {copies}
  %1 = graph.reshape %0 {{sizes = array<i64: 2, {h}, 37, 16>}} : {copies} -> {keys}
  %2 = graph.matmul %q, %1 transpose_rhs : ({q}, {keys}) -> {y}
  func.return %2 : {y}
}}
"""


def text(heads: int, groups: int, queries: int) -> str:
    """Return a product of ``queries`` for each of ``groups`` heads that share one of ``heads``."""
    h, n, s = heads * groups, heads, queries
    sizes = {
        "q": (2, h, s, 16),
        "k": (2, n, 1, 37, 16),
        "copies": (2, n, groups, 37, 16),
        "keys": (2, h, 37, 16),
        "y": (2, h, s, 37),
    }
    types = {x: f"tensor<{'x'.join(map(str, each))}xf16>" for x, each in sizes.items()}
    return TEXT.format(**types, h=h, n=n, g=groups)


@pytest.mark.parametrize(("heads", "groups"), [(3, 4), (1, 5), (2, 2)])
@pytest.mark.parametrize("queries", [1, 7])
def test_the_same_results(heads: int, groups: int, queries: int) -> None:
    context = registry.new_context(weights := WeightStore())
    module = parse_module(text(heads, groups, queries), context)
    rng = np.random.default_rng(3)
    sizes = {"input0": (2, heads * groups, queries, 16), "input1": (2, heads, 1, 37, 16)}
    inputs = {name: rng.integers(-3, 4, n).astype(np.float16) for name, n in sizes.items()}
    (wanted,) = run_reference(module, inputs, weights).values()
    GraphShareFactorsPass().apply(context, module)
    module.verify()
    assert "graph.broadcast" not in [op.name for op in module.walk()]
    (found,) = run_reference(module, inputs, weights).values()
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("queries", [1, 7])
def test_kernels_of_shared_factors(queries: int) -> None:
    """The rows of a kernel's product are those of all heads of a group."""
    steps = "graph-share-factors,fuse{arch=sm_90a},tile{arch=sm_90a},lower-to-loop"
    module = lowered(text(3, 4, queries), f"{steps},lower-to-gpu{{arch=sm_90a}}")
    rng = np.random.default_rng(4)
    q = rng.integers(-3, 4, (2, 12, queries, 16)).astype(np.float16)
    k = rng.integers(-3, 4, (2, 3, 1, 37, 16)).astype(np.float16)
    (found,) = run_module(module, [q, k])
    wanted = q.astype(np.float64) @ np.repeat(k[:, :, 0], 4, 1).swapaxes(-1, -2)
    np.testing.assert_array_equal(found, wanted)
