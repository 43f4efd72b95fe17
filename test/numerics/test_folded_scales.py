"""Products whose scales were folded mean what they meant."""

import re
from pathlib import Path

import numpy as np
import pytest

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.ir.tensor import shape
from dlc.oracle import run_reference
from dlc.passes.graph_fold_scale import GraphFoldScalePass

FILE = Path(__file__).parents[1] / "passes" / "graph-fold-scale" / "both-factors.mlir"
PRODUCTS = {
    name: text.replace(f"@{name}", "@main")
    for text in re.findall(r"func\.func @\w+\(.*?^}", FILE.read_text(), re.S | re.M)
    for name in re.findall(r"func\.func @(\w+)", text)
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_same_results(name: str) -> None:
    context = registry.new_context()
    module = parse_module(PRODUCTS[name], context)
    generator = np.random.default_rng(2)
    arguments = find_main(module).body.block.args
    drawn = [generator.standard_normal(shape(x)).astype(np.float32) for x in arguments]
    feeds = {f"input{number}": x for number, x in enumerate(drawn)}
    wanted = run_reference(module, feeds, context.weights)
    GraphFoldScalePass().apply(context, module)
    module.verify()
    found = run_reference(module, feeds, context.weights)
    for key, array in wanted.items():
        # Both are computed in double; the product of two scales is one of single precision.
        bound = 2.0**-22 * np.abs(array).max()
        np.testing.assert_allclose(found[key], array, rtol=0, atol=bound)


def test_products_are_found() -> None:
    assert {"attention", "transposed", "keys", "stays"} <= set(PRODUCTS)
