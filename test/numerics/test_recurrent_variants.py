"""Every variant of RNN, GRU and LSTM as a loop of steps: the standard, our reference, the loop."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from dlc.dialects.graph.recurrent import LOOPED_STEPS
from dlc.dialects.graph.step_loop import step_loops
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import build_passes, new_context
from dlc.verification.onnx_reference import run_onnx_reference

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STEPS, BATCH, INPUTS, HIDDEN = LOOPED_STEPS + 1, 2, 3, 4

OWN: dict[str, Sequence[dict[str, Any]]] = {
    "RNN": [{}],
    "GRU": [{}, {"linear_before_reset": 1}],
    "LSTM": [{}, {"input_forget": 1}, {"peepholes": True}],
}
FUNCTIONS: dict[str, Sequence[dict[str, Any]]] = {
    "RNN": [
        *({"activations": [name]} for name in ("Relu", "Softsign", "Softplus", "ThresholdedRelu")),
        {"activations": ["Affine"], "activation_alpha": [0.7], "activation_beta": [0.2]},
        {"activations": ["LeakyRelu"], "activation_alpha": [0.3]},
        {"activations": ["Elu"]},
    ],
    "GRU": [{"activations": ["HardSigmoid", "ScaledTanh"], "activation_beta": [0.4, 0.7]}],
    "LSTM": [{"activations": ["HardSigmoid", "Softsign", "Relu"], "activation_alpha": [0.3]}],
}
SHAPES: Sequence[dict[str, Any]] = [
    {},
    {"lengths": True, "clip": 0.3},
    {"lengths": True, "initial": True, "layout": 1},
]


def _values(*sizes: int) -> Array:
    return np.random.default_rng(sum(sizes)).uniform(-0.5, 0.5, sizes).astype(np.float32)


def _model(
    kind: str,
    direction: str,
    lengths: bool = False,
    initial: bool = False,
    peepholes: bool = False,
    layout: int = 0,
    **attributes: Any,
) -> onnx.ModelProto:
    directions, rows = 1 + (direction == "bidirectional"), GATES[kind] * HIDDEN
    sizes = {"w": [rows, INPUTS], "r": [rows, HIDDEN], "b": [2 * rows], "p": [3 * HIDDEN]}
    weights = {name: _values(directions, *size) for name, size in sizes.items()}
    if "activations" in attributes:
        attributes["activations"] = attributes["activations"] * directions
    names = ["x", "w", "r", "b", "n" * lengths, "h" * initial]
    names += ["c" * initial, "p" * peepholes] if kind == "LSTM" else []
    outputs = ["y", "y_h", "y_c"][: 3 if kind == "LSTM" else 2]
    node = helper.make_node(
        kind, names, outputs, direction=direction, layout=layout, hidden_size=HIDDEN, **attributes
    )
    state = [directions, BATCH, HIDDEN] if not layout else [BATCH, directions, HIDDEN]
    data = [STEPS, BATCH, INPUTS] if not layout else [BATCH, STEPS, INPUTS]
    ends = {"x": data, "n": [BATCH], "h": state, "c": state}
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node],
        kind,
        [
            value(name, TensorProto.INT32 if name == "n" else TensorProto.FLOAT, size)
            for name, size in ends.items()
            if name in names
        ],
        [value(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(x, name) for name, x in weights.items() if name in names],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def _check(model: onnx.ModelProto, lengths: Sequence[int], loops: int) -> None:
    feeds: dict[str, Array] = {}
    for given in model.graph.input:
        sizes = [d.dim_value for d in given.type.tensor_type.shape.dim]
        feeds[given.name] = (
            np.array(lengths, np.int32) if given.name == "n" else 2 * _values(*sizes)
        )
    context = new_context()
    module = import_model(model, None, context)
    whole = run_reference(module, feeds, context.weights)
    for step in build_passes("graph-decompose"):
        step.apply(context, module)
    module.verify()
    assert len(step_loops(module)) == loops
    looped = run_reference(module, feeds, context.weights)
    for name, wanted in zip(whole, run_onnx_reference(model, feeds), strict=True):
        np.testing.assert_allclose(whole[name], wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(looped[name], wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda x: "-".join(x) or "plain")
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(
    ("kind", "own"),
    [(kind, own) for kind, variants in OWN.items() for own in variants],
    ids=lambda x: x if isinstance(x, str) else "-".join(x) or "plain",
)
def test_variant(kind: str, own: dict[str, Any], direction: str, shape: dict[str, Any]) -> None:
    model = _model(kind, direction, **own, **shape)
    _check(model, [STEPS - 5, STEPS], 1 + (direction == "bidirectional"))


@pytest.mark.parametrize(
    ("kind", "functions"),
    [(kind, each) for kind, variants in FUNCTIONS.items() for each in variants],
    ids=lambda x: x if isinstance(x, str) else "-".join(x["activations"]),
)
def test_activations(kind: str, functions: dict[str, Any]) -> None:
    _check(_model(kind, "bidirectional", **functions), [], 2)


@pytest.mark.parametrize("kind", GATES)
def test_a_sequence_of_no_steps_keeps_its_initial_state(kind: str) -> None:
    _check(_model(kind, "bidirectional", lengths=True, initial=True), [0, STEPS], 2)
