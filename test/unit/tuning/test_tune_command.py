"""``dlc-compile --tune``, ``--lock`` and ``--locked``, and the same in Python."""

import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
import onnx
import pytest
from fake_measurer import FakeMeasurer
from onnx import numpy_helper

import dlc
from dlc.compiler import measuring
from dlc.dialects.fused_group import GroupOp
from dlc.errors import CompileError
from dlc.tools import dlc_compile
from dlc.tools._tune_argument import joined
from dlc.tuning import evolution
from dlc.tuning.database import Database, default_path
from dlc.tuning.kind import cluster_of
from dlc.tuning.trial import Found, Timed

TEXT = """
<ir_version: 8, opset_import: ["": 17]>
two (float[16, 48] x) => (float[16, 32] y, float[16, 1] s) {
  h = MatMul(x, w)
  y = Relu(h)
  s = ReduceMean <axes = [1]> (x)
}
"""
TIMES = "one after the other [0-9.e+-]+ ms -> [0-9.e+-]+ ms, [0-9]+ % won"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    proto = onnx.parser.parse_model(TEXT)
    w = np.random.default_rng(0).normal(size=(48, 32)).astype(np.float32)
    proto.graph.initializer.append(numpy_helper.from_array(w, "w"))
    onnx.save(proto, tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def compiled(model: Path, name: str, *arguments: str) -> bytes:
    """Return the bytes of an artifact for the CPU."""
    path = model.parent / name
    path.parent.mkdir(exist_ok=True)
    assert dlc_compile.main([str(model), "--target", "cpu", "-o", str(path), *arguments]) == 0
    return path.read_bytes()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeMeasurer:
    """A measurer to which each schedule is faster than those before it."""

    def time(group: GroupOp, text: str) -> Found:
        return Timed(1e-6 / len(measurer.timed), 1e-8, 9)

    measurer = FakeMeasurer(time)
    monkeypatch.setattr(measuring, "measurer", lambda *_: measurer)
    return measurer


def tile(model: Path, name: str) -> str:
    """Return the tile of the artifact's contraction as a schedule has it."""
    kernels = dlc.load(model.parent / name).report["variants"][0]["kernels"]
    (found,) = [k["schedule"]["tile"] for k in kernels if "tile" in k["schedule"]]
    return f"tile = {found}"


def fastest(fake: FakeMeasurer) -> str:
    """Return the schedule of the contraction that was found to be the fastest one."""
    return [text for _, text in fake.timed if "tile = " in text][-1]


def test_schedules_are_measured_once_and_chosen(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = compiled(model, "a.so", "--tune")
    line, *_ = capsys.readouterr().out.splitlines()
    found = re.fullmatch(rf"tuned 2 kinds of groups: (\d+) measured; {TIMES}", line)
    assert found is not None
    assert int(found[1]) > 4
    assert compiled(model, "b.so", "--tune") == first
    line, *_ = capsys.readouterr().out.splitlines()
    known = rf"tuned 2 kinds of groups: 0 measured, {found[1]} from the database; {TIMES}"
    assert re.fullmatch(known, line)
    report = dlc.load(model.parent / "b.so")
    assert all(k["measured"]["time_us"] > 0 for k in report.report["variants"][0]["kernels"])
    assert report.explain().count("\n  measured: ") == 2


def test_what_is_measured_beats_what_is_estimated(model: Path, fake: FakeMeasurer) -> None:
    compiled(model, "a.so", "--no-verify")
    compiled(model, "b.so", "--tune", "--no-verify")
    assert tile(model, "a.so") not in fastest(fake)
    assert tile(model, "b.so") in fastest(fake)
    compiled(model, "c.so", "--no-verify")  # the database plays no part
    assert tile(model, "c.so") == tile(model, "a.so")
    compiled(model, "d.so", "--tune=0", "--no-verify")
    assert tile(model, "d.so") == tile(model, "b.so")


def test_a_lock_replays_to_the_byte_elsewhere(
    model: Path, tmp_path: Path, fake: FakeMeasurer, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "dlc.lock"
    first = compiled(model, "a.so", "--tune", "--lock", str(lock))
    count = len(fake.timed)
    assert count > 0
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "elsewhere"))
    (tmp_path / "folder").mkdir()
    other = model.rename(tmp_path / "folder" / "model.onnx")
    again = tmp_path / "again.lock"
    assert compiled(other, "b/b.so", "--locked", str(lock), "--lock", str(again)) == first
    assert again.read_bytes() == lock.read_bytes()
    assert len(fake.timed) == count
    assert not default_path().exists()
    cached = compiled(other, "c.so", "--locked", str(lock))
    assert cached == first


def test_a_lock_without_measuring_says_that_times_are_estimated(model: Path) -> None:
    lock = model.parent / "dlc.lock"
    first = compiled(model, "a.so", "--lock", str(lock))
    head, target, *lines = lock.read_text().splitlines()
    assert (head, target) == ("dlc lock 1", "target cpu")
    assert len(lines) == 2
    assert all(line.endswith("> estimated") for line in lines)
    assert compiled(model, "b.so", "--locked", str(lock)) == first
    other = lock.read_text().replace("cores = false", "cores = true")
    lock.write_text(other)
    assert compiled(model, "c.so", "--locked", str(lock)) != first


ELEMENTS = """
<ir_version: 8, opset_import: ["": 17]>
three (float[4, 8] x, float[4, 8] z) => (float[4, 8] a, float[4, 8] b, float[4, 8] c) {
  a = Exp(x)
  b = Tanh(x)
  c = Relu(z)
}
"""


@pytest.fixture
def elements(tmp_path: Path) -> Path:
    """A model that ``dp`` makes one kernel of."""
    onnx.save(onnx.parser.parse_model(ELEMENTS), tmp_path / "elements.onnx")
    return tmp_path / "elements.onnx"


def launches(path: Path) -> int:
    return dlc.load(path).report["variants"][0]["launches"]


@pytest.mark.parametrize("budget", [[], ["--search-budget", "9"]], ids=["", "within a budget"])
def test_a_lock_replays_the_division_of_a_search(elements: Path, budget: list[str]) -> None:
    lock, again = elements.parent / "dlc.lock", elements.parent / "again.lock"
    first = compiled(elements, "a.so", "--search", "dp", *budget, "--lock", str(lock))
    assert launches(elements.parent / "a.so") == 1
    assert compiled(elements, "b.so", "--locked", str(lock), "--lock", str(again)) == first
    assert again.read_bytes() == lock.read_bytes()
    text = elements.parent / "out.mlir"
    emitted = ["--target", "cpu", "--emit", "fused-group", "-o", str(text)]
    assert dlc_compile.main([str(elements), *emitted, "--locked", str(lock)]) == 0
    assert text.read_text().count("fused_group.group ") == 1


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> FakeMeasurer:
    """A measurer to which a kernel of several operations is slow."""

    def time(group: GroupOp, _: str) -> Found:
        return Timed(1e-6 * 10.0 ** len(cluster_of(group).ops), 1e-9, 9)

    measurer = FakeMeasurer(time)
    monkeypatch.setattr(measuring, "measurer", lambda *_: measurer)
    monkeypatch.setattr(evolution, "PLAUSIBLE", 1e9)
    return measurer


def test_evolve_goes_by_measured_times(
    elements: Path, apart: FakeMeasurer, capsys: pytest.CaptureFixture[str]
) -> None:
    lock, wishes = elements.parent / "dlc.lock", ("--search", "evolve", "--tune")
    first = compiled(elements, "a.so", *wishes, "--lock", str(lock))
    assert launches(elements.parent / "a.so") == 3
    count = len(apart.timed)
    said = capsys.readouterr().out
    assert re.search(r"; \d+ divisions compared by measured times: 1 ms -> 0.03 ms", said)
    assert compiled(elements, "b.so", *wishes) == first
    assert compiled(elements, "c.so", *wishes[:2], "--tune=0") == first
    assert len(apart.timed) == len(set(apart.timed)) == count
    assert compiled(elements, "d.so", "--locked", str(lock)) == first


GATHERED = """
<ir_version: 8, opset_import: ["": 17]>
rows (float[16, 48] x, int64[5] i) => (float[5, 48] y) {
  h = Exp(x)
  t = Transpose <perm = [0, 1]> (h)
  g = Gather <axis = 0> (t, i)
  y = Tanh(g)
}
"""


def test_divisions_are_compared_on_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, wishes = tmp_path / "rows.onnx", ("--search", "evolve", "--tune")
    onnx.save(onnx.parser.parse_model(GATHERED), source)
    first = compiled(source, "a.so", *wishes)
    assert "divisions compared by measured times" in capsys.readouterr().out
    assert compiled(source, "b.so", *wishes) == first
    assert ": 0 measured, " in capsys.readouterr().out


def test_evolve_is_that_of_dp_without_times(elements: Path, apart: FakeMeasurer) -> None:
    compiled(elements, "a.so", "--search", "evolve", "--tune=0")
    assert launches(elements.parent / "a.so") == 1
    assert apart.timed == []


def test_the_lock_is_obeyed_by_what_is_printed(model: Path, fake: FakeMeasurer) -> None:
    lock, text = model.parent / "dlc.lock", model.parent / "out.mlir"
    compiled(model, "a.so", "--tune", "--lock", str(lock), "--no-verify")
    arguments = ["--target", "cpu", "--emit", "fused-group", "-o", str(text)]
    assert dlc_compile.main([str(model), *arguments, "--locked", str(lock)]) == 0
    assert f"schedule = {fastest(fake)}" in text.read_text()
    assert "measured = #loop.measured<time_us = 0." in text.read_text()


def test_ctrl_c_ends_the_measuring_not_the_compile(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def time(group: GroupOp, text: str) -> Found:
        if len(measurer.timed) == 3:
            raise KeyboardInterrupt
        return Timed(1e-6, 1e-8, 9)

    measurer = FakeMeasurer(time)
    monkeypatch.setattr(measuring, "measurer", lambda *_: measurer)
    compiled(model, "a.so", "--tune")
    tuned, summary = capsys.readouterr().out.splitlines()
    assert tuned.startswith("tuned 2 kinds of groups: 2 measured, interrupted")
    assert "; verified: " in summary
    with Database(default_path()) as database:
        assert len(database.rows()) == 2


def test_a_signal_while_this_machine_measures(model: Path) -> None:
    arguments = [str(model), "--target", "cpu", "-o", str(model.parent / "a.so"), "--tune"]
    command = [sys.executable, "-m", "dlc.tools.dlc_compile", *arguments]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    for line in running.stderr:
        if line == "cpu: measuring\n":
            time.sleep(0.3)  # until it does; all of it takes some seconds
            running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=120)
    assert running.returncode == 0
    tuned, summary = output.splitlines()
    assert re.match(r"tuned (2 kinds of groups: \d+ measured|nothing), interrupted", tuned), output
    assert "; verified: " in summary


def test_how_far_it_is_stands_on_a_terminal_only(
    model: Path, fake: FakeMeasurer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for is_terminal in (True, False):
        stream = StringIO()
        monkeypatch.setattr(stream, "isatty", lambda shown=is_terminal: shown)
        monkeypatch.setattr(sys, "stderr", stream)
        compiled(model, "a.so", "--tune", "--no-verify")
        assert ("tuning: 2 of 2 kinds of groups" in stream.getvalue()) == is_terminal
        default_path().unlink()


def test_a_target_that_is_not_here_is_not_measured(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dlc.compiler.targets.device_capability", lambda: None)
    arguments = ["--target", "sm_90a", "--no-verify", "-o", str(model.parent / "a.so")]
    assert dlc_compile.main([str(model), *arguments, "--tune"]) == 0
    printed = capsys.readouterr()
    assert "dlc-compile: warning: nothing is measured for sm_90a, which this machine" in printed.err
    assert "tuned" not in printed.out


def spoiled_text(path: Path) -> None:
    path.write_text("no database")


def spoiled_tables(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")


def spoiled_rows(path: Path) -> None:
    with Database(path):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE measurement")
        connection.execute("CREATE TABLE measurement (chip)")
    connection.close()


@pytest.mark.parametrize("spoil", [spoiled_text, spoiled_tables, spoiled_rows])
def test_a_bad_database_costs_only_the_memory(
    model: Path,
    spoil: Callable[[Path], None],
    fake: FakeMeasurer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    default_path().parent.mkdir()
    spoil(default_path())
    before = default_path().read_bytes()
    compiled(model, "a.so", "--tune", "--no-verify")
    (warning,) = [x for x in capsys.readouterr().err.splitlines() if "warning" in x]
    assert warning.startswith(f"dlc-compile: warning: {default_path()}: the tuning database cannot")
    assert warning.endswith("what is measured now is not kept")
    assert tile(model, "a.so") in fastest(fake)
    assert default_path().read_bytes() == before


def test_a_device_that_fails_leaves_the_choice_to_the_model(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> FakeMeasurer:
        raise CompileError("cuInit failed with status 999 of the CUDA driver")

    monkeypatch.setattr(measuring, "measurer", fail)
    compiled(model, "a.so", "--tune", "--no-verify")
    assert "warning: nothing is measured: cuInit failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--locked", "no.lock"], "no.lock: cannot read the lock file: No such file or directory"),
        (["--locked", "dlc.lock", "--tune"], "--tune has no effect with it"),
        (["--emit", "graph", "--tune"], "--tune is for artifacts; a level is only printed"),
        (["--emit", "graph", "--lock", "a.lock"], "--lock is for artifacts"),
        (["--lock", "model.onnx"], "model.onnx"),
    ],
)
def test_wishes_that_do_not_fit_are_one_line(
    model: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(model.parent)
    before = model.read_bytes()
    assert dlc_compile.main([str(model), "--target", "cpu", *arguments]) == 1
    (error,) = [x for x in capsys.readouterr().err.splitlines() if "error" in x]
    assert message in error
    assert model.read_bytes() == before


@pytest.mark.parametrize(
    "wish", [["--tune"], ["--lock", "a.lock"], ["--locked", "a.lock"]], ids=lambda wish: wish[0]
)
def test_ir_has_its_own_schedules(
    model: Path, wish: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = model.parent / "model.mlir"
    emitted = ["--target", "cpu", "--emit", "fused-group", "-o", str(text)]
    assert dlc_compile.main([str(model), *emitted]) == 0
    arguments = ["--target", "cpu", "--weights-from", str(model), *wish]
    assert dlc_compile.main([str(text), *arguments]) == 1
    assert f"{text}: {wish[0]} is for models" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["--tune", "m.onnx"], ["--tune=all", "m.onnx"]),
        (["m.onnx", "--tune"], ["m.onnx", "--tune=all"]),
        (["--tune", "60", "m.onnx"], ["--tune=60", "m.onnx"]),
        (["--tune", "60s"], ["--tune=60s"]),
        (["--tune=5", "m.onnx"], ["--tune=5", "m.onnx"]),
        (["--tune", "--lock", "l"], ["--tune=all", "--lock", "l"]),
        (["--tune", "--tune"], ["--tune=all", "--tune=all"]),
    ],
)
def test_seconds_may_follow_tune(given: list[str], read: list[str]) -> None:
    assert joined(given) == read


def test_seconds_that_are_none_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        dlc_compile.main(["m.onnx", "--tune=soon"])
    assert "argument --tune: 'soon' is not a number of seconds" in capsys.readouterr().err


def test_python_takes_the_same_wishes(model: Path, fake: FakeMeasurer) -> None:
    lock = model.parent / "dlc.lock"
    tuned = dlc.compile(model, target="cpu", verify=False, tune=60.0, lock=lock)
    again = dlc.compile(model, target="cpu", verify=False, locked=lock)
    assert tuned.path.read_bytes() == again.path.read_bytes()
    with pytest.raises(CompileError, match="tune is -1; give seconds, 0 or more"):
        dlc.compile(model, target="cpu", tune=-1)
    with pytest.raises(CompileError, match="lock is 3, expected a path"):
        dlc.compile(model, target="cpu", lock=3)  # pyright: ignore[reportArgumentType]  (wrong on purpose)
