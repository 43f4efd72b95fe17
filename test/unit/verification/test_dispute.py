"""Who is wrong where a compiled model and ONNX Runtime differ."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from dlc.compiler import Options, compile_to
from dlc.compiler.wishes import compare_outputs
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.registry import new_context
from dlc.verification.dispute import Arrays, Run
from dlc.verification.judge import Judge
from dlc.verification.onnx_faults import NoReferenceError
from dlc.verification.outside import Compared
from dlc.verification.reference import Reference

X = np.linspace(-1, 1, 6, dtype=np.float32)


def test_a_sigmoid_that_onnx_runtime_rounds_to_a_grid_is_not_held_against_the_artifact(
    tmp_path: Path,
) -> None:
    """It has steps of 2**-24, whatever the result."""
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Sigmoid", ["x"], ["y"])], "one", [x], [y])
    path = tmp_path / "model.onnx"
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), path
    )
    given = {"x": np.full(4, -15, np.float32)}
    options = Options("cpu", verify="onnxruntime", verify_inputs=given)
    outcome = compile_to(tmp_path / "model.so", path, options)
    assert "compared with ONNX Runtime on random" in outcome.checked
    (warning,) = outcome.cautions
    assert warning.startswith("ONNX Runtime is wrong on given input, which was not compared: its")


def _compared(ours: Array, theirs: Array, arbiter: Run | None) -> Compared:
    text = (
        'func.func @main(%x: tensor<6xf32> {graph.name = "x"}) -> '
        '(tensor<6xf32> {graph.name = "y"}) {\n'
        "%y = graph.relu %x : tensor<6xf32> -> tensor<6xf32>\nfunc.return %y : tensor<6xf32> }"
    )
    module = parse_module(text, new_context())
    judge = Judge(Reference(module, WeightStore()), "fp32")
    cases = [("given", {"x": X})]
    runs = (lambda _: {"y": ours}), (lambda _: {"y": theirs})
    return compare_outputs("ONNX Runtime", judge, cases, *runs, None, arbiter=arbiter)


def _silent(_: Arrays) -> Arrays:
    raise NoReferenceError("no meaning")


RIGHT, WRONG = np.maximum(X, 0), np.maximum(X, 0) + np.float32(0.25)


def test_what_the_arbiter_finds_wrong_is_not_compared() -> None:
    found = _compared(RIGHT, WRONG, lambda _: {"y": RIGHT})
    assert found.cases == []
    assert found.text() == "not compared with ONNX Runtime, which is wrong on given input"
    assert "'y' is off by 2.5e-01" in found.disputed["given"]


@pytest.mark.parametrize(
    "arbiter",
    [None, _silent, lambda _: {"y": WRONG}, lambda _: {"y": RIGHT + np.float32(0.5)}],
    ids=["none", "no answer", "the others are right", "both are wrong"],
)
def test_a_difference_is_an_error_where_the_others_may_be_right(arbiter: Run | None) -> None:
    with pytest.raises(CompileError, match=r"output 'y' is off by .* from ONNX Runtime"):
        _compared(RIGHT, WRONG, arbiter)


def test_the_arbiter_is_not_asked_without_a_dispute() -> None:
    found = _compared(RIGHT, RIGHT, lambda _: pytest.fail("asked"))
    assert (found.cases, found.disputed) == (["given"], {})
