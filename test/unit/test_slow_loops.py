"""A loop that is many launches is named, with why; one that a kernel runs whole is not."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

from dlc.compiler import Options, compile_to, slow_loops
from dlc.core.parser import parse_module
from dlc.registry import new_context


def scan(steps: int) -> onnx.ModelProto:
    """A step is one kernel: the sum so far, and its exponential."""
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Add", ["sum", "part"], ["total"])]
    nodes.append(helper.make_node("Exp", ["total"], ["e"]))
    parts = [value(n, TensorProto.FLOAT, [8]) for n in ("sum", "part")]
    ends = [ValueInfoProto(name=n) for n in ("total", "e")]
    body = helper.make_graph(nodes, "body", parts, ends)
    node = helper.make_node("Scan", ["zero", "x"], ["y", "z"], "all", body=body, num_scan_inputs=1)
    zero = numpy_helper.from_array(np.zeros(8, np.float32), "zero")
    outputs = [ValueInfoProto(name=n) for n in "yz"]
    inputs = [value("x", TensorProto.FLOAT, [steps, 8])]
    graph = helper.make_graph([node], "g", inputs, outputs, [zero])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_a_loop_of_many_launches_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_loops, "SLOW_LAUNCHES", 20)
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    few, many = (
        compile_to(tmp_path / "model.so", scan(steps), Options("cpu", verify=False))
        for steps in (19, 20)
    )
    assert few.warnings() == []
    (warning,) = many.warnings()
    assert warning.startswith("all: 20 steps are 20 launches, which compile slowly;")


LOOP = """
  %0 = graph.step_loop carry(%h) slice() read() {steps = 30 : i64} : (tensor<8xf32>) () ()
    -> tensor<8xf32> {
  ^bb0(%s: tensor<8xf32>):
    %1 = BODY
    graph.yield %1 : tensor<8xf32>
  }
"""
GROUP = """fused_group.group @g1(%s) : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb1(%a: tensor<8xf32>):
      %2 = graph.exp %a : tensor<8xf32> -> tensor<8xf32>
      fused_group.yield %2 : tensor<8xf32>
    }"""


def remarks(loop: str) -> list[str]:
    text = f"""
func.func @main(%h: tensor<8xf32>) -> tensor<8xf32> {{
  {loop}
  func.return %0 : tensor<8xf32>
}}"""
    return list(slow_loops.slow_loops(parse_module(text, new_context())))


def test_a_loop_in_a_loop_counts_as_often_as_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_loops, "SLOW_LAUNCHES", 900)
    inner = LOOP.replace("%h", "%s").replace("%0 =", "").replace("^bb0(%s", "^bb2(%t")
    inner = inner.replace("BODY", GROUP.replace("(%s)", "(%t)")).strip()
    assert remarks(LOOP.replace("BODY", GROUP)) == []
    (remark,) = remarks(LOOP.replace("BODY", inner))
    assert "30 steps are 900 launches" in remark


def test_a_loop_for_a_gpu_says_why_it_is_not_one_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    found = compile_to(tmp_path / "model.so", scan(16), Options("sm_90a", verify=False))
    assert found.warnings() == [
        "all: 16 steps are 16 launches; all steps as one kernel: states that are not all of one "
        "shape, sequences by units"
    ]
