"""Recurrent layers, unrolled or loops: right on both targets, all steps run the same kernels."""

from functools import cache
from math import ceil

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

import dlc
from dlc.analysis.entry import find_main, launches
from dlc.compiler.kernels import kernels_of
from dlc.compiler.levels import lower
from dlc.compiler.targets import parse_targets
from dlc.core.context import DlcContext
from dlc.dialects.fused_group import group_of_steps
from dlc.dialects.graph.recurrent import LOOPED_STEPS
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context
from dlc.simulator import run_module
from dlc.verification.error_bound import error_bound, relative_error

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
INPUTS, HIDDEN = 12, 16
UNROLLED, LOOPED = 4, LOOPED_STEPS + 1
X = {
    steps: np.random.default_rng(0).standard_normal((steps, 3, INPUTS)).astype(np.float32)
    for steps in (UNROLLED, LOOPED)
}


@cache
def layer(
    kind: str, direction: str, steps: int, batch: int, lengths: bool = False
) -> onnx.ModelProto:
    """Return a model of one layer with weights, a bias and all outputs; ``lengths``: with sequences
    of given lengths.
    """
    generator = np.random.default_rng(steps)
    directions = 2 if direction == "bidirectional" else 1
    rows = GATES[kind] * HIDDEN
    sizes = {"w": (rows, INPUTS), "r": (rows, HIDDEN), "b": (2 * rows,)}
    weights = [
        numpy_helper.from_array(
            generator.uniform(-0.5, 0.5, (directions, *size)).astype(np.float32), name
        )
        for name, size in sizes.items()
    ]
    outputs = ["y", "y_h", "y_c"][: 3 if kind == "LSTM" else 2]
    node = helper.make_node(
        kind,
        ["x", "w", "r", "b", *["n"] * lengths],
        outputs,
        hidden_size=HIDDEN,
        direction=direction,
    )
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [steps, batch, INPUTS])]
    inputs += [helper.make_tensor_value_info("n", TensorProto.INT32, [batch])] * lengths
    graph = helper.make_graph(
        [node],
        kind,
        inputs,
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def lowered(model: onnx.ModelProto, target: str) -> tuple[DlcContext, ModuleOp, ModuleOp]:
    """Return a model before any pass, and as kernels."""
    context = new_context()
    graph = import_model(model, None, context)
    module = graph.clone()
    assert list(lower(context, module, parse_targets(target)[0], "fp32"))
    return context, graph, module


def check(graph: ModuleOp, wanted: dict[str, Array], found: dict[str, Array]) -> None:
    bound = error_bound(graph, "fp32")
    for name, array in wanted.items():
        assert relative_error(array, found[name]) <= bound, name


@pytest.mark.parametrize("counts", [(4, 7), (LOOPED, LOOPED + 3)], ids=["unrolled", "loop"])
@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
@pytest.mark.parametrize(("direction", "lengths"), [("forward", False), ("bidirectional", True)])
@pytest.mark.parametrize("kind", sorted(GATES))
def test_more_steps_need_no_more_kernels(
    kind: str, direction: str, lengths: bool, target: str, counts: tuple[int, int]
) -> None:
    models = [layer(kind, direction, steps, 3, lengths) for steps in counts]
    few, many = (kernels_of(lowered(model, target)[2]) for model in models)
    if target == "sm_90a" and counts[0] < LOOPED:  # small steps are stages of a few kernels
        assert len(many) <= ceil(len(few) * counts[1] / counts[0])
        return
    assert [len(x.regions[0].block.args) for x in few] == [
        len(x.regions[0].block.args) for x in many
    ]


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", sorted(GATES))
@pytest.mark.parametrize("steps", [UNROLLED, LOOPED])
def test_layer_in_the_simulator(kind: str, direction: str, steps: int) -> None:
    context, graph, module = lowered(layer(kind, direction, steps, 3), "sm_90a")
    wanted = run_reference(graph, {"x": X[steps]}, context.weights)
    found = run_module(module, {"x": X[steps]}, context.weights)
    check(graph, wanted, dict(zip(wanted, found, strict=True)))


@pytest.mark.parametrize("lengths", [[], [4, 1, 3]], ids=["full", "lengths"])
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("steps", [UNROLLED, LOOPED])
def test_layer_on_the_cpu(direction: str, lengths: list[int], steps: int) -> None:
    model = layer("LSTM", direction, steps, 3, bool(lengths))
    feeds: dict[str, Array] = {"x": X[steps]}
    if lengths:
        feeds["n"] = np.array(lengths, np.int32)
    context = new_context()
    graph = import_model(model, None, context)
    wanted = run_reference(graph, feeds, context.weights)
    found = dlc.compile(model, target="cpu", verify=False).run(feeds)
    check(graph, wanted, found)


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
@pytest.mark.parametrize("kind", sorted(GATES))
def test_parts_of_no_multiple_of_16_bytes(kind: str, target: str) -> None:
    """9 values of one sequence, of both directions; the steps are a loop all the same."""
    own, steps = 9, LOOPED_STEPS
    random = np.random.default_rng(0).uniform
    sizes = {"w": (GATES[kind] * own, 5), "r": (GATES[kind] * own, own)}
    weights = [
        numpy_helper.from_array(random(-0.5, 0.5, (2, *n)).astype(np.float32), name)
        for name, n in sizes.items()
    ]
    node = helper.make_node(
        kind, ["x", *sizes], ["y", "y_h"], hidden_size=own, direction="bidirectional"
    )
    ends = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [steps, 1, 5])]
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("y", "y_h")]
    proto = helper.make_graph([node], kind, ends, results, weights)
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)])
    feeds: dict[str, Array] = {"x": random(-1, 1, (steps, 1, 5)).astype(np.float32)}
    context, graph, module = lowered(model, target)
    wanted = run_reference(graph, feeds, context.weights)
    if target == "cpu":
        found = dlc.compile(model, target="cpu", verify=False).run(feeds)
    else:
        results = run_module(module, feeds, context.weights)
        found = dict(zip(wanted, results, strict=True))
    check(graph, wanted, found)
    steps_of = {group_of_steps(op.group_name) for op in launches(find_main(module))}
    assert len(steps_of) < steps


