"""The work of a compile grows with the model, not with its square: calls of Python functions are
counted for a model and for one of twice the size.
"""

import sys
from collections.abc import Callable
from io import StringIO
from itertools import pairwise
from types import FrameType

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from dlc import registry
from dlc.analysis.arena import Buffer, place
from dlc.backends.host import HostTarget
from dlc.frontends.onnx.importer import import_model
from dlc.registry import new_context

SIDE = 16
Trace = Callable[[FrameType, str, object], "Trace | None"]
DOUBLING = 2.3
"""What twice the model may cost: twice, and a logarithm."""
CPU = "fuse{arch=cpu-avx2},tile{arch=cpu-avx2},lower-to-loop,fused-group-plan-memory"


def calls_of(function: Callable[[], object]) -> int:
    """Return how many Python functions ``function`` calls."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def steps_of(function: Callable[[], object], *files: str) -> int:
    """Return how many lines of some files run, those of comprehensions once for each turn."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Trace | None:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename.endswith(files) else None

    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(None)
    return count


def matrix(name: str, seed: int, columns: int = SIDE) -> TensorProto:
    values = np.random.default_rng(seed).standard_normal((SIDE, columns)) / SIDE
    return numpy_helper.from_array(values.astype(np.float32), name)


def model_of(nodes: list[NodeProto], weights: list[TensorProto], result: str) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, SIDE])
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name=result)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def concatenation(count: int) -> onnx.ModelProto:
    """Products of one input, one beside the other."""
    weights = [matrix(f"w{n}", n, 4) for n in range(count)]
    nodes = [helper.make_node("MatMul", ["x", f"w{n}"], [f"p{n}"]) for n in range(count)]
    nodes.append(helper.make_node("Concat", [f"p{n}" for n in range(count)], ["y"], axis=1))
    return model_of(nodes, weights, "y")


def chain(count: int) -> onnx.ModelProto:
    """Elementwise ops in a row, more than one kernel holds."""
    kinds, values = ("Sigmoid", "Tanh", "Sin"), ["x", *(f"t{n}" for n in range(count))]
    nodes = [
        helper.make_node(kinds[n % 3], [before], [after])
        for n, (before, after) in enumerate(pairwise(values))
    ]
    return model_of(nodes, [], values[-1])


def residual(count: int) -> onnx.ModelProto:
    """Blocks of a product, a ReLU and a sum with the block's input."""
    nodes: list[NodeProto] = []
    values = ["x", *(f"a{n}" for n in range(count // 3))]
    for n, (before, after) in enumerate(pairwise(values)):
        nodes += [
            helper.make_node("MatMul", [before, "w"], [f"m{n}"]),
            helper.make_node("Relu", [f"m{n}"], [f"r{n}"]),
            helper.make_node("Add", [f"r{n}", before], [after]),
        ]
    return model_of(nodes, [matrix("w", 0)], values[-1])


def fan_out(count: int) -> onnx.ModelProto:
    """Products of one value that are summed up by pairs."""
    values, number = [f"m{n}" for n in range(count // 2)], 0
    weights = [matrix(f"w{n}", n) for n in range(count // 2)]
    nodes = [
        helper.make_node("MatMul", ["x", w.name], [m]) for w, m in zip(weights, values, strict=True)
    ]
    while len(values) > 1:
        sums: list[str] = []
        for left, right in zip(values[::2], values[1::2], strict=False):
            nodes.append(helper.make_node("Add", [left, right], [f"s{number}"]))
            sums.append(f"s{number}")
            number += 1
        values = [*sums, *values[len(sums) * 2 :]]
    return model_of(nodes, weights, values[0])


def calls_of_compile(model: onnx.ModelProto) -> int:
    def compile() -> None:
        context = new_context()
        module = import_model(model, None, context)
        for step in registry.build_passes(f"optimize-graph,{CPU}"):
            step.apply(context, module)
        HostTarget().emit(context, module, StringIO())

    return calls_of(compile)


@pytest.mark.parametrize("shape", [concatenation, chain, residual, fan_out])
def test_twice_the_model_is_twice_the_work(shape: Callable[[int], onnx.ModelProto]) -> None:
    calls_of_compile(shape(120))  # fills the tables that do not depend on the model
    small, large = (calls_of_compile(shape(count)) for count in (120, 240))
    assert large / small <= DOUBLING


def hub(count: int) -> onnx.ModelProto:
    """A computed value that many products read."""
    model = fan_out(count)
    for node in model.graph.node:
        if node.op_type == "MatMul":
            node.input[0] = "h"
    model.graph.node.insert(0, helper.make_node("Softmax", ["x"], ["h"]))
    return model


@pytest.mark.parametrize("shape", [fan_out, hub])
def test_the_choice_of_groups_is_no_search_through_all_of_them(
    shape: Callable[[int], onnx.ModelProto],
) -> None:
    def fuse(count: int) -> int:
        context = new_context()
        module = import_model(shape(count), None, context)
        (step,) = registry.build_passes("fuse{arch=cpu-avx2}")
        return steps_of(lambda: step.apply(context, module), "_partition.py", "fuse.py")

    small, large = map(fuse, (400, 800))
    assert large / small <= DOUBLING


def test_many_buffers_are_placed_one_by_one() -> None:
    small, large = (
        calls_of(lambda n=n: place([Buffer(1000, step, step + 5) for step in range(n)]))
        for n in (200, 400)
    )
    assert large / small <= DOUBLING
