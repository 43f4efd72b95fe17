"""Loops give the same with their products before them, and with products split for that."""

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.ir import SSAValue

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import element_type, is_integer, shape
from dlc.oracle import run_reference

PASSES = Path(__file__).parents[1] / "passes"
FLAGS = ["graph-hoist-products", "graph-split-concatenations"]
FORMS = {
    (flag, f"{path.stem}/{name}"): text.replace(f"@{name}", "@main")
    for flag in FLAGS
    for path in sorted((PASSES / flag).glob("*.mlir"))
    for text in re.findall(r"func\.func @\w+\(.*?^}", path.read_text(), re.S | re.M)
    for name in re.findall(r"func\.func @(\w+)", text)
}


def drawn(generator: np.random.Generator, x: SSAValue) -> Array:
    """Return places in tables of nine and more, or numbers that do not grow in 20 steps."""
    if is_integer(element_type(x)):
        return generator.integers(0, 9, shape(x))
    return generator.uniform(-0.3, 0.3, shape(x)).astype(np.float32)


@pytest.mark.parametrize(("flag", "form"), FORMS)
def test_the_same_results(flag: str, form: str) -> None:
    context = registry.new_context()
    module = parse_module(FORMS[flag, form], context)
    generator = np.random.default_rng(5)
    feeds = {
        f"input{i}": drawn(generator, x) for i, x in enumerate(find_main(module).body.block.args)
    }
    wanted = run_reference(module, feeds, context.weights)
    (step,) = registry.build_passes(flag)
    step.apply(context, module)
    module.verify()
    found = run_reference(module, feeds, context.weights)
    for name, array in wanted.items():
        # The same products in double precision: only the order of their sums may differ.
        unit = np.finfo(array.dtype).eps
        np.testing.assert_allclose(found[name], array, rtol=unit, atol=unit * np.abs(array).max())


def test_forms_are_found() -> None:
    hoisted = {"inputs/parts", "inputs/looked_up", "broadcast/scale", "left-alone/state"}
    split = {"state-first/transposed", "what-stays/what_stays"}
    for flag, names in zip(FLAGS, (hoisted, split), strict=True):
        assert names <= {form for each, form in FORMS if each == flag}
