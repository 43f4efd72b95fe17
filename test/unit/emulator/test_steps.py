"""A GPU artifact that is run step by step, emulated: what it gives, and which variant that is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from run_by_steps import run_by_steps

from dlc.compiler import targets
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.emulator.model import EmulatedModel
from dlc.verification.plan import Plan


def model() -> onnx.ModelProto:
    """Two products, and an output that is the input again."""
    weight = np.random.default_rng(1).standard_normal((40, 40)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Softmax", ["h"], ["s"]),
        helper.make_node("MatMul", ["s", "w"], ["y"]),
        helper.make_node("Identity", ["x"], ["z"]),
    ]
    x, y, z = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [24, 40]) for n in "xyz")
    stored = [numpy_helper.from_array(weight, "w")]
    graph = helper.make_graph(nodes, "steps", [x], [y, z], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def test_all_steps_do_what_a_run_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the emulator has run an artifact, it is run again on the same inputs, step by step."""
    run, said = EmulatedModel.run, list[str]()

    def run_twice(self: EmulatedModel, feeds: Mapping[str, Any]) -> dict[str, Any]:
        outputs = run(self, feeds)
        said.append(run_by_steps(self))
        return outputs

    monkeypatch.setattr(EmulatedModel, "run", run_twice)
    monkeypatch.setattr(targets, "device_capability", lambda: None)
    monkeypatch.setattr(Plan, "budget_seconds", lambda *_: 0.0)
    outcome = compile_to(tmp_path / "m.so", model(), Options("sm_80,sm_90a", "fp16"))
    variants = outcome.report["variants"]
    assert [v["steps"][-1] for v in variants] == [{"output": "z"}] * 2
    assert said == [f"{len(v['steps'])} {number}\n" for number, v in enumerate(variants)]
