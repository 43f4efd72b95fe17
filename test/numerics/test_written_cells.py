"""Layers that are written as loops of cells: two launches on both targets, and right."""

from dataclasses import replace

import numpy as np
import pytest
from written_cells import WrittenCell

import dlc
from dlc.analysis.entry import find_main, launches
from dlc.compiler.levels import lower
from dlc.compiler.targets import parse_targets
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.recurrent import LOOPED_STEPS
from dlc.dialects.graph.step_loop import step_loops
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import build_passes, new_context
from dlc.simulator import run_module
from dlc.verification.error_bound import error_bound, relative_error
from dlc.verification.onnx_reference import run_onnx_reference

STEPS = LOOPED_STEPS + 1
FORMS = ["gemms", "joined", "rnn", "gru", "lookup"]
PRODUCTS_OF_STATES = {"gru": 2}
"""Of a step, where it is more than one."""
CELLS = [WrittenCell(form, STEPS, 2, 12, 24) for form in FORMS]
ODD = [
    WrittenCell("gru", STEPS, 3, 5, 13, backward=True),
    WrittenCell("joined", STEPS, 1, 7, 9, backward=True),
]


def name(cell: WrittenCell) -> str:
    return f"{cell.form}-{cell.units}"


@pytest.mark.parametrize("cell", CELLS + ODD, ids=name)
def test_products_of_inputs_stand_before_the_loop(cell: WrittenCell) -> None:
    context, model, feeds = new_context(), cell.model(), cell.feeds()
    module = import_model(model, None, context)
    wanted = run_onnx_reference(model, feeds)
    for step in build_passes("graph-split-concatenations,graph-hoist-products"):
        step.apply(context, module)
    module.verify()
    (loop,) = step_loops(module)
    inside = sum(isinstance(op, ContractionOp) for op in loop.body.block.ops)
    before = sum(isinstance(op, ContractionOp) for op in find_main(module).body.block.ops)
    assert (before, inside) == (1, PRODUCTS_OF_STATES.get(cell.form, 1))
    found = run_reference(module, feeds, context.weights)
    for array, expected in zip(found.values(), wanted, strict=True):
        np.testing.assert_allclose(array, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("cell", CELLS + ODD, ids=name)
def test_on_a_gpu(cell: WrittenCell) -> None:
    context, feeds = new_context(), cell.feeds()
    graph = import_model(cell.model(), None, context)
    wanted = run_reference(graph, feeds, context.weights)
    module = graph.clone()
    assert list(lower(context, module, parse_targets("sm_90a")[0], "fp32"))
    launched = [op.group_name for op in launches(find_main(module))]
    # the product of all inputs, the steps; room for parts of no whole 16 bytes and back
    assert len(launched) == (4 if cell in ODD else 2)
    results = run_module(module, feeds, context.weights)
    bound = error_bound(graph, "fp32")
    for each, found in zip(wanted, results, strict=True):
        assert relative_error(wanted[each], found) <= bound, each


LARGE = [replace(cell, units=512) for cell in CELLS if cell.form != "rnn"]
"""Steps that have enough to do to be one kernel on a CPU."""


@pytest.mark.parametrize("cell", LARGE, ids=name)
def test_on_a_cpu(cell: WrittenCell) -> None:
    context, model, feeds = new_context(), cell.model(), cell.feeds()
    graph = import_model(model, None, context)
    wanted = run_reference(graph, feeds, context.weights)
    artifact = dlc.compile(model, target="cpu", verify=False)
    launched = {x["name"]: x["launches"] for x in artifact.report["variants"][0]["kernels"]}
    assert list(launched.values()) == [1, 1]  # the product of all inputs, the steps
    found, bound = artifact.run(feeds), error_bound(graph, "fp32")
    for each, array in wanted.items():
        assert relative_error(array, found[each]) <= bound, each
