"""Launches that run at the same time on a GPU give what they give one after the other."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_clock import gpu_clock
from dlc.runtime.gpu_driver import Driver

pytestmark = pytest.mark.gpu
SIZE, MODULES, BRANCHES, ROUNDS = 96, 4, 4, 40


@pytest.fixture
def model(tmp_path: Path) -> dlc.Model:
    """Modules of branches, each a product longer than the one before it, that meet in a sum."""
    draw = np.random.default_rng(0)
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []

    def node(kind: str, *read: str) -> str:
        nodes.append(helper.make_node(kind, read, [f"v{len(nodes)}"]))
        return f"v{len(nodes) - 1}"

    def product(x: str) -> str:
        weight = draw.standard_normal((SIZE, SIZE)).astype(np.float32) / SIZE**0.5
        weights.append(numpy_helper.from_array(weight, f"w{len(weights)}"))
        return node("Relu", node("MatMul", x, weights[-1].name))

    value = "x"
    for _ in range(MODULES):
        ends: list[str] = []
        for length in range(1, BRANCHES + 1):
            end = value
            for _ in range(length):
                end = product(end)
            ends.append(end)
        value = node("Sum", *ends)
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [SIZE, SIZE]) for n in ("x", value))
    graph = helper.make_graph(nodes, "branches", [x], [y], weights)
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    made = dlc.compile(path, verify=False)
    if not made.is_cuda:
        pytest.skip("no GPU")
    return made


def runs(model: dlc.Model, driver: Driver, x: np.ndarray) -> list[np.ndarray]:
    """Return what a run gives, what it gives where the caller captures it, and what its steps give,
    one after the other.
    """
    with (
        gpu_clock(model.device, driver=driver) as clock,
        DeviceFeeds.of(driver, model, {"x": x}) as memory,
    ):
        places = memory.inputs, memory.outputs, clock.stream
        model.enqueue(*places)
        found = memory.results()
        with driver.captured(clock.stream, lambda: model.enqueue(*places)) as replay:
            replay()
            found += memory.results()
        model.step_runner(*places)(0, len(model.steps()))
        return [*found, *memory.results()]


def test_runs_give_what_their_steps_give(model: dlc.Model) -> None:
    driver, draw = Driver(), np.random.default_rng(1)
    for _ in range(ROUNDS):
        x = draw.standard_normal((SIZE, SIZE)).astype(np.float32)
        run, captured, stepped = runs(model, driver, x)
        assert stepped.any()
        np.testing.assert_array_equal(run, stepped)
        np.testing.assert_array_equal(captured, stepped)
