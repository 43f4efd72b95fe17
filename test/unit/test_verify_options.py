"""What a user may say about the verification: how much, on which inputs, against what."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper

import dlc
from dlc.compiler import Options, compile_to
from dlc.errors import CompileError, counted
from dlc.runtime.comparison import Comparison, Tolerance, compare
from dlc.tools import dlc_compile, dlc_run

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
Y = np.maximum(X, 0)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("DLC_CACHE_GB", "1")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Write ``y = relu(x)``."""
    tensors = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in ("x", "y")]
    relu = helper.make_node("Relu", ["x"], ["y"], "relu")
    graph = helper.make_graph([relu], "one", tensors[:1], tensors[1:])
    path = tmp_path / "model.onnx"
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), path
    )
    return path


def _checked(model: Path, **options: Any) -> str:
    """Return what a compile says that it has checked."""
    return compile_to(model.with_suffix(".so"), model, Options("cpu", **options)).checked


def _saved(path: Path, **arrays: np.ndarray) -> str:
    np.savez(path, allow_pickle=False, **arrays)
    return str(path)


@pytest.mark.parametrize("verify", [True, "quick", "full"])
def test_ordinary_verification(model: Path, verify: bool | str):
    checked = _checked(model, verify=verify)
    assert "verified: 1 of 1 kernels in 1 of 1 launches, the whole model on 7 inputs" in checked
    assert checked.endswith("import checked for 1 of 1 kinds of nodes")


@pytest.mark.parametrize("verify", [False, "off"])
def test_no_verification(model: Path, verify: bool | str):
    assert _checked(model, verify=verify) == "not verified"


def test_onnx_runtime(model: Path):
    checked = _checked(model, verify="onnxruntime")
    where = "random, large, zero, ties, small, negative input, error 0.0e+00, bound"
    assert f"compared with ONNX Runtime on {where}" in checked


def test_onnx_runtime_on_an_input_without_axes(tmp_path: Path):
    sizes = {"x": [2, 3], "rate": [], "y": [2, 3]}
    x, rate, y = (
        helper.make_tensor_value_info(n, TensorProto.FLOAT if n != "rate" else TensorProto.INT64, s)
        for n, s in sizes.items()
    )
    nodes = [
        helper.make_node("Cast", ["rate"], ["float"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["x", "float"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "one", [x, rate], [y])
    path = tmp_path / "model.onnx"
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), path
    )
    assert "compared with ONNX Runtime on positive, random" in _checked(path, verify="onnxruntime")


def test_onnx_runtime_takes_the_lengths_of_sequences_that_are_drawn(tmp_path: Path):
    text = """<ir_version: 10, opset_import: ["" : 17]>
    m (float[6,3,4] x, int32[3] lengths, float[1,20,4] w, float[1,20,5] r) => (float[6,1,3,5] y)
    { y = LSTM<hidden_size=5>(x, w, r, , lengths) }"""
    path = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    assert "compared with ONNX Runtime on random, large" in _checked(path, verify="onnxruntime")


def test_cached_artifact_is_checked_again_where_more_is_asked_for(model: Path):
    assert "when it was first compiled" not in _checked(model)
    assert "when it was first compiled" in _checked(model)
    assert "ONNX Runtime" in _checked(model, verify="onnxruntime")
    assert "rtol 0.5" in _checked(model, rtol=0.5)


def test_a_tolerance_of_the_user_does_not_count_for_others(model: Path):
    _checked(model, rtol=0.5)
    assert "verified: 1 of 1 kernels" in _checked(model)


def test_own_inputs_and_outputs(model: Path):
    checked = _checked(model, verify_inputs={"x": X}, verify_outputs={"y": Y})
    assert "inputs (given, random, " in checked
    assert "compared with the given outputs on given input, error 0.0e+00, bound" in checked


WRONG = Y + np.float32(0.25) * (np.arange(6).reshape(2, 3) == 4)


def test_outputs_that_are_not_those_of_the_model(model: Path):
    with pytest.raises(CompileError, match=r"output 'y' is off by .* from the given outputs"):
        _checked(model, verify_inputs={"x": X}, verify_outputs={"y": WRONG})
    assert not model.with_suffix(".so").exists()


def test_own_tolerance(model: Path):
    given = {"verify_inputs": {"x": X}, "verify_outputs": {"y": WRONG}}
    assert "the given outputs on given input, error 2.5e-01, rtol 0, atol 0.3" in _checked(
        model, **given, atol=0.3
    )
    with pytest.raises(CompileError, match=r"1 of 6 elements .* first at \[1, 1\]: 0.6 instead"):
        _checked(model, **given, rtol=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"verify": "fast"}, "verify 'fast' is unknown; give quick, full, onnxruntime, off"),
        ({"verify_outputs": {"y": Y}}, "verify_outputs needs verify_inputs"),
        ({"verify_inputs": {"z": X}}, "there is no input z; the inputs are x"),
        ({"verify_inputs": {}}, "input x: it is not given"),
        ({"verify_inputs": {"x": X[0]}}, "input x: the shape is 3, should be 2x3"),
        ({"verify_inputs": {"x": X.astype(np.float64)}}, "input x: the dtype is float64, should"),
        ({"verify_inputs": {"x": X}, "verify_outputs": {"z": Y}}, "the model has no output 'z'"),
        (
            {"verify_inputs": {"x": X}, "verify_outputs": {"y": Y[0]}},
            r"output 'y' to compare with is float32\[3\], the model's is float32\[2, 3\]",
        ),
        ({"verify_inputs": {"x": X}, "verify_outputs": {}}, "there is no output to compare with"),
        ({"rtol": -1.0}, "rtol is -1.0; give a number of 0 or more"),
        ({"atol": float("nan")}, "atol is nan; give a number of 0 or more"),
        ({"verify": False, "rtol": 1.0}, "verify is off"),
    ],
)
def test_wrong_wish(model: Path, options: Mapping[str, Any], message: str):
    with pytest.raises(CompileError) as error:
        dlc.compile(model, target="cpu", **options)
    assert re.search(message, str(error.value))


