"""What ``dlc-run`` prints and writes: listings, explanations, inputs of files, times."""

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import dlc
from dlc.tools import dlc_compile, dlc_run

A = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
B = np.arange(6, dtype=np.int64).reshape(2, 3)


def write(
    folder: Path,
    name: str,
    nodes: list[onnx.NodeProto],
    inputs: Mapping[str, int],
    target: str = "cpu",
) -> Path:
    shape = [2, 3]
    ends = [helper.make_tensor_value_info(n, t, shape) for n, t in inputs.items()]
    results = [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)]
    onnx.save(helper.make_model(helper.make_graph(nodes, name, ends, results)), folder / name)
    assert dlc_compile.main([str(folder / name), "--target", target, "--no-verify"]) == 0
    return (folder / name).with_suffix(".so")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile ``y = log(a)``."""
    folder = tmp_path_factory.mktemp("one")
    nodes = [helper.make_node("Log", ["a"], ["y"], "logarithm")]
    return write(folder, "one.onnx", nodes, {"a": TensorProto.FLOAT})


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile ``y = a + float(b)``."""
    cast = helper.make_node("Cast", ["b"], ["c"], to=TensorProto.FLOAT)
    nodes = [cast, helper.make_node("Add", ["a", "c"], ["y"])]
    inputs = {"a": TensorProto.FLOAT, "b": TensorProto.INT64}
    return write(tmp_path_factory.mktemp("two"), "two.onnx", nodes, inputs)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert dlc_run.main(list(map(str, arguments))) == 0
    return capsys.readouterr().out


def run_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    return json.loads(run(capsys, *arguments, "--json"), parse_constant=pytest.fail)


