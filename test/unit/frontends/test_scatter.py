"""A scatter to places that are known when compiling is a gather, with the same result."""

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference

DATA = np.arange(12, dtype=np.float32).reshape(3, 4)
CASES: dict[str, tuple[str, dict[str, Any], np.ndarray]] = {
    "rows": ("ScatterND", {}, np.array([[2], [0], [-1]])),
    "every-row": ("ScatterND", {}, np.array([[2], [0], [1]])),
    "elements": ("ScatterND", {}, np.array([[[0, 1], [-1, -2]]])),
    "along-0": ("ScatterElements", {"axis": 0}, np.array([[0, 2, -1], [1, 1, 0]])),
    "along-1": ("ScatterElements", {"axis": -1}, np.array([[0, 3, -1], [1, 1, 0]])),
}


def updates_for(operator: str, indices: np.ndarray) -> np.ndarray:
    elements = operator == "ScatterElements"
    sizes = indices.shape if elements else (*indices.shape[:-1], *DATA.shape[indices.shape[-1] :])
    return -1 - np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)


def op_names(module: ModuleOp) -> set[str]:
    return {op.name for op in module.walk()}


def unattached_users(module: ModuleOp) -> list[str]:
    """Return the ops outside of a module that use a value inside of it."""
    blocks = [b for op in module.walk() for region in op.regions for b in region.blocks]
    values = [
        *(x for op in module.walk() for x in op.results),
        *(x for b in blocks for x in b.args),
    ]
    users = [use.operation for value in values for use in value.uses]
    return [op.name for op in users if op.parent is None]


@pytest.mark.parametrize("name", CASES)
def test_known_places_give_the_same_result(
    name: str, make_model: Callable[..., onnx.ModelProto], context: DlcContext
) -> None:
    operator, attributes, indices = CASES[name]
    updates = updates_for(operator, indices)
    feeds = {"x": DATA, "i": indices, "u": updates}
    inputs = [
        helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
        for k, v in feeds.items()
    ]
    node = helper.make_node(operator, ["x", "i", "u"], ["y"], **attributes)
    searched = import_model(make_model([node], inputs=inputs), None, context)
    known = import_model(make_model([node], inputs=inputs), None, context, {"i": indices})
    scatter = {"graph.scatter_nd", "graph.scatter_elements"}
    assert op_names(searched) & scatter
    assert not op_names(known) & scatter
    assert unattached_users(known) == []
    expected = run_reference(searched, feeds, context.weights)["y"]
    found = run_reference(known, {"x": DATA, "u": updates}, context.weights)["y"]
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(found, DATA)
