"""What ``dlc-compile`` and ``dlc-run`` say to wrong command lines and files, and leave behind."""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from dlc import tools
from dlc.tools import dlc_compile, dlc_run

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def write_model(folder: Path) -> Path:
    """Write ``file = relu(x)``; an output may well be called as an argument of numpy is."""
    tensors = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in ("x", "file")]
    relu = helper.make_node("Relu", ["x"], ["file"])
    graph = helper.make_graph([relu], "one", tensors[:1], tensors[1:])
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("artifact")
    assert dlc_compile.main([str(write_model(folder)), "--target", "cpu", "--no-verify"]) == 0
    return folder / "model.so"


def folder_of(model: Path) -> list[str]:
    return sorted(path.name for path in model.parent.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shape", "=2,3"], "'=2,3' is not NAME=SIZE,SIZE,..."),
        (["--shape", "x=2,,3"], "'x=2,,3' is not NAME=SIZE,SIZE,..."),
        (["--shape", "x=2,3", "--shape", "x=4,3"], "argument --shape: 'x' is given twice"),
        (["--shape", "n=abc"], "'n=abc' is not NAME=SIZE,SIZE,... with whole numbers as sizes"),
        (["--constant", "n"], "'n' is not NAME=NUMBER,NUMBER,... or NAME=@FILE.npy"),
        (["--constant", "n=1", "--constant", "n=2"], "argument --constant: 'n' is given twice"),
        (["--emit", "c", "--json", "r.json"], "not allowed with argument --emit"),
        (["--check", "--tune"], "--locked: not allowed with argument --check"),
        (["--check", "--emit", "c"], "not allowed with argument --check"),
        (["--targ", "cpu"], "unrecognized arguments: --targ cpu"),
    ],
)
def test_a_wrong_command_line(
    model: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        dlc_compile.main([str(model), *arguments])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert said.endswith("; see dlc-compile --help\n")
    assert folder_of(model) == ["model.onnx"]


def test_the_check_goes_to_standard_output(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dlc_compile.main([str(model), "--check"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == "nothing unsupported"
    assert printed.err == ""
    assert folder_of(model) == ["model.onnx"]


def test_the_check_as_json(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dlc_compile.main([str(model), "--check", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["supported"], found["problems"], found["open_sizes"]) == (True, [], [])
    assert sum(found["operators"].values()) == len(onnx.load(model).graph.node)
    report = model.with_name("found.json")
    assert dlc_compile.main([str(model), "--check", "--json", str(report), "--shape", "z=3"]) == 1
    assert json.loads(report.read_text())["supported"] is False
    assert capsys.readouterr().out.splitlines()[-1].startswith("  the model has no input z")


@pytest.mark.parametrize("flag", ["-o", "--json"])
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("no folder/out", "no folder/out: cannot be written: no such file or directory"),
        (".", "cannot be written: is a directory; name a file in it"),
        ("model.onnx", "model.onnx: is a file of the model that is compiled; give another file"),
    ],
)
def test_a_place_that_cannot_be_written_is_found_before_the_compile(
    model: Path, flag: str, place: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = model.read_bytes()
    arguments = [str(model), "--target", "cpu", flag, str(model.parent / place)]
    assert dlc_compile.main(arguments) == 1
    printed = capsys.readouterr()
    assert len(printed.err.splitlines()) == 1
    assert message in printed.err
    assert folder_of(model) == ["model.onnx"]
    assert model.read_bytes() == before


@pytest.fixture
def in_parts(tmp_path: Path) -> Path:
    """Write ``y = x + w`` with its weights in the file ``tensors.weights``."""
    sizes = [onnx.helper.make_tensor_value_info(n, TensorProto.FLOAT, [512]) for n in ("x", "y")]
    weight = onnx.numpy_helper.from_array(np.ones(512, np.float32), "w")
    add = helper.make_node("Add", ["x", "w"], ["y"])
    graph = helper.make_graph([add], "one", sizes[:1], sizes[1:], [weight])
    path = tmp_path / "model.onnx"
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(
        helper.make_model(graph, opset_imports=opsets),
        path,
        save_as_external_data=True,
        location="tensors.weights",
    )
    return path


@pytest.mark.parametrize(
    ("arguments", "at"),
    [
        (["-o", "tensors.weights"], "tensors.weights"),
        (["-o", "tensors", "--weights", "file"], "tensors.weights"),
        (["-o", "out", "--json", "tensors.weights"], "tensors.weights"),
        (["--emit", "graph", "-o", "tensors.weights"], "tensors.weights"),
        (["-o", "link"], "link"),
    ],
)
def test_files_of_a_model_are_not_overwritten(
    in_parts: Path, arguments: list[str], at: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = in_parts.parent
    (folder / "link").symlink_to("tensors.weights")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    words = [w if w in ("file", "graph") or w[0] == "-" else str(folder / w) for w in arguments]
    assert dlc_compile.main([str(in_parts), "--target", "cpu", *words]) == 1
    message = f"{folder / at}: is a file of the model that is compiled; give another file"
    assert capsys.readouterr().err == f"dlc-compile: error: {message}\n"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_two_results_do_not_go_to_one_file(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(model.parent / "out")
    assert dlc_compile.main([str(model), "--target", "cpu", "-o", place, "--json", place]) == 1
    assert capsys.readouterr().err == (
        f"dlc-compile: error: {place}: is to be written twice; give another file\n"
    )
    assert folder_of(model) == ["model.onnx"]


def test_an_artifact_goes_to_no_device(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dlc_compile.main([str(model), "--target", "cpu", "-o", "/dev/null"]) == 1
    message = "dlc-compile: error: /dev/null: cannot be written: is no ordinary file\n"
    assert capsys.readouterr().err == message
    assert Path("/dev/null").is_char_device()


def test_text_goes_to_a_pipe_and_through_a_link(model: Path) -> None:
    pipe, link, file = (model.parent / name for name in ("pipe", "link", "file"))
    os.mkfifo(pipe)
    link.symlink_to(file)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text)
        for place in (pipe, link):
            arguments = [str(model), "--target", "cpu", "--emit", "graph", "-o", str(place)]
            assert dlc_compile.main(arguments) == 0
        assert "graph.relu" in read.result(10)
    assert link.is_symlink()
    assert "graph.relu" in file.read_text()


@pytest.fixture(params=["dlc_compile", "dlc_opt"])
def printing(request: pytest.FixtureRequest, model: Path) -> list[str]:
    """Return a command line that prints a module."""
    ir = model.parent / "model.mlir"
    ir.write_text("func.func @main() {\n  func.return\n}\n")
    arguments = {"dlc_opt": [str(ir)], "dlc_compile": [str(model), "--emit", "graph"]}
    return [sys.executable, "-m", f"dlc.tools.{request.param}", *arguments[request.param]]


def run_into(command: list[str], output: int) -> tuple[int, list[str]]:
    """Return the exit code and the lines of standard error that are no progress."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    with os.fdopen(output, "w") as file:
        done = subprocess.run(
            command, stdout=file, stderr=subprocess.PIPE, text=True, env=environment
        )
    return done.returncode, [line for line in done.stderr.splitlines() if "rror" in line]


INTERRUPTED_IMPORT = """
import os, runpy, signal, sys
class Interruption:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interruption())
sys.argv[0] = "-m"
runpy.run_module("dlc.tools.{command}", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    ("command", "module"),
    [
        ("dlc_opt", "xdsl"),
        ("dlc_opt", "dlc.tools._opt_catalogue"),
        ("dlc_compile", "numpy"),
        ("dlc_run", "numpy"),
    ],
)
def test_an_interrupt_has_no_traceback(command: str, module: str) -> None:
    program = INTERRUPTED_IMPORT.format(command=command, module=module)
    arguments = [sys.executable, "-c", program, "--list-passes"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


TERMINATED_COMMAND = """
import os, signal, sys, tempfile, time
sys.argv[0] = "-m"
from dlc.tools._command import run_command
def command():
    with tempfile.TemporaryDirectory(dir=sys.argv[1]):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)  # the signal ends it long before
sys.exit(run_command("command", command))
"""


def test_a_command_that_is_terminated_removes_its_temporary_files(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", TERMINATED_COMMAND, str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (143, "")
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_imports_a_command_is_interrupted_as_ever() -> None:
    before = signal.getsignal(signal.SIGINT)
    importlib.reload(tools)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_reader_that_leaves_is_no_error(printing: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    assert run_into(printing, writer) == (0, [])


def test_a_full_disk_is_one_line(printing: list[str]) -> None:
    code, lines = run_into(printing, os.open("/dev/full", os.O_WRONLY))
    assert code == 1
    assert len(lines) == 1
    assert "error: " in lines[0]
    assert "no space left on device; free some" in lines[0]


def test_too_little_memory_is_one_line(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(dlc_compile, "compile_to", exhausted)
    assert dlc_compile.main([str(model), "--target", "cpu"]) == 1
    assert capsys.readouterr().err == "dlc-compile: error: not enough memory; give smaller sizes\n"


def test_outputs_go_to_exactly_the_file_named(artifact: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=X)
    arguments = [str(artifact), "--inputs", str(tmp_path / "in.npz")]
    assert dlc_run.main([*arguments, "--outputs", str(tmp_path / "out")]) == 0
    with np.load(tmp_path / "out") as arrays:
        np.testing.assert_array_equal(arrays["file"], np.maximum(X, 0))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npz", "out"]


def _cut(data: bytes) -> bytes:
    return data[:60]


def _altered(data: bytes) -> bytes:
    return data[:170] + b"\xff\xff" + data[172:]


@pytest.mark.parametrize("damage", [_cut, _altered, lambda _: b"", lambda _: b"text"])
def test_a_damaged_file_of_inputs(
    artifact: Path,
    tmp_path: Path,
    damage: Callable[[bytes], bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "in.npz"
    np.savez(path, x=X)
    path.write_bytes(damage(path.read_bytes()))
    assert dlc_run.main([str(artifact), "--inputs", str(path)]) == 1
    message = f"dlc-run: error: {path} is not an .npz file of plain arrays\n"
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (X.T, "input 'x': shape [3, 2] given, the model was compiled for [2, 3]"),
        (X.astype(np.float64), "input 'x': dtype float64 given, the model takes float32"),
        (X.astype(ml_dtypes.bfloat16), "input 'x': dtype bfloat16 given, the model takes float32"),
    ],
)
def test_an_input_that_does_not_fit(
    artifact: Path,
    tmp_path: Path,
    array: NDArray[Any],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    np.savez(tmp_path / "in.npz", x=array)
    arguments = [str(artifact), "--inputs", str(tmp_path / "in.npz")]
    assert dlc_run.main([*arguments, "--outputs", str(tmp_path / "out.npz")]) == 1
    assert capsys.readouterr().err == f"dlc-run: error: {message}\n"
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--random", "--seed", "-1"], "'-1' is not a number of 0 or more"),
        (
            ["--outputs", "o.npz"],
            "nothing is run without --inputs, --input, --random, --bench or --profile",
        ),
        (["--random", "--inputs", "i.npz"], "not allowed with argument --random"),
    ],
)
def test_a_wrong_command_line_to_run(
    artifact: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        dlc_run.main([str(artifact), *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--outputs", "--bench-json"])
@pytest.mark.parametrize("place", ["model", "inputs"])
def test_what_a_run_reads_is_not_overwritten(
    artifact: Path, tmp_path: Path, option: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "copy.so"
    model.write_bytes(artifact.read_bytes())
    inputs = tmp_path / "in.npz"
    np.savez(inputs, x=X)
    path = {"model": model, "inputs": inputs}[place]
    before = path.read_bytes()
    given = [str(model), "--inputs", str(inputs), "--bench", "--iterations", "1", option, str(path)]
    assert dlc_run.main(given) == 1
    assert f"{path}: is read by this run" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_folder_in_place_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert dlc_compile.main(["."]) == 1
    assert ".: cannot read the file: is a directory" in capsys.readouterr().err


def test_a_compiled_model_in_place_of_a_model(
    artifact: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dlc_compile.main([str(artifact), "-o", str(tmp_path / "new.so")]) == 1
    assert "this is not an ONNX model but a shared library; see dlc-run" in capsys.readouterr().err


def test_an_artifact_that_hides_a_python_module(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(model), "--target", "cpu", "--verify=off"]
    assert dlc_compile.main(given) == 0
    assert "hides" not in capsys.readouterr().err
    model.with_suffix(".py").touch()
    assert dlc_compile.main(given) == 0
    assert f"{model.stem}.so hides {model.stem}.py from import" in capsys.readouterr().err


def test_a_level_of_the_other_kind_of_target(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target, level in (("cpu", "gpu"), ("cpu", "cuda"), ("sm_80", "c")):
        assert dlc_compile.main([str(model), "--target", target, "--emit", level]) == 1
        assert f"has no level {level}; give --target for " in capsys.readouterr().err


def test_a_file_that_becomes_too_large_is_named(tmp_path: Path) -> None:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1 << 16])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1 << 16])
    w = numpy_helper.from_array(np.arange(1 << 16, dtype=np.float32), "w")
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [w])
    onnx.save(helper.make_model(graph), tmp_path / "m.onnx")
    command = "ulimit -f 128; exec $0 -m dlc.tools.dlc_compile m.onnx --target cpu --no-verify"
    done = subprocess.run(
        ["bash", "-c", command, sys.executable],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "weights: file too large; raise the limit on the size of a file (ulimit -f)" in last
    assert [path.name for path in tmp_path.iterdir()] == ["m.onnx"]