def fail(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert dlc_run.main(list(map(str, arguments))) == 1
    return capsys.readouterr().err


def test_a_listing(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, two).splitlines() == [
        "target: cpu",
        "precision: fp32",
        "inputs:",
        "  a: float32[2, 3]",
        "  b: int64[2, 3]",
        "outputs:",
        "  y: float32[2, 3]",
    ]
    tensor = {"dtype": "float32", "shape": [2, 3]}
    listed = run_json(capsys, two)
    assert (listed["target"], listed["inputs"]["a"], listed["outputs"]["y"]) == (
        "cpu",
        tensor,
        tensor,
    )


def test_explain(one: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "g0: graph.log\n  nodes: logarithm\n" in run(capsys, one, "--explain")
    (variant,) = run_json(capsys, one, "--explain")["variants"]
    assert variant["kernels"][0]["nodes"] == ["logarithm"]


def test_explain_as_a_page(one: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estimated = run(capsys, one, "--explain", "--emit", "html")
    assert estimated.startswith("<!DOCTYPE html>")
    assert "logarithm" in estimated
    assert " by estimates " in estimated
    trace = tmp_path / "trace.json"
    measured = run(capsys, one, "--explain", "--emit", "html", "--profile", trace)
    assert " measured; weights" in measured
    assert trace.exists()


def test_inputs_of_npy_files(two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "a.npy", A)
    np.save(tmp_path / "b=.npy", B)
    result = tmp_path / "y.npz"
    given = ["--input", f"a={tmp_path / 'a.npy'}", "--input", f"b={tmp_path / 'b=.npy'}"]
    run(capsys, two, *given, "--outputs", result)
    with np.load(result) as arrays:
        np.testing.assert_array_equal(arrays["y"], A + B.astype(np.float32))


def test_files_may_be_mixed_and_random_fills_the_rest(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "a.npy", A)
    np.savez(tmp_path / "b.npz", b=B)
    result, file = tmp_path / "y.npz", f"a={tmp_path / 'a.npy'}"
    run(capsys, two, "--input", file, "--inputs", tmp_path / "b.npz", "--outputs", result)
    with np.load(result) as arrays:
        np.testing.assert_array_equal(arrays["y"], A + B.astype(np.float32))
    run(capsys, two, "--input", file, "--random", "--outputs", result)
    with np.load(result) as arrays:
        assert set(np.unique(arrays["y"] - A).round()) <= {0, 1}
    assert "input 'b' is missing" in fail(capsys, two, "--input", file)


def test_the_only_input_needs_no_name(
    one: Path, two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.full((2, 3), 2, np.float32))
    assert run_json(capsys, one, "--input", path)["outputs"]["y"]["max"] == pytest.approx(
        math.log(2), rel=2**-22
    )
    message = f"{path} needs a name, as --input NAME={path}; the model's inputs: 'a', 'b'"
    assert message in fail(capsys, two, "--input", path)
    assert "input 'a': two files are given" in fail(capsys, one, "--input", path, "--input", path)


@pytest.mark.parametrize("data", [b"", b"text", b"\x93NUMPY\x01\x00"])
def test_a_damaged_npy_file(
    one: Path, tmp_path: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    message = f"dlc-run: error: {path} is not an .npy file of a plain array\n"
    assert fail(capsys, one, "--input", path) == message


def test_values_that_json_has_no_number_for(
    one: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "x.npy", -np.ones((2, 3), np.float32))
    found = run_json(capsys, one, "--input", tmp_path / "x.npy")["outputs"]["y"]
    assert found == {
        "dtype": "float32",
        "shape": [2, 3],
        **dict.fromkeys(("min", "max", "mean"), "nan"),
    }


def test_a_device_and_threads_are_refused_where_they_mean_nothing(
    one: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "the model runs on the CPU; no device can be chosen" in fail(capsys, one, "--device", 0)


# Times -------------------------------------------------------------------------------------------


def test_bench_counts_runs_and_exports_each_time(
    one: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.json"
    found = run_json(
        capsys, one, "--bench", "--warm-up", 3, "--iterations", 7, "--bench-json", file
    )["bench"]
    assert (found["runs"], found["warm_up_runs"], found["inputs"]) == (7, 3, "random")
    assert len(found["times_ms"]) == 7
    times = found["milliseconds"]
    assert list(times) == ["mean", "min", "p50", "p90", "p95", "p99", "max"]
    assert times["max"] == max(found["times_ms"])
    assert found["device_milliseconds"] is None
    assert found["load_s"] > 0
    assert found["memory"]["peak_resident_bytes"] > 1 << 20
    written = json.loads(file.read_text())
    assert (written["target"], written["bench"]) == ("cpu", found)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the row is of x86-64")
def test_bench_of_a_named_cpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [helper.make_node("Log", ["a"], ["y"])]
    path = write(tmp_path, "named.onnx", nodes, {"a": TensorProto.FLOAT}, "cpu-generic")
    found = run_json(capsys, path, "--bench", "--warm-up", 0, "--iterations", 1)["bench"]
    assert found["device_milliseconds"] is None


def test_bench_ends_after_its_duration(one: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--bench", "--warm-up", 0, "--duration", 1e-9]
    assert run_json(capsys, one, *options)["bench"]["runs"] == 1


def test_bench_for_a_person(one: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, one, "--bench", "--warm-up", 0, "--iterations", 2).splitlines()
    (first,) = [n for n, line in enumerate(lines) if line.startswith("bench:")]
    assert lines[first] == "bench: 2 runs on random inputs, 0 before"
    assert [line.split(":")[0].strip() for line in lines[first + 1 :]] == [
        "milliseconds",
        "throughput",
        "copies",
        "load",
        "memory",
    ]


def test_a_profile_is_a_trace_of_all_steps(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trace.json"
    (line,) = [x for x in run(capsys, two, "--profile", file).splitlines() if "profile" in x]
    assert line.startswith("profile: 1 step, together ")
    assert line.endswith(f" ms; open {file} at https://ui.perfetto.dev")
    events = json.loads(file.read_text(), parse_constant=pytest.fail)["traceEvents"]
    (event,) = [each for each in events if each["ph"] == "X"]
    assert event["args"]["operations"] == ["graph.cast", "graph.add"]
    assert event["args"]["work"] == {"flops": 12, "bytes": 6 * (4 + 8 + 4)}
    assert event["dur"] > 0


def test_a_profile_overwrites_nothing_that_is_read(
    one: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = "is read by this run; give another file to write"
    assert message in fail(capsys, one, "--profile", one)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--iterations", "5"], "argument --iterations: only with --bench"),
        (["--emit", "html"], "argument --emit: only with --explain"),
        (["--explain", "--random", "--outputs", "x"], "argument --outputs: not with --explain"),
        (["--explain", "--random", "--compare", "x"], "argument --compare: not with --explain"),
        (["--explain", "--json", "--emit", "text"], "argument --emit: not with --json"),
        (["--bench", "--iterations", "0"], "'0' is not a number of 1 or more"),
        (["--bench", "--duration", "nan"], "'nan' is not a number of seconds above 0"),
        (["--bench", "--threads", "0"], "'0' is not a number of 1 or more"),
        (["--input", "a="], "'a=' names no file"),
    ],
)
def test_a_wrong_command_line(
    one: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        dlc_run.main([str(one), *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_threads_limit_a_run(tmp_path: Path) -> None:
    """A run with two threads starts one beside its own, a run with one none."""
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1 << 20]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Exp", ["x"], ["y"])], "g", ends[:1], ends[1:])
    model = dlc.compile(helper.make_model(graph), target="cpu", verify=False)
    model.save(tmp_path / "exp.so")
    script = (
        "import os, sys, time, numpy, dlc\n"
        "model = dlc.load(sys.argv[1], threads=int(sys.argv[2]))\n"
        "x = numpy.zeros(1 << 20, numpy.float32)\n"
        "while (before := len(os.listdir('/proc/self/task'))) > 1:\n"
        "    time.sleep(1e-3)  # threads that checked the file are listed until they are gone\n"
        "model(x)\n"
        "print(len(os.listdir('/proc/self/task')) - before)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "exp.so")]
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "OMP_DYNAMIC": "false"}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # numpy's own threads may end during the run
    started = [
        int(subprocess.check_output([*command, threads], env=environment))
        for threads in ("1", "2", "3")
    ]
    assert started == [0, 1, 2]


def test_threads_below_one_are_refused(one: Path) -> None:
    with pytest.raises(dlc.InputError, match="threads is 0; give 1 or more"):
        dlc.load(one, threads=0)
