"""Calls of libraries are measured as any schedule is, and never by the kernels beside them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from fake_measurer import FakeMeasurer
from onnx import numpy_helper
from small_blas import build_blas

import dlc
from dlc.compiler import measuring
from dlc.dialects.fused_group import GroupOp
from dlc.runtime.called_library import file_of_wheel
from dlc.tools import dlc_compile
from dlc.tuning.database import Database, default_path
from dlc.tuning.measurement import Row
from dlc.tuning.trial import Found, Timed

TEXT = """
<ir_version: 8, opset_import: ["": 17]>
product (float[64, 48] x) => (float[64, 32] y) { y = MatMul(x, w) }
"""
CALL = 'library = "openblas"'


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    proto = onnx.parser.parse_model(TEXT)
    w = np.random.default_rng(0).normal(size=(48, 32)).astype(np.float32)
    proto.graph.initializer.append(numpy_helper.from_array(w, "w"))
    onnx.save(proto, tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def status(model: Path, name: str, *arguments: str) -> int:
    path = model.parent / name
    return dlc_compile.main([str(model), "--target", "cpu", "-o", str(path), *arguments])


def tune(model: Path, name: str, *arguments: str) -> Path:
    """Compile with OpenBLAS and ``--tune``, unverified."""
    wishes = ("--libraries", "openblas", "--tune", "--no-verify")
    assert status(model, name, *wishes, *arguments) == 0
    return model.parent / name


def calls() -> Sequence[Row]:
    """Return what the database knows of calls."""
    with Database(default_path()) as database:
        return [row for row in database.rows() if CALL in row.subject.schedule]


def discarded(model: Path, name: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Tune and return what is said of calls that are left out."""
    report = model.parent / "report.json"
    tune(model, name, "--json", str(report))
    return f"{report.read_text()}{capsys.readouterr().err}"


@pytest.mark.skipif(
    file_of_wheel("scipy_openblas32/lib/libscipy_openblas.so") is None,
    reason="OpenBLAS is not installed: pip install scipy-openblas32",
)
def test_a_call_of_openblas_is_timed(model: Path) -> None:
    tune(model, "a.so")
    (row,) = calls()
    assert row.measurement.median_s > 0
    assert ", openblas " in row.subject.place.compiler
    with Database(default_path()) as database:
        own = [each for each in database.rows() if CALL not in each.subject.schedule]
    assert len(own) > 1
    assert all("openblas" not in each.subject.place.compiler for each in own)


def test_it_is_the_library_that_is_timed(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that gives twice the product is found out by what the kernels give."""
    monkeypatch.setenv("DLC_OPENBLAS", str(build_blas(tmp_path)))
    said = discarded(model, "a.so", capsys)
    assert "of the largest value" in said
    assert "this is a fault of dlc" in said


def test_a_missing_library_is_left_out_until_it_comes(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DLC_OPENBLAS", "/nowhere")
    reason = "library openblas is not here: /nowhere cannot be opened"
    assert reason in discarded(model, "a.so", capsys)
    assert "libraries" not in dlc.load(model.parent / "a.so").report
    assert not calls()
    monkeypatch.setenv("DLC_OPENBLAS", str(build_blas(tmp_path)))
    tune(model, "b.so")
    assert len(calls()) == 1


@pytest.fixture
def quick_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurer to which calls are fastest."""

    def time(_: GroupOp, text: str) -> Found:
        return Timed(1e-6 if CALL in text else 2e-6, 1e-8, 9)

    monkeypatch.setattr(measuring, "measurer", lambda *_: FakeMeasurer(time))


@pytest.mark.usefixtures("quick_call")
def test_a_lock_replays_calls_without_naming_libraries(model: Path) -> None:
    lock, printed = model.parent / "dlc.lock", model.parent / "out.mlir"
    first = tune(model, "a.so", "--lock", str(lock))
    assert CALL in lock.read_text()
    assert list(dlc.load(first).report["libraries"]) == ["openblas"]
    again = model.parent / "again.lock"
    for wishes in ([], ["--libraries", "openblas"]):
        locked = ("--locked", str(lock), "--lock", str(again), "--no-verify")
        assert status(model, "b.so", *locked, *wishes) == 0
        assert (model.parent / "b.so").read_bytes() == first.read_bytes()
        assert again.read_bytes() == lock.read_bytes()
    emitted = ["--target", "cpu", "--emit", "fused-group", "-o", str(printed)]
    assert dlc_compile.main([str(model), *emitted, "--locked", str(lock)]) == 0
    assert CALL in printed.read_text()


def test_libraries_that_the_lock_has_not_are_one_line(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = model.parent / "dlc.lock"
    assert status(model, "a.so", "--lock", str(lock), "--no-verify") == 0
    capsys.readouterr()
    wishes = ("--locked", str(lock), "--libraries", "openblas")
    assert status(model, "b.so", *wishes) == 1
    (error,) = [x for x in capsys.readouterr().err.splitlines() if "error" in x]
    reason = "the lock was written with --libraries none; leave out --libraries"
    assert error.endswith(f"{lock}: {reason}")
