"""A node whose steps make a compile slow is named, by the import, the check and the command."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from dlc.compiler import Options, compile_to
from dlc.core.context import DlcContext
from dlc.frontends.onnx import unrolling
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.importer import import_model
from dlc.registry import build_passes
from dlc.tools import dlc_compile

HIDDEN = 3
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def model_of(
    node: NodeProto, sizes: list[int], values: dict[str, np.ndarray], result: str = "y"
) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)
    tensors = [numpy_helper.from_array(value, name) for name, value in values.items()]
    graph = helper.make_graph([node], "g", [x], [ValueInfoProto(name=result)], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def recurrent(kind: str, steps: int, direction: str = "forward") -> onnx.ModelProto:
    directions = 1 + (direction == "bidirectional")
    rows = GATES[kind] * HIDDEN
    random = np.random.default_rng(0).standard_normal
    sizes = {"w": (rows, 2), "r": (rows, HIDDEN), "b": (2 * rows,)}
    values = {name: random((directions, *n)).astype(np.float32) for name, n in sizes.items()}
    names = ["x", *values]
    layer = helper.make_node(kind, names, ["y"], "layer", hidden_size=HIDDEN, direction=direction)
    return model_of(layer, [steps, 1, 2], values)


def loop(steps: int) -> onnx.ModelProto:
    """An op for each step, whose state grows."""
    values = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("going", TensorProto.BOOL, []),
        ValueInfoProto(name="a"),
    ]
    results = [ValueInfoProto(name=n) for n in ("going", "b")]
    grown = helper.make_node("Concat", ["a", "x"], ["b"], axis=0)
    body = helper.make_graph([grown], "body", values, results)
    node = helper.make_node("Loop", ["m", "", "x"], ["y"], "layer", body=body)
    return model_of(node, [1, 2], {"m": np.array(steps)})


def scan(steps: int) -> onnx.ModelProto:
    """Three ops for each step: a slice, a reshape and a concatenation."""
    values = [ValueInfoProto(name=n) for n in ("sum", "part")]
    body = helper.make_graph(
        [helper.make_node("Concat", ["sum", "part"], ["total"], axis=0)],
        "body",
        values,
        [ValueInfoProto(name="total")],
    )
    node = helper.make_node("Scan", ["zero", "x"], ["y"], "layer", body=body, num_scan_inputs=1)
    return model_of(node, [steps, 2], {"zero": np.zeros(2, np.float32)})


def remarks_of(model: onnx.ModelProto, context: DlcContext) -> list[str]:
    remarks: list[str] = []
    import_model(model, None, context, remarks=remarks)
    return remarks


@pytest.fixture
def slow_from_90(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unrolling, "SLOW_OPS", 90)


@pytest.mark.usefixtures("slow_from_90")
@pytest.mark.parametrize(
    ("make", "steps", "kind", "ops"),
    [
        (lambda n: recurrent("RNN", n), 15, "RNN", 90),
        (lambda n: recurrent("GRU", n), 7, "GRU", 98),
        (lambda n: recurrent("LSTM", n), 5, "LSTM", 90),
        (lambda n: recurrent("LSTM", n, "bidirectional"), 3, "LSTM", 108),
        (loop, 90, "Loop", 90),
        (scan, 30, "Scan", 90),
    ],
)
def test_a_node_of_many_steps_is_named(
    make: Callable[[int], onnx.ModelProto], steps: int, kind: str, ops: int, context: DlcContext
) -> None:
    assert remarks_of(make(steps - 1), context) == []
    (remark,) = remarks_of(make(steps), context)
    assert remark.startswith(
        f"layer: {kind} is unrolled: {steps} steps are {ops} operations, which compile slowly;"
    )


@pytest.mark.parametrize("kind", GATES)
def test_the_ops_of_a_recurrent_layer_are_about_what_it_is_decomposed_to(
    kind: str, context: DlcContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ops(steps: int) -> int:
        module: ModuleOp = import_model(recurrent(kind, steps), None, context)
        for step in build_passes("optimize-graph"):
            step.apply(context, module)
        return sum(1 for _ in module.walk())

    monkeypatch.setattr(unrolling, "SLOW_OPS", 1)
    (remark,) = remarks_of(recurrent(kind, 1), context)
    said = int(remark.split(" are ")[1].split()[0])
    assert 2 / 3 <= said * 10 / (ops(15) - ops(5)) <= 3 / 2


@pytest.mark.usefixtures("slow_from_90")
def test_check_notes_what_compiles_slowly() -> None:
    found = check_model(recurrent("LSTM", 5))
    assert found.problems == []
    assert [note.split(":")[:2] for note in found.notes] == [["layer", " LSTM is unrolled"]]


@pytest.mark.usefixtures("slow_from_90")
def test_the_command_and_python_warn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    path = tmp_path / "model.onnx"
    onnx.save(loop(90), path)
    outcome = compile_to(tmp_path / "model.so", path, Options("cpu", verify=False))
    (warning,) = outcome.warnings()
    assert warning.startswith("layer: Loop is unrolled: 90 steps")
    assert dlc_compile.main([str(path), "--target", "cpu", "--no-verify"]) == 0
    assert f"dlc-compile: warning: {warning}\n" in capsys.readouterr().err
