"""Launches that run at the same time on a GPU give what they give one after the other; so do runs
that a caller captures.
"""

import ctypes
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_clock import gpu_clock
from dlc.runtime.gpu_driver import Driver, Handle

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


@dataclass(frozen=True)
class Placed:
    """A model's memory and a stream. Each round has another input, so that what a run before has
    left is wrong.
    """

    driver: Driver
    stream: Handle
    memory: DeviceFeeds
    draw: np.random.Generator

    def enqueue(self, model: dlc.Model) -> None:
        model.enqueue(self.memory.inputs, self.memory.outputs, self.stream)

    def check(self, run: Callable[[], None], *memories: DeviceFeeds) -> None:
        """Compare what ``run`` leaves in memories with what the steps give, one after the other."""
        model, (place,) = self.memory.model, self.memory.inputs
        steps = model.step_runner(self.memory.inputs, self.memory.outputs, self.stream)
        for _ in range(ROUNDS):
            x = self.draw.standard_normal((SIZE, SIZE)).astype(np.float32)
            target, source = ctypes.c_uint64(place), ctypes.c_void_p(x.ctypes.data)
            self.driver("cuMemcpyHtoD_v2", target, source, ctypes.c_size_t(x.nbytes))
            self.driver("cuCtxSynchronize")  # a small copy may still be under way
            steps(0, len(model.steps()))
            (wanted,) = self.memory.results()
            assert wanted.any()
            run()
            for memory in (self.memory, *memories):
                np.testing.assert_array_equal(memory.results()[0], wanted)


@pytest.fixture
def placed(model: dlc.Model) -> Generator[Placed]:
    driver, x = Driver(), np.zeros((SIZE, SIZE), np.float32)
    with (
        gpu_clock(model.device, driver=driver) as clock,
        DeviceFeeds.of(driver, model, {"x": x}) as memory,
    ):
        yield Placed(driver, clock.stream, memory, np.random.default_rng(1))


def fresh(model: dlc.Model) -> dlc.Model:
    """Return a copy that is on the device and has no memory for its values yet."""
    copy = model.placed(model.device)
    copy.steps()
    return copy


def test_runs_give_what_their_steps_give(model: dlc.Model, placed: Placed) -> None:
    placed.check(lambda: placed.enqueue(model))


def test_a_run_may_be_captured_between_others(model: dlc.Model, placed: Placed) -> None:
    placed.enqueue(model)
    with placed.driver.captured(placed.stream, lambda: placed.enqueue(model)) as replay:
        placed.check(replay)
        placed.check(lambda: placed.enqueue(model))
        placed.check(replay)


def test_the_first_run_may_be_captured(model: dlc.Model, placed: Placed) -> None:
    copy = fresh(model)
    with placed.driver.captured(placed.stream, lambda: placed.enqueue(copy)) as replay:
        placed.check(replay)
        placed.check(lambda: placed.enqueue(copy))


def test_a_stream_that_forks_from_a_captured_one_joins_it_again(
    model: dlc.Model, placed: Placed
) -> None:
    """Two models side by side, in one graph of the caller; one of them on a stream of its own."""
    driver, second, x = placed.driver, fresh(model), np.zeros((SIZE, SIZE), np.float32)
    model.steps()  # on the device: that is no work for a stream
    with (
        DeviceFeeds.of(driver, second, {"x": x}) as others,
        driver.event() as fork,
        driver.event() as join,
        driver.stream() as branch,
    ):

        def work() -> None:
            driver("cuEventRecord", fork, placed.stream)
            driver("cuStreamWaitEvent", branch, fork, 0)
            second.enqueue(placed.memory.inputs, others.outputs, branch)
            driver("cuEventRecord", join, branch)
            placed.enqueue(model)
            driver("cuStreamWaitEvent", placed.stream, join, 0)

        with driver.captured(placed.stream, work) as replay:
            placed.check(replay, others)
