"""``dlc-bench`` from the command line to its tables and its JSON."""

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from small_blas import build_blas

from dlc.benchmark import contestant, peers
from dlc.benchmark.onnx_source import OnnxSource
from dlc.benchmark.peers import ort
from dlc.benchmark.workload import MissingError, Workload
from dlc.libraries import openblas
from dlc.plan.planner import forget
from dlc.tools import dlc_bench

TEST_PEERS = {
    "absent": """
from dlc.benchmark.workload import MissingError
class _Peer:
    def prepare(self, work, place, kept):
        raise MissingError("it is not installed")
PEER = _Peer()
""",
    "failing": """
class _Peer:
    def prepare(self, work, place, kept):
        raise ValueError("no \\x1b[31m kernel\\nfor this")
PEER = _Peer()
""",
    "zeros": """
import numpy as np
from dlc.benchmark.contestant import Ready
class _Peer:
    def prepare(self, work, place, kept):
        y = np.zeros((work.batch, 5), np.float32)
        return Ready(lambda: None, place.clock, [y], "does nothing")
PEER = _Peer()
""",
}


@pytest.fixture(autouse=True)
def few_peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Add the peers of the test to those that there are."""
    folder = tmp_path / "peers"
    folder.mkdir()
    for name, text in TEST_PEERS.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.setattr(peers, "__path__", [*peers.__path__, str(folder)])
    contestant.peer_names.cache_clear()
    yield
    contestant.peer_names.cache_clear()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """``y = relu(x w)`` with an open batch."""
    weight = np.random.default_rng(0).standard_normal((7, 5)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], "product"),
        helper.make_node("Relu", ["h"], ["y"], "rectify \x1b[31m"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 7])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 5])
    graph = helper.make_graph(nodes, "small", [x], [y], [numpy_helper.from_array(weight, "w")])
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), tmp_path / "net.onnx")
    return tmp_path / "net.onnx"


def bench(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    fixed = ["--target", "cpu", "--threads", "1", "--seconds", "0.01"]
    code = dlc_bench.main([*map(str, arguments), *fixed])
    out, errors = capsys.readouterr()
    return code, out, errors


def test_a_model_at_two_batches_beside_its_peers(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.json"
    chosen = "ort,zeros,absent,failing"
    code, out, _ = bench(capsys, path, "--batch", "2,3", "--peers", chosen, "--json", file)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "net, batch 2, fp32 on cpu"
    assert lines[1].split() == ["median", "ms", "spread", "dlc", "is", "differs"]
    names = [line.split()[0] for line in lines[2:7]]
    assert names == ["dlc", "ort", "zeros", "absent:", "failing:"]
    assert lines[5] == "  absent: it is not installed"
    assert lines[6] == r"  failing: failed: ValueError: no \x1b[31m kernel"
    head = "kernel n us bound estimate of limit MB GFLOP limited by nodes"
    assert lines[7].split() == head.split()
    assert lines[8].endswith(r"product + rectify \x1b[31m")
    assert lines[9] == "net, batch 3, fp32 on cpu"
    assert lines[-1].startswith("  geometric mean of 2: ")
    data = json.loads(file.read_text(), parse_constant=pytest.fail)
    check_data(data)


def check_data(data: dict[str, Any]) -> None:
    """Check the JSON of the model at two batches."""
    assert set(data) == {"dlc", "machine", "cases", "geometric_mean"}
    assert data["machine"]["name"] == "cpu"
    for batch, case in zip((2, 3), data["cases"], strict=True):
        assert (case["name"], case["batch"], case["precision"]) == ("net", batch, "fp32")
        found = {each["name"]: each for each in case["contestants"]}
        for name in ("dlc", "ort", "zeros"):
            times = found[name]["times_ms"]
            assert len(times) == found[name]["runs"] >= 5
            assert found[name]["min_ms"] == min(times)
            assert found[name]["median_ms"] == pytest.approx(np.median(times))
        assert found["ort"]["difference"] < 2.0**-20
        assert found["zeros"]["difference"] == 1.0
        assert found["absent"]["missing"] == "it is not installed"
        assert found["failing"]["error"].startswith("ValueError: no")
        assert case["best_peer"] == "zeros"
        assert case["ratio"] == found["zeros"]["median_ms"] / found["dlc"]["median_ms"]
        (kernel,) = case["kernels"]
        assert kernel["launches"] == case["profile"]["steps"] == 1
        assert kernel["us"] == pytest.approx(case["profile"]["steps_us"])
        assert case["profile"]["run_us"] > 0
        assert kernel["flops"] == 2 * batch * 7 * 5 + batch * 5
        assert kernel["us"] > 0
        assert kernel["share"] == kernel["bound_us"] / kernel["us"]
    ratios = [case["ratio"] for case in data["cases"]]
    assert data["geometric_mean"] == pytest.approx(np.sqrt(np.prod(ratios)))


def test_an_operation_has_a_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bench.json"
    options = ["--peers", "ort", "--json", file, "--kernels", 0]
    code, out, _ = bench(capsys, "--op", "matmul:8x16x32", *options)
    assert code == 0
    assert "TFLOP/s" in out
    assert "limited by" not in out
    (case,) = json.loads(file.read_text())["cases"]
    for found in case["contestants"]:
        flops = found["tflops"] * 1e12 * found["median_ms"] * 1e-3
        assert flops == pytest.approx(2 * 8 * 16 * 32)
    assert case["contestants"][1]["difference"] < 2.0**-18


def test_libraries_and_searches_are_those_of_a_compile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(openblas, "_EFFICIENCY", 100.0)  # so that it is taken on any machine
    forget()
    file, blas = tmp_path / "bench.json", build_blas(tmp_path)
    options = ["--op", "matmul:512x768x256", "--peers", "none", "--kernels", 0, "--json", file]
    ways = ["--libraries", "openblas", "--search", "dp"]
    for place, note in (
        (str(blas), f"1 step, library openblas: {blas}"),
        ("/nowhere", "1 step, library openblas is not used, generated kernels run: /nowhere"),
    ):
        monkeypatch.setenv("DLC_OPENBLAS", place)
        code, out, _ = bench(capsys, *options, *ways)
        assert code == 0
        assert note in out
        (case,) = json.loads(file.read_text())["cases"]
        assert (case["search"], case["libraries"]) == ("dp", ["openblas"])
        assert case["contestants"][0]["note"].startswith(note)
    forget()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mkl", "there is no library 'mkl'; there are: cublaslt, cudnn, openblas"),
        ("cublaslt", "library cublaslt is for a GPU, not for the target cpu"),
    ],
)
def test_a_library_that_cannot_be_called_is_one_line(
    path: Path, name: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, errors = bench(capsys, path, "--libraries", name)
    assert code == 1
    assert errors.splitlines()[-1] == f"dlc-bench: error: {reason}"


def test_a_model_that_does_not_compile_is_said_and_the_others_are_timed(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    code, out, _ = bench(capsys, tmp_path / "broken.onnx", path, "--batch", 1, "--peers", "none")
    assert code == 1
    assert "dlc: failed: " in out
    assert "net, batch 1, fp32 on cpu" in out


def test_pytorch_reads_no_onnx_files(path: Path) -> None:
    work = Workload(OnnxSource(path), 1, "fp32", path, {})
    with pytest.raises(MissingError, match="give the module with --torch"):
        work.source.torch(work.batch, work.path)


def test_onnx_runtime_in_half_precision_gets_weights_of_a_file_with_two_names(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``onnx`` itself does not read such weights."""
    model = onnx.load(path)
    (tmp_path / "apart").mkdir()
    apart = tmp_path / "apart" / "net.onnx"
    onnx.save(model, apart, save_as_external_data=True, location="w.bin", size_threshold=0)
    os.link(tmp_path / "apart" / "w.bin", tmp_path / "apart" / "same.bin")
    file = tmp_path / "bench.json"
    options = ["--batch", 2, "--precision", "fp16", "--peers", "ort", "--json", file]
    assert bench(capsys, apart, *options)[0] == 0
    _, peer = json.loads(file.read_text())["cases"][0]["contestants"]
    assert peer["difference"] < 2.0**-9


