"""How long each launch of a model takes on a GPU."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import dlc
from dlc.runtime.profile import profile

pytestmark = pytest.mark.gpu
SIZE = 256


@pytest.fixture
def model(tmp_path: Path) -> dlc.Model:
    """Two products with a softmax between them, and an output that is an input."""
    nodes = [
        helper.make_node("MatMul", ["x", "x"], ["h"]),
        helper.make_node("Softmax", ["h"], ["s"]),
        helper.make_node("MatMul", ["s", "x"], ["y"]),
        helper.make_node("Identity", ["x"], ["z"]),
    ]
    x, y, z = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [SIZE, SIZE]) for n in "xyz")
    graph = helper.make_graph(nodes, "steps", [x], [y, z])
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    made = dlc.compile(path, verify=False)
    if not made.is_cuda:
        pytest.skip("no GPU")
    return made


def test_every_step_has_a_time_and_the_results_are_those_of_a_run(model: dlc.Model) -> None:
    x = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32)
    before = model(x)
    found = profile(model, {"x": x}, seconds=0.05)
    steps = model.steps()
    assert steps[-1] == {"output": "z"}
    assert len(found.steps) == len(steps)
    assert min(found.steps) > 0
    for one, other in zip(before, model(x), strict=True):
        np.testing.assert_array_equal(one, other)