def test_onnx_runtime_that_is_not_installed(model: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dlc.compiler.options.find_spec", lambda _: None)
    with pytest.raises(CompileError, match="install it with pip install onnxruntime"):
        _checked(model, verify="onnxruntime")


def test_dlc_compile(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    inputs = _saved(tmp_path / "in.npz", x=X)
    outputs = _saved(tmp_path / "out.npz", y=WRONG)
    given = [str(model), "--target", "cpu", "--verify-inputs", inputs, "--verify-outputs", outputs]
    assert dlc_compile.main([*given, "--atol", "0.3"]) == 0
    assert "the given outputs on given input" in capsys.readouterr().out
    assert dlc_compile.main(given) == 1
    assert "from the given outputs, bound" in capsys.readouterr().err


def test_dlc_run_compares(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert dlc_compile.main([str(model), "--target", "cpu", "--verify=off"]) == 0
    inputs = _saved(tmp_path / "in.npz", x=X)
    given = [str(model.with_suffix(".so")), "--inputs", inputs, "--compare"]
    capsys.readouterr()
    assert dlc_run.main([*given, _saved(tmp_path / "out.npz", y=Y)]) == 0
    assert "max abs error 0, max rel error 0, 0 of 6 elements" in capsys.readouterr().out
    wrong = _saved(tmp_path / "wrong.npz", y=WRONG)
    assert dlc_run.main([*given, wrong]) == 1
    said = capsys.readouterr().out
    assert "1 of 6 elements beyond rtol 0, atol 1e-05, first at [1, 1]: 0.6" in said
    assert dlc_run.main([*given, wrong, "--atol", "0.3"]) == 0
    assert dlc_run.main([*given, _saved(tmp_path / "other.npz", z=Y)]) == 1
    assert "other.npz: the model has no output 'z'; it has y" in capsys.readouterr().err


@pytest.mark.parametrize("verify", ["quick", "off"])
def test_without_tolerances_the_bound_of_the_verification_holds(
    model: Path, tmp_path: Path, verify: str, capsys: pytest.CaptureFixture[str]
):
    assert dlc_compile.main([str(model), "--target", "cpu", f"--verify={verify}"]) == 0
    artifact = model.with_suffix(".so")
    certificate = dlc.load(artifact).report["certificate"]
    bound = certificate["run"]["bound"] if certificate else 1e-5
    allowed = bound * np.abs(Y).max()
    given = [str(artifact), "--inputs", _saved(tmp_path / "in.npz", x=X), "--compare"]
    for off, code in ((0.5 * allowed, 0), (4 * allowed, 1)):
        wanted = Y.astype(np.float64)  # as numpy computes references
        wanted.flat[0] += off
        capsys.readouterr()
        assert dlc_run.main([*given, _saved(tmp_path / "near.npz", y=wanted)]) == code
        assert "elements beyond rtol 0, atol" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--compare", "y.npz"], ["--random", "--rtol", "1"]])
def test_dlc_run_without_what_is_needed(model: Path, arguments: list[str]):
    with pytest.raises(SystemExit) as exit:
        dlc_run.main([str(model), *arguments])
    assert exit.value.code == 2


def test_elements_are_compared():
    wanted = np.array([0, 1, np.nan, np.inf, 2, np.inf])
    got = np.array([0, 1.5, np.nan, np.inf, np.nan, -np.inf])
    found = compare(got, wanted, Tolerance(0.1, 0.1))
    assert found == Comparison(np.inf, np.inf, 3, 6, Tolerance(0.1, 0.1), ((1,), "1.5", "1.0"))
    assert compare(got[:4], wanted[:4], Tolerance(0.5, 0)).mismatches == 0


def test_what_was_verified_is_said_once(model: Path, capsys: pytest.CaptureFixture[str]):
    assert dlc_compile.main([str(model), "--target", "cpu"]) == 0
    printed = capsys.readouterr()
    assert (printed.err + printed.out).count("verified:") == 1
    assert "1 launch of 1 kernel," in printed.out


def test_nouns_are_counted():
    assert [counted(n, "input") for n in (0, 1, 2)] == ["0 inputs", "1 input", "2 inputs"]
    assert counted(2, "launch") == "2 launches"


def test_own_inputs_run_on_an_emulated_artifact(model: Path, monkeypatch: pytest.MonkeyPatch):
    """However little time there is."""
    monkeypatch.setattr("dlc.verification.plan.Plan.budget_seconds", lambda *_: 0.0)
    path = model.with_suffix(".so")
    checked = compile_to(path, model, Options("sm_90a")).checked
    assert "emulated for sm_90a: the whole artifact on 1 input (random)" in checked
    options = Options("sm_90a", verify_inputs={"x": X}, verify_outputs={"y": Y})
    checked = compile_to(path, model, options).checked
    assert "emulated for sm_90a: the whole artifact on 1 input (given)" in checked
    assert "the imported graph, not the artifact, compared with the given outputs" in checked


def test_a_tolerance_that_nothing_is_held_to_is_named(model: Path):
    options = Options("sm_90a", rtol=1e-4)
    cautions = compile_to(model.with_suffix(".so"), model, options).cautions
    assert [line for line in cautions if line.startswith("rtol 0.0001, atol 0 has no effect")]
