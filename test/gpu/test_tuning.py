"""``--tune`` on a GPU: schedules are measured there, once."""

import re
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import onnx
import pytest
from launch import Gpu
from onnx import numpy_helper

import dlc
from dlc.compiler.identity import OWN_VERSION
from dlc.tools import dlc_compile
from dlc.tuning.database import Database, default_path
from dlc.tuning.gpu_device import GpuDevice

pytestmark = pytest.mark.gpu

TEXT = """
<ir_version: 8, opset_import: ["": 17]>
two (float[200, 768] x) => (float[200, 512] y) {
  h = MatMul(x, w)
  y = Softmax <axis = -1> (h)
}
"""

PRODUCT = """
<ir_version: 8, opset_import: ["": 17]>
one (float16[200, 768] x) => (float16[200, 512] h) { h = MatMul(x, w) }
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    proto = onnx.parser.parse_model(TEXT)
    w = np.random.default_rng(0).normal(size=(768, 512)).astype(np.float32)
    proto.graph.initializer.append(numpy_helper.from_array(w, "w"))
    onnx.save(proto, tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def tune(gpu: Gpu, model: Path, name: str, *arguments: str) -> Path:
    path = model.parent / name
    target = ["--target", gpu.target, "--precision", "fp16"]
    assert dlc_compile.main([str(model), *target, "-o", str(path), *arguments]) == 0
    return path


def test_schedules_are_measured_once(
    gpu: Gpu, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = model.parent / "dlc.lock"
    first = tune(gpu, model, "a.so", "--tune", "--lock", str(lock))
    printed = capsys.readouterr()
    kernels = dlc.load(first).report["variants"][0]["kernels"]
    kinds = len(kernels)
    assert re.match(rf"tuned {kinds} kinds of groups: [1-9]\d* measured; ", printed.out)
    assert "warning" not in printed.err
    for kernel in kernels:
        assert kernel["measured"]["time_us"] >= kernel["bound"]["time_us"]
    again = tune(gpu, model, "b.so", "--tune")
    assert "groups: 0 measured" in capsys.readouterr().out
    locked = tune(gpu, model, "c.so", "--locked", str(lock))
    assert first.read_bytes() == again.read_bytes() == locked.read_bytes()


def test_calls_of_cublaslt_are_measured(gpu: Gpu, model: Path, tmp_path: Path) -> None:
    """A call of each algorithm that the library knows; the lock holds what was fastest."""
    source = onnx.parser.parse_model(PRODUCT)  # of f16: a cast would be part of the kernel
    w = np.random.default_rng(0).normal(size=(768, 512)).astype(np.float16)
    source.graph.initializer.append(numpy_helper.from_array(w, "w"))
    onnx.save(source, model)
    lock, report = tmp_path / "dlc.lock", tmp_path / "report.json"
    wishes = ("--libraries", "cublaslt", "--tune", "--lock", str(lock), "--json", str(report))
    first = tune(gpu, model, "a.so", *wishes)
    if "library cublaslt is not here" in report.read_text():
        pytest.skip("cuBLASLt is not found on this machine")
    with Database(default_path()) as database:
        rows = [row for row in database.rows() if '"cublaslt"' in row.subject.schedule]
    timed = [row for row in rows if row.measurement.median_s > 0]
    assert timed
    assert len({row.subject.schedule for row in rows}) == 8
    assert all("no algorithm" in row.measurement.fault for row in rows if row not in timed)
    assert all(", cublaslt " in row.subject.place.compiler for row in rows)
    assert tune(gpu, model, "b.so", "--locked", str(lock)).read_bytes() == first.read_bytes()


def test_evolve_goes_by_times_of_this_gpu(
    gpu: Gpu, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock, wishes = model.parent / "dlc.lock", ("--search", "evolve", "--tune")
    first = tune(gpu, model, "a.so", *wishes, "--lock", str(lock))
    assert re.search(r"; \d+ divisions compared by measured times: ", capsys.readouterr().out)
    again = tune(gpu, model, "b.so", *wishes)
    assert "groups: 0 measured" in capsys.readouterr().out
    locked = tune(gpu, model, "c.so", "--locked", str(lock))
    assert first.read_bytes() == again.read_bytes() == locked.read_bytes()


def test_the_database_says_where_times_were_taken(gpu: Gpu, model: Path) -> None:
    tune(gpu, model, "a.so", "--tune", "--no-verify")
    with ExitStack() as kept:
        place = GpuDevice(gpu.target, OWN_VERSION, kept).place
    with Database(default_path()) as database:
        rows = database.rows()
    assert {row.subject.place for row in rows} == {place}
    assert place.chip.startswith(f"{gpu.target} ")
    assert all(row.measurement.fault or row.measurement.count >= 5 for row in rows)
