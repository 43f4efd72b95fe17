"""Each form of attention in the lit tests of ``fuse`` means as groups what it means as ops."""

import re
from pathlib import Path

import numpy as np
import pytest
from attention_models import Array
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.ir.tensor import element_type, is_float, numpy_dtype, shape
from dlc.oracle import run_reference
from dlc.passes.fuse import FusePass

FOLDER = Path(__file__).parents[1] / "passes" / "fuse"
FORMS = {
    f"{path.stem}-{name}": text.replace(f"@{name}", "@main")
    for pattern in ("attention-of-*.mlir", "attention-masks*.mlir", "attention-that-is-close.mlir")
    for path in sorted(FOLDER.glob(pattern))
    for text in re.findall(r"func\.func @\w+\(.*?^}", path.read_text(), re.S | re.M)
    for name in re.findall(r"func\.func @(\w+)", text)
}


def drawn(generator: np.random.Generator, x: SSAValue) -> Array:
    """Return sixteenths, booleans, or lengths."""
    element, sizes = element_type(x), shape(x)
    if element == i1:
        return generator.random(sizes) < 0.7
    if is_float(element):
        return (generator.integers(-16, 17, sizes) / 16).astype(numpy_dtype(element))
    return generator.integers(1, 100, sizes, numpy_dtype(element))


@pytest.mark.parametrize("form", FORMS)
def test_the_same_results(form: str) -> None:
    context = registry.new_context()
    module = parse_module(FORMS[form], context)
    generator = np.random.default_rng(11)
    arguments = find_main(module).body.block.args
    feeds = {f"input{i}": drawn(generator, x) for i, x in enumerate(arguments)}
    wanted = run_reference(module, feeds, context.weights)
    FusePass(arch="sm_90a").apply(context, module)
    module.verify()
    found = run_reference(module, feeds, context.weights)
    for name, array in wanted.items():
        # Both are computed in double; a result of a group is rounded only at the end.
        unit = np.finfo(array.dtype).eps
        np.testing.assert_allclose(found[name], array, rtol=unit, atol=unit * np.abs(array).max())


def test_forms_are_found() -> None:
    assert len(FORMS) >= 15
    assert any("relative" in form for form in FORMS)