@pytest.mark.parametrize("counts", [(5, 11), (LOOPED, LOOPED + 3)], ids=["unrolled", "loop"])
@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_more_steps_need_no_more_weights(target: str, counts: tuple[int, int]) -> None:
    modules = [lowered(layer("LSTM", "forward", steps, 3), target)[2] for steps in counts]
    few, many = (sum(isinstance(op, WeightOp) for op in module.walk()) for module in modules)
    assert few == many


@pytest.mark.parametrize("steps", [LOOPED_STEPS, LOOPED_STEPS + 1])
def test_all_steps_on_large_weights_are_one_launch(steps: int) -> None:
    """4 MB of them, which no core's own cache holds, on as many tiles as there may be threads; an
    odd number of steps, too: every other one goes backward.
    """
    hidden, generator = 512, np.random.default_rng(0)
    sizes = {"w": (4 * hidden, 4), "r": (4 * hidden, hidden)}
    weights = [
        numpy_helper.from_array(generator.uniform(-0.05, 0.05, (1, *n)).astype(np.float32), name)
        for name, n in sizes.items()
    ]
    node = helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=hidden)
    ends = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [steps, 1, 4])]
    results = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    proto = helper.make_graph([node], "lstm", ends, results, weights)
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)])
    feeds: dict[str, Array] = {"x": generator.standard_normal((steps, 1, 4)).astype(np.float32)}
    context = new_context()
    graph = import_model(model, None, context)
    wanted = run_reference(graph, feeds, context.weights)
    artifact = dlc.compile(model, target="cpu", verify=False)
    check(graph, wanted, artifact.run(feeds))
    launched = {x["name"]: x["launches"] for x in artifact.report["variants"][0]["kernels"]}
    assert sorted(launched.values()) == [1, 1]  # the product of all inputs, the steps
