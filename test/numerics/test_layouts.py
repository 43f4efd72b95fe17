"""Whatever the order of axes of each region, a model means the same."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from onnx import save
from random_models import random_model
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.analysis.evaluation import KnownValues
from dlc.analysis.order_region import Region, regions_of
from dlc.core.assignment import Table
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import GraphOp
from dlc.frontends.onnx.importer import import_model
from dlc.ir.tensor import element_type, numpy_dtype, shape
from dlc.oracle import run_reference
from dlc.passes.graph_choose_layout import GraphChooseLayoutPass
from dlc.passes.graph_sink_transposes import GraphSinkTransposesPass

IMAGE, HALF = "tensor<2x4x7x5xf32>", "tensor<2x4x4x3xf32>"
WINDOW = "strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]"
CONV = f"{WINDOW} : ({IMAGE}, tensor<4x4x3x3xf32>) -> {IMAGE}"
HALVED = (
    "strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] groups 4"
    f" : ({IMAGE}, tensor<4x1x3x3xf32>) -> {HALF}"
)
POOL = f"window [3, 3] strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] : {IMAGE} -> {HALF}"
TEXT = f"""
func.func @main(%x: {IMAGE}, %y: {IMAGE}) -> ({IMAGE}, tensor<2x96xf32>, tensor<2x4xf32>) {{
  %w = graph.weight @W0 : tensor<4x4x3x3xf32>
  %v = graph.weight @W1 : tensor<4x1x3x3xf32>
  %0 = graph.conv %x, %w {CONV}
  %1 = graph.relu %0 : {IMAGE} -> {IMAGE}
  %2 = graph.add %1, %y : ({IMAGE}, {IMAGE}) -> {IMAGE}
  %3 = graph.conv %2, %v {HALVED}
  %4 = graph.max_pool %2 {POOL}
  %5 = graph.concat %3, %4 {{axis = 1 : i64}} : ({HALF}, {HALF}) -> tensor<2x8x4x3xf32>
  %6 = graph.reshape %5 {{sizes = array<i64: 2, 96>}} : tensor<2x8x4x3xf32> -> tensor<2x96xf32>
  %7 = graph.conv %1, %w {CONV}
  %8 = graph.reduce_mean %7 axes [2, 3] : {IMAGE} -> tensor<2x4xf32>
  func.return %2, %6, %8 : {IMAGE}, tensor<2x96xf32>, tensor<2x4xf32>
}}
"""


def made() -> tuple[ModuleOp, WeightStore]:
    rng = np.random.default_rng(0)
    context = registry.new_context(weights := WeightStore())
    names = [
        weights.add(f"W{n}", rng.integers(-3, 4, s).astype(np.float32))
        for n, s in enumerate([(4, 4, 3, 3), (4, 1, 3, 3)])
    ]
    text = TEXT.replace("@W0", f"@{names[0]}").replace("@W1", f"@{names[1]}")
    return parse_module(text, context), weights


def regions(module: ModuleOp) -> list[Region]:
    ops = [op for op in module.walk() if isinstance(op, GraphOp)]
    choosing = [op for op in ops if op.preferred_permutation is not None]
    return list(regions_of(choosing, KnownValues()))


def test_what_is_one_region() -> None:
    """The first image; all that the sum, the pool and the concatenation connect, of which an
    argument, a result and an operand of a reshape have to be in their own order; the last image,
    which a mean reads.
    """
    found = [
        (len(r.values), len(r.moved), len(r.unmoved), len(r.reductions)) for r in regions(made()[0])
    ]
    assert found == [(1, 1, 0, 0), (7, 3, 0, 1), (1, 1, 0, 0)]


@pytest.mark.parametrize("choice", list(product((0, 1), repeat=3)))
def test_the_same_results(choice: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    module, weights = made()
    context = registry.new_context(weights)
    rng = np.random.default_rng(1)
    feeds = {f"input{n}": rng.integers(-3, 4, (2, 4, 7, 5)).astype(np.float32) for n in range(2)}
    wanted = run_reference(module, feeds, weights)

    def chosen(tables: Sequence[Table], count: int) -> list[int]:
        assert (count, bool(tables)) == (len(choice), True)
        return list(choice)

    monkeypatch.setattr("dlc.passes.graph_choose_layout.cheapest", chosen)
    monkeypatch.setattr("dlc.passes.graph_choose_layout._Choice._open", lambda _: {0, 1, 2})
    GraphChooseLayoutPass().apply(context, module)
    text = str(module)
    assert text.count("layout channels_last") == 2 * (1 - choice[1]) + (1 - choice[2])
    for stage in (None, GraphSinkTransposesPass()):
        if stage:
            stage.apply(context, module)
        module.verify()
        found = run_reference(module, feeds, weights)
        for name, array in wanted.items():
            np.testing.assert_array_equal(found[name], array)
    assert str(module).count("layout channels_last") >= text.count("layout channels_last")


@pytest.mark.parametrize("seed", [22, 97, 98, 137, 138, 158, 192])
def test_random_models_mean_the_same(seed: int, tmp_path: Path) -> None:
    """With all that gives or reads the images of convolutions: reshapes, gathers, products."""
    save(random_model(seed), tmp_path / "model.onnx")
    context = registry.new_context(weights := WeightStore())
    module = import_model(tmp_path / "model.onnx", {}, context, {})
    values = find_main(module).body.block.args
    rng = np.random.default_rng(seed)
    feeds = {
        f"x{n}": rng.standard_normal(shape(x)).astype(numpy_dtype(element_type(x)))
        for n, x in enumerate(values)
    }
    wanted = run_reference(module, feeds, weights)
    assert "graph.conv" in str(module)
    for stage in (GraphChooseLayoutPass(arch="sm_90a"), GraphSinkTransposesPass()):
        stage.apply(context, module)
        module.verify()
    found = run_reference(module, feeds, weights)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
