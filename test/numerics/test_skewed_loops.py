"""Two loops that become one, of which the second is a step behind, mean the same."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.core.context import dlc_context
from dlc.core.parser import parse_module
from dlc.dialects.graph.step_loop import step_loops
from dlc.dialects.graph.structure import Array
from dlc.oracle import run_reference

FOLDER = Path(__file__).parents[1] / "passes" / "graph-skew-loops"


def both(name: str) -> tuple[ModuleOp, list[Array], list[Array]]:
    """Return the program of a test of the pass after it, and its results before and after it."""
    context = registry.new_context()
    module = parse_module((FOLDER / name).read_text(), context)
    weights, rng = dlc_context(context).weights, np.random.default_rng(5)
    sizes = {"u": (64, 64), "v": (64, 64), "w": (64, 64), "b": (64,)}
    for symbol, size in sizes.items():
        weights.define(symbol, (rng.uniform(-1, 1, size) / 8).astype(np.float16))
    feeds = {"input0": (4, 1, 64), "input1": (1, 64), "input2": (1, 64)}
    given = {key: rng.uniform(-1, 1, size).astype(np.float16) for key, size in feeds.items()}
    before = [*run_reference(module, given, weights).values()]
    for step in registry.build_passes("graph-skew-loops{arch=sm_90a}"):
        step.apply(context, module)
    module.verify()
    return module, before, [*run_reference(module, given, weights).values()]


@pytest.mark.parametrize("name", ["two-layers.mlir", "backwards.mlir"])
def test_results_are_the_same(name: str) -> None:
    module, before, after = both(name)
    assert len(step_loops(module)) == 1
    for old, new in zip(before, after, strict=True):
        np.testing.assert_allclose(new, old, rtol=0, atol=2.0**-10)
        assert np.abs(old).max() > 0.1
