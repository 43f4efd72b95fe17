"""Indices that are known when compiling and name no place are refused, not moved to the nearest."""

import re
from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import ValueInfoProto
from onnx.helper import make_node as node
from xdsl.dialects.builtin import ModuleOp

from dlc.errors import CompileError

MakeModel = Callable[..., onnx.ModelProto]
Import = Callable[..., ModuleOp]
Value = Callable[..., ValueInfoProto]

LARGE = 5000
"""More elements than are folded at import."""


@pytest.mark.parametrize("count", [5, LARGE + 1])
def test_positions_beyond_the_table(
    make_model: MakeModel, run_import: Import, value: Value, count: int
) -> None:
    # As exporters write it: arange(length of the input), looked up in a table of positions.
    rows = count - 1
    nodes = [
        node("Shape", ["x"], ["sizes"]),
        node("Gather", ["sizes", "one"], ["length"]),
        node("Range", ["zero", "length", "one"], ["positions"]),
        node("Gather", ["table", "positions"], ["y"], "embedding"),
    ]
    constants = {
        "zero": np.int64(0),
        "one": np.int64(1),
        "table": np.zeros((rows, 2), np.float32),
    }
    model = make_model(nodes, [value("x", (1, count))], initializers=constants)
    wanted = re.escape(f"index {rows} names no place: it may be -{rows} to {rows - 1}")
    with pytest.raises(CompileError, match=wanted) as error:
        run_import(model)
    assert "embedding" in str(error.value)


def test_positions_of_the_whole_table(
    make_model: MakeModel, run_import: Import, value: Value
) -> None:
    indices = np.array([-3, 2, 0, -1])
    model = make_model(
        [node("Gather", ["x", "i"], ["y"])], [value("x", (3, 2))], initializers={"i": indices}
    )
    run_import(model)


@pytest.mark.parametrize("index", [0, 2, -1, -3])
def test_one_known_position_is_a_slice(
    make_model: MakeModel, run_import: Import, value: Value, index: int
) -> None:
    model = make_model(
        [node("Gather", ["x", "i"], ["y"], axis=1)],
        [value("x", (2, 3))],
        initializers={"i": np.array(index)},
    )
    names = [op.name for op in run_import(model).walk()]
    assert "graph.gather" not in names
    assert "graph.slice" in names


@pytest.mark.parametrize("index", [3, -4])
def test_scattering_outside(
    make_model: MakeModel, run_import: Import, value: Value, index: int
) -> None:
    constants = {"i": np.array([[index]]), "u": np.zeros((1, 2), np.float32)}
    model = make_model(
        [node("ScatterND", ["x", "i", "u"], ["y"])], [value("x", (3, 2))], initializers=constants
    )
    with pytest.raises(CompileError, match=f"index {index} names no place: it may be -3 to 2"):
        run_import(model)


def test_indices_that_a_run_gives(make_model: MakeModel, run_import: Import, value: Value) -> None:
    nodes = [
        node("ArgMax", ["x"], ["i"], axis=0, keepdims=0),
        node("Gather", ["x", "i"], ["y"]),
    ]
    run_import(make_model(nodes, [value("x", (3, 2))]))
