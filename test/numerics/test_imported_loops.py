"""Loops of ONNX compute on both targets what the oracle says, whatever their parts are."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

import dlc
from dlc.compiler.levels import lower
from dlc.compiler.targets import parse_targets
from dlc.dialects.graph.recurrent import LOOPED_STEPS
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context
from dlc.simulator import run_module
from dlc.verification.error_bound import error_bound, relative_error

STEPS = LOOPED_STEPS + 1
node = helper.make_node


def model(batch: int, hidden: int, backward: int) -> onnx.ModelProto:
    """Return a Scan of a cell that gives its states before and after each step, and whether they
    are positive.
    """
    inner = [
        node("MatMul", ["h", "r"], ["product"]),
        node("Add", ["product", "p"], ["sum"]),
        node("Tanh", ["sum"], ["after"]),
        node("Identity", ["h"], ["before"]),
        node("Identity", ["after"], ["y"]),
        node("Greater", ["after", "zero"], ["positive"]),
    ]
    value = helper.make_tensor_value_info
    results = [ValueInfoProto(name=n) for n in ("after", "y", "before", "positive")]
    state = [value(n, TensorProto.FLOAT, [batch, hidden]) for n in "hp"]
    body = helper.make_graph(inner, "body", state, results)
    names = ["last", "ys", "befores", "positives"]
    loop = node(
        "Scan",
        ["h0", "x"],
        names,
        body=body,
        num_scan_inputs=1,
        scan_input_directions=[backward],
        scan_output_directions=[backward, 0, 0],
    )
    weight = np.random.default_rng(0).uniform(-0.5, 0.5, (hidden, hidden)).astype(np.float32)
    tensors = {"r": weight, "zero": np.zeros((), np.float32)}
    ends = [value("h0", TensorProto.FLOAT, [batch, hidden])]
    ends.append(value("x", TensorProto.FLOAT, [STEPS, batch, hidden]))
    graph = helper.make_graph(
        [loop],
        "scan",
        ends,
        [ValueInfoProto(name=n) for n in names],
        [numpy_helper.from_array(x, name) for name, x in tensors.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
@pytest.mark.parametrize(("batch", "hidden", "backward"), [(2, 16, 0), (1, 5, 1)])
def test_scan(batch: int, hidden: int, backward: int, target: str) -> None:
    proto, context = model(batch, hidden, backward), new_context()
    generator = np.random.default_rng(1)
    feeds: dict[str, Array] = {
        "h0": generator.standard_normal((batch, hidden)).astype(np.float32),
        "x": generator.standard_normal((STEPS, batch, hidden)).astype(np.float32),
    }
    graph = import_model(proto, None, context)
    wanted = run_reference(graph, feeds, context.weights)
    if target == "cpu":
        found = dlc.compile(proto, target="cpu", verify=False).run(feeds)
    else:
        module = graph.clone()
        assert list(lower(context, module, parse_targets(target)[0], "fp32"))
        results = run_module(module, feeds, context.weights)
        found = dict(zip(wanted, results, strict=True))
    bound = error_bound(graph, "fp32")
    for name, array in wanted.items():
        assert relative_error(array, found[name]) <= bound, name