def test_a_run_of_onnx_runtime_whose_arrays_stay_on_the_device(path: Path) -> None:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    x = np.random.default_rng(1).standard_normal((3, 7)).astype(np.float32)
    wanted = np.asarray(session.run(None, {"x": x})[0])
    run, (found,) = ort.bound(session, {"x": x}, [wanted], "cpu", 0)
    run()
    assert wanted.any()
    assert (found == wanted).all()


def test_what_is_not_installed_is_named(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("dlc.benchmark.workload", *(f"dlc.benchmark.peers.{n}" for n in ("ort", "xla"))):
        monkeypatch.setattr(f"{module}.find_spec", lambda _: None)
    code, out, _ = bench(
        capsys, path, "--batch", 1, "--peers", "eager,compile,autotune,captured,ort,xla"
    )
    assert code == 0
    for name, what in (("eager", "PyTorch"), ("ort", "ONNX Runtime"), ("xla", "JAX")):
        assert f"  {name}: {what} is not installed" in out
    assert "  captured: there are no CUDA graphs on the CPU" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing is to be timed; give a model, --torch or --op"),
        (["a.onnx", "b.onnx", "--jax", "f.py:g"], "argument --jax: it is the form of one model"),
        (["--op", "matmul:1x1x1", "--shape", "x=1"], "argument --shape: only with an ONNX file"),
        (["a.onnx", "--shape", "x=1", "--shape", "x=2"], "argument --shape: 'x' is given twice"),
        (
            ["a.onnx", "--peers", "ort,tvm"],
            "there is no peer 'tvm'; there are: absent, autotune, captured",
        ),
        (["a.onnx", "--batch", "1,0"], "'0' is not a number of 1 or more"),
        (["a.onnx", "--precision", "fp8"], "'fp8' is unknown; give fp32, tf32, fp16, bf16"),
        (["a.onnx", "--seconds", "-1"], "'-1' is not a number of seconds above 0"),
    ],
)
def test_a_wrong_command_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        dlc_bench.main(arguments)
    assert end.value.code == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--op", "matmul:1"], "matmul:1: give matmul:MxNxK"),
        (["--op", "matmul:1x1x1", "--target", "sm_80,sm_90a"], "give one target"),
    ],
)
def test_a_wrong_value(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dlc_bench.main([*arguments, "--peers", "none"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("dlc-bench: error: ")
    assert message in errors


def test_the_result_takes_the_place_of_no_model(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    for place, why in (
        (path, "is a file of a model"),
        (tmp_path / "absent" / "b.json", "cannot be written: no such file or directory"),
    ):
        code, out, errors = bench(capsys, path, "--batch", 1, "--json", place)
        assert (code, out) == (1, "")
        assert why in errors
    assert path.read_bytes() == before


def test_a_value_that_is_compiled_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ONNX Runtime takes it as an input."""
    head = '<ir_version: 8, opset_import: ["": 17]>'
    text = f"{head} g (float[n, 4] x, int64[2] s) => (float[m, k] y) {{ y = Reshape(x, s) }}"
    onnx.save(onnx.parser.parse_model(text), tmp_path / "g.onnx")
    file = tmp_path / "bench.json"
    given = ["--batch", 3, "--constant", "s=2,6", "--peers", "ort", "--json", file]
    assert bench(capsys, tmp_path / "g.onnx", *given)[0] == 0
    _, peer = json.loads(file.read_text())["cases"][0]["contestants"]
    assert peer["difference"] == 0
    code, out, _ = bench(capsys, tmp_path / "g.onnx", "--constant", "t=2", "--peers", "none")
    assert code == 1
    assert "has no input t" in out


def test_a_number_of_a_gpu_for_the_cpu(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(path), "--batch", "1", "--target", "cpu", "--device", "1"]
    assert dlc_bench.main(arguments) == 1
    message = "--device: is the number of a GPU; this is the CPU"
    assert message in capsys.readouterr().err


def test_a_target_that_does_not_run_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dlc.compiler.targets.device_capability", lambda: None)
    assert dlc_bench.main(["--op", "matmul:1x1x1", "--target", "sm_80"]) == 1
    message = "sm_80: this machine does not run it; times are taken where the model runs"
    assert message in capsys.readouterr().err
