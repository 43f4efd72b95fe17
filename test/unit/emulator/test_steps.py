"""A GPU artifact that is run step by step, emulated: what it gives, and which variant that is."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from dlc.compiler import targets
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.emulator.model import EmulatedModel
from dlc.verification.plan import Plan

BY_STEPS = r"""
import ctypes, sys
from pathlib import Path
import numpy as np
from dlc.emulator import process
from dlc.runtime.library import Library

folder = Path(sys.argv[1])
job = process.Job.read(folder)
driver = process._Driver(job, folder)
cuda = driver._library
library = Library(Path(job.artifact))
handle = library.create(Path(job.artifact), 0)

def buffer(data):
    place, stream = ctypes.c_uint64(), ctypes.c_void_p()
    count = ctypes.c_size_t(len(data))
    cuda.cuStreamCreate(ctypes.byref(stream), 1)
    cuda.cuMemAlloc_v2(ctypes.byref(place), count)
    cuda.cuMemcpyHtoDAsync_v2(place, data, count, stream)
    cuda.cuStreamSynchronize(stream)
    return place.value

def pointers(values):
    return (ctypes.c_void_p * len(values))(*values)

file = lambda kind, i: process.array_file(folder, kind, i).read_bytes()
wanted = [file("output", i) for i in range(len(library.outputs))]
inputs = pointers([buffer(file("input", i)) for i in range(len(library.inputs))])
places = [buffer(bytes(len(x))) for x in wanted]
stream = ctypes.c_void_p()
cuda.cuStreamCreate(ctypes.byref(stream), 1)
api = library.api
for step in range(api.step_count(handle)):
    library.check(api.run_steps(handle, step, step + 1, stream, None, inputs, pointers(places)))
for place, data in zip(places, wanted, strict=True):
    got = ctypes.create_string_buffer(len(data))
    cuda.cuMemcpyDtoHAsync_v2(got, ctypes.c_uint64(place), ctypes.c_size_t(len(data)), stream)
    cuda.cuStreamSynchronize(stream)
    assert got.raw == data
print(api.step_count(handle), api.variant(handle))
"""


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
        command = [sys.executable, "-c", BY_STEPS, str(self._path)]  # pyright: ignore[reportPrivateUsage]  (the file of the artifact)
        said.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return outputs

    monkeypatch.setattr(EmulatedModel, "run", run_twice)
    monkeypatch.setattr(targets, "device_capability", lambda: None)
    monkeypatch.setattr(Plan, "budget_seconds", lambda *_: 0.0)
    outcome = compile_to(tmp_path / "m.so", model(), Options("sm_80,sm_90a", "fp16"))
    variants = outcome.report["variants"]
    assert [v["steps"][-1] for v in variants] == [{"output": "z"}] * 2
    assert said == [f"{len(v['steps'])} {number}\n" for number, v in enumerate(variants)]
