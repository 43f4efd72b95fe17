"""Loops that become one mean the same: each a step behind the one before, or side by side."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dlc import registry
from dlc.core.context import dlc_context
from dlc.core.parser import parse_module
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.step_loop import step_loops
from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import shape
from dlc.oracle import run_reference

FOLDER = Path(__file__).parents[1] / "passes"
SKEWED = {
    "backwards.mlir": 1,
    "last-states-read-between.mlir": 1,
    "parts-with-room.mlir": 1,
    "product-without-a-vector.mlir": 1,
    "states-that-others-read.mlir": 1,
    "a-third-that-begins-with-the-first.mlir": 2,
    "three-layers.mlir": 1,
    "two-layers.mlir": 1,
    "two-that-continue-one.mlir": 2,
}
PAIRED = {
    "one-direction.mlir": 1,
    "results-read-between.mlir": 1,
    "three-loops.mlir": 2,
    "two-directions.mlir": 1,
}
CASES = [
    *(("graph-skew-loops", *case) for case in SKEWED.items()),
    *(("graph-pair-loops", *case) for case in PAIRED.items()),
]
"""Passes, their tests, and the loops that are left."""


def both(flag: str, name: str) -> tuple[ModuleOp, list[Array], list[Array]]:
    """Return the program of a test of the pass after it, and its results before and after it."""
    context = registry.new_context()
    module = parse_module((FOLDER / flag / name).read_text(), context)
    weights, rng = dlc_context(context).weights, np.random.default_rng(5)

    def random(*size: int) -> Array:
        return rng.uniform(-1, 1, size).astype(np.float16)

    for op in module.walk():
        if isinstance(op, WeightOp):
            weights.define(op.symbol.string_value(), random(*shape(op.output)) / np.float16(8))
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    given = {f"input{n}": random(*shape(x)) for n, x in enumerate(function.args)}
    before = [*run_reference(module, given, weights).values()]
    for step in registry.build_passes(f"{flag}{{arch=sm_90a}}"):
        step.apply(context, module)
    module.verify()
    return module, before, [*run_reference(module, given, weights).values()]


@pytest.mark.parametrize(("flag", "name", "loops"), CASES)
def test_results_are_the_same(flag: str, name: str, loops: int) -> None:
    module, before, after = both(flag, name)
    assert len(step_loops(module)) == loops
    for old, new in zip(before, after, strict=True):
        np.testing.assert_allclose(new, old, rtol=0, atol=2.0**-10)
        assert np.abs(old).max() > 0.1
