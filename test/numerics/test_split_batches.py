"""Attention whose heads are folded into the batch gives the same with their axis apart."""

import re
from pathlib import Path

import numpy as np
import pytest

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.ir.tensor import shape
from dlc.oracle import run_reference
from dlc.passes.graph_split_batches import GraphSplitBatchesPass

FOLDER = Path(__file__).parents[1] / "passes" / "graph-split-batches"
FORMS = {
    name: text.replace(f"@{name}", "@main")
    for path in sorted(FOLDER.glob("*.mlir"))
    for text in re.findall(r"func\.func @\w+\(.*?^}", path.read_text(), re.S | re.M)
    for name in re.findall(r"func\.func @(\w+)", text)
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_results(form: str) -> None:
    context = registry.new_context()
    module = parse_module(FORMS[form], context)
    generator = np.random.default_rng(5)
    feeds = {
        f"input{i}": generator.standard_normal(shape(x)).astype(np.float32)
        for i, x in enumerate(find_main(module).body.block.args)
    }
    wanted = run_reference(module, feeds, context.weights)
    GraphSplitBatchesPass().apply(context, module)
    module.verify()
    found = run_reference(module, feeds, context.weights)
    for name, array in wanted.items():
        # The same products in double precision: only the order of their sums may differ.
        unit = np.finfo(array.dtype).eps
        np.testing.assert_allclose(found[name], array, rtol=unit, atol=unit * np.abs(array).max())


def test_forms_are_found() -> None:
    assert {"windows", "unfolded_for_a_mask", "other_readers"} <= FORMS.keys()
