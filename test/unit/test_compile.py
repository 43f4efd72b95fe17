"""Small ONNX models through the whole path: compile, verify, save, load, run."""

import inspect
import json
import re
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc.backends.cuda import cubins
from dlc.compiler import Options, compile_to, targets
from dlc.core.nvrtc import Cubin, compile_cuda
from dlc.oracle import run_block
from dlc.runtime.artifact import weights_path_of
from dlc.tools import dlc_compile, dlc_run
from dlc.verification import groups
from dlc.verification.error_bound import relative_error
from dlc.verification.probe import Probed

WEIGHT = np.random.default_rng(0).standard_normal((8, 5)).astype(np.float32)
X = np.random.default_rng(1).standard_normal((3, 8)).astype(np.float32)


def model(batch: int | str = 3) -> onnx.ModelProto:
    """Return ``y = softmax(relu(x @ w)) `` and ``r``, a view of ``x``."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"], "first product"),
        helper.make_node("Relu", ["product"], ["positive"], "relu"),
        helper.make_node("Softmax", ["positive"], ["y"], "softmax", axis=-1),
        helper.make_node("Flatten", ["x"], ["r"], "flatten", axis=0),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 8])],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("r", TensorProto.FLOAT, None),
        ],
        [numpy_helper.from_array(WEIGHT, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def expected(x: NDArray[np.float32]) -> NDArray[np.float64]:
    z = np.maximum(x.astype(np.float64) @ WEIGHT, 0)
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.fixture
def onnx_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.onnx"
    onnx.save(model(), path)
    return path


def check(compiled: dlc.Model, x: NDArray[np.float32] = X) -> None:
    results = compiled.run({"x": x})
    # One rounding per operation, eight in a product: 16 * eps * sqrt(8 + 5).
    np.testing.assert_allclose(results["y"], expected(x), atol=16 * 2.0**-24 * np.sqrt(13), rtol=0)
    np.testing.assert_array_equal(results["r"], x.reshape(1, -1))


def test_a_model_in_memory_compiles_and_runs() -> None:
    check(dlc.compile(model(), target="cpu"))


def test_a_file_compiles_saves_and_loads(onnx_file: Path, tmp_path: Path) -> None:
    compiled = dlc.compile(onnx_file, target="cpu", weights="file")
    saved = compiled.save(tmp_path / "saved.so")
    del compiled
    check(dlc.load(saved))


def test_a_symbolic_size_is_given_by_shapes() -> None:
    x = np.concatenate([X, X])
    check(dlc.compile(model("batch"), target="cpu", shapes={"x": [6, 8]}), x)


def test_a_symbolic_size_is_given_by_one_number() -> None:
    x = np.concatenate([X, X])
    check(dlc.compile(model("batch"), target="cpu", shapes={"batch": 6}), x)


def test_a_symbolic_size_that_is_not_given_is_named() -> None:
    with pytest.raises(
        dlc.CompileError,
        match=r'^the size batch \(axis 0 of input x\) is not fixed; give it with shapes=."batch"',
    ):
        dlc.compile(model("batch"), target="cpu")


def test_a_constant_input_is_compiled_in() -> None:
    compiled = dlc.compile(model(), target="cpu", constants={"x": X})
    assert compiled.inputs == ()
    np.testing.assert_allclose(compiled.run({})["y"], expected(X), atol=1e-6)


def test_explain_names_operations_nodes_and_schedules() -> None:
    text = dlc.compile(model(), target="cpu").explain()
    assert "graph.matmul" in text
    assert "first product" in text
    assert "schedule" in text


def test_a_model_says_what_it_is(onnx_file: Path) -> None:
    assert repr(dlc.compile(onnx_file, target="cpu")) == (
        "Model('small', target='cpu', precision='fp32', inputs={'x': 'float32[3, 8]'}, "
        "outputs={'y': 'float32[3, 5]', 'r': 'float32[1, 24]'})"
    )


def test_the_options_of_compile_are_those_of_options() -> None:
    parameters = inspect.signature(dlc.compile).parameters
    assert list(parameters) == ["source", *(field.name for field in fields(Options))]
    assert parameters["precision"].default == "fp32"
    assert "precision: of" in (dlc.compile.__doc__ or "")
    with pytest.raises(TypeError, match="'presicion'"):
        dlc.compile(model(), presicion="fp16")  # pyright: ignore[reportCallIssue]  (wrong on purpose)


def test_two_compiles_give_the_same_bytes(
    onnx_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name for name in ("one", "two")]
    for path in paths:
        monkeypatch.setenv("DLC_CACHE_DIR", str(path))  # not a copy from the cache
        path.mkdir()
        compile_to(path / "model.so", onnx_file, Options("cpu", verify=False))
    assert (paths[0] / "model.so").read_bytes() == (paths[1] / "model.so").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "sm_1"}, "target 'sm_1' is unknown"),
        (
            {"target": "sm_75"},
            "is too old: the GPU must have compute capability 8.0 or newer; give",
        ),
        ({"target": "cpu-avx3"}, "is unknown; give cpu, cpu-avx512, cpu-avx2, cpu-generic, or one"),
        ({"target": "cpu,sm_80"}, "for one CPU or for GPUs"),
        ({"target": "cpu,cpu-avx2"}, "for one CPU or for GPUs; compile once for each"),
        ({"precision": "fp8"}, "precision 'fp8' is unknown; give fp32, tf32, fp16, bf16"),
        ({"weights": "no"}, "weights 'no' is unknown; give embed, file"),
        ({"jobs": 0}, "jobs is 0; give 1 or more"),
        ({"shapes": {"x": [3, 9]}}, "first product: the inner sizes 9 and 8 differ"),
        ({"shapes": {"z": [3, 9]}}, "the model has no input z; it has x"),
        (
            {"shapes": {"x": "3,8"}},
            r"shapes\['x'\] is '3,8'; give a list of integers, or one integer",
        ),
        ({"shapes": {"x": 3}}, r"input x: the shape \[3\] needs 2 axes"),
        ({"shapes": {"x": 3.5}}, r"shapes\['x'\] is 3.5; give a list of integers, or one integer"),
        (
            {"shapes": {"x": [1 << 62, 8]}},
            "^input x: a tensor of shape .* has 36893488147419103232 ele",
        ),
        ({"shapes": [3, 8]}, r"shapes is \[3, 8\], expected mapping"),
        ({"target": ["sm_80"]}, r"target is \['sm_80'\], expected a string"),
        ({"jobs": "2"}, "jobs is '2', expected int"),
        ({"precision": "tf32"}, "tf32 is a format of NVIDIA GPUs; give precision fp32"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    options.setdefault("target", "cpu")
    with pytest.raises(dlc.CompileError, match=message):
        dlc.compile(model(), **options)


def test_a_launch_that_differs_from_the_reference_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*arguments: Any, **how: Any) -> list[NDArray[Any]]:
        return [array + np.float32(1e-3) for array in run_block(*arguments, **how)]

    monkeypatch.setattr(groups, "run_block", wrong)
    with pytest.raises(dlc.CompileError, match="verification failed: a result is off by"):
        compile_to(tmp_path / "model.so", model(), Options("cpu"))
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_depends_on_the_memory_plan_is_refused() -> None:
    groups.check_same({"y": X}, {"y": X})
    with pytest.raises(dlc.CompileError, match="output 'y' changes with the places"):
        groups.check_same({"y": X}, {"y": X + 1})


def test_an_artifact_that_is_not_as_its_probe_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Probed.outputs

    def wrong(probed: Probed, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        return {name: np.nextafter(x, np.inf) for name, x in right(probed, names).items()}

    monkeypatch.setattr(Probed, "outputs", wrong)
    monkeypatch.setenv("DLC_CACHE_GB", "0")
    with pytest.raises(dlc.CompileError, match="changes with the places"):
        compile_to(tmp_path / "model.so", model(), Options("cpu"))


def products(*factors: float) -> onnx.ModelProto:
    """Return ``x`` times one 64 x 64 matrix after the other, each of one value."""
    names = ["x", *(f"product{n}" for n in range(len(factors)))]
    nodes = [
        helper.make_node("MatMul", [names[n], f"w{n}"], [names[n + 1]], f"factor {n}")
        for n in range(len(factors))
    ]
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, [8, 64]) for n in names[:: len(factors)]
    ]
    weights = [
        numpy_helper.from_array(np.full((64, 64), factor, np.float32), f"w{n}")
        for n, factor in enumerate(factors)
    ]
    graph = helper.make_graph(nodes, "products", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def test_values_beyond_the_precision_are_named() -> None:
    with pytest.raises(
        dlc.CompileError,
        match=r'graph.matmul at "factor 1": its values reach 8.*e\+06 on random input, fp16 holds',
    ):
        dlc.compile(products(100, 100, 1e-6), target="cpu", precision="fp16")
    dlc.compile(products(100, 100, 1e-6), target="cpu")


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ((100, 100, 1e-6), r"factor 1\": its values reach 8.*e\+06 on random input, fp16 holds"),
        (
            (1e-5, 1e-5, 1e4),
            r"factor 1\": its values are at most .*e-0[678] on random input and underflow: fp16 "
            r"has all digits down to 6.1e-05; use bf16 or tf32",
        ),
    ],
)
def test_a_precision_that_does_not_hold_the_values_is_named_for_any_target(
    target: str, factors: tuple[float, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "device_capability", lambda: None)
    with pytest.raises(dlc.CompileError, match=message):
        dlc.compile(products(*factors), target=target, precision="fp16")
    dlc.compile(products(*factors), target=target, precision="bf16")


def test_a_wide_bound_is_a_warning_that_names_the_ops(tmp_path: Path) -> None:
    outcome = compile_to(
        tmp_path / "model.so", products(0.1, 0.1, 0.1, 0.1), Options("cpu", precision="bf16")
    )
    assert outcome.verification is not None
    assert outcome.verification["bound"] > 0.1
    (warning,) = outcome.warnings()
    assert 'rounding errors grow most in graph.matmul at "factor' in warning


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_the_documentation_names_every_key_of_the_certificate(
    onnx_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr(targets, "device_capability", lambda: None)
    compile_to(tmp_path / "model.so", onnx_file, Options(target))
    page = (Path(__file__).parents[2] / "docs/verification.md").read_text()
    keys = _keys(dlc.load(tmp_path / "model.so").report["certificate"])
    assert {"bound", "left_out_for_time", "kinds"} <= keys
    assert {key for key in keys if f"`{key}`" not in page.split("## The certificate")[1]} == set()


def _keys(data: object) -> set[str]:
    """Return the keys of records; what inputs, outputs and nodes are called is none."""
    if isinstance(data, list):
        return {key for item in data for key in _keys(item)}
    if not isinstance(data, dict):
        return set()
    by_name = {"inputs", "told_nothing", "left_out"}
    return {*data, *(key for k, item in data.items() if k not in by_name for key in _keys(item))}


def test_the_certificate_is_in_the_artifact(onnx_file: Path, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.so", "b.so")]
    for path in paths:
        outcome = compile_to(path, onnx_file, Options("cpu"))
        assert outcome.report == dlc.load(path).report
    kernels = len(dlc.load(paths[0]).report["variants"][0]["kernels"])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    found = dlc.load(paths[0]).report["certificate"]["run"]
    cases = {"random", "large", "special", "zero", "ties", "small", "negative"}
    assert found["inputs"].keys() == cases
    assert all(error <= found["bound"] < 1e-5 for error in found["inputs"].values())
    all_of_them = dict.fromkeys(("kernels", "all_kernels", "launches", "all_launches"), kernels)
    assert found["launches"] == {**all_of_them, "silent": []}
    assert found["told_nothing"] == {}
    assert found["left_out_for_time"] == found["beyond_the_precision"] == []
    compile_to(paths[0], onnx_file, Options("cpu", verify=False))
    assert dlc.load(paths[0]).report["certificate"] is None


def test_large_inputs_beyond_the_precision_are_not_compared(tmp_path: Path) -> None:
    # Ordinary inputs reach about 6e3, those of magnitude 30 more than 65504.
    options = Options("cpu", precision="fp16")
    outcome = compile_to(tmp_path / "model.so", products(10, 2, 1e-3), options)
    found = outcome.verification
    assert found is not None
    assert found["beyond"] == ["large"]
    assert "random" in found["cases"]
    assert "beyond the precision: large" in outcome.checked


def test_values_that_overflow_in_the_types_of_the_model(tmp_path: Path) -> None:
    # exp(30 x) is infinite in f32, and infinity - infinity no number; in double it is finite.
    nodes = [
        helper.make_node("Exp", ["x"], ["e"]),
        helper.make_node("SoftmaxCrossEntropyLoss", ["e", "labels"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 16])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [])
    labels = numpy_helper.from_array(np.arange(8), "labels")
    graph = helper.make_graph(nodes, "g", [x], [y], [labels])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    outcome = compile_to(tmp_path / "model.so", model, Options("cpu"))
    assert outcome.verification is not None
    assert outcome.verification["beyond"] == ["large"]


@pytest.mark.parametrize("name", ["whole", "half"])
def test_relative_error_sees_nan_and_infinity(name: str) -> None:
    wanted = np.array([1.0, np.nan, np.inf], np.float32 if name == "whole" else np.float16)
    assert relative_error(wanted, wanted) == 0
    assert relative_error(wanted, np.array([1.0, np.inf, np.nan], wanted.dtype)) == np.inf
    assert relative_error(wanted, np.array([np.nan, np.nan, np.inf], wanted.dtype)) == np.inf


def test_gpu_artifacts_are_made_without_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = [
        helper.make_node("Add", ["x", "x"], ["a"], "double"),
        helper.make_node("Exp", ["a"], ["y"]),
    ]
    tensors = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3, 8]) for n in "xy"]
    graph = helper.make_graph(nodes, "pointwise", tensors[:1], tensors[1:])
    source = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    monkeypatch.setattr(targets, "device_capability", lambda: None)
    outcome = compile_to(tmp_path / "model.so", source, Options("sm_80,sm_90a"))
    compiled = dlc.load(tmp_path / "model.so")
    assert outcome.report["target"] == "sm_80,sm_90a"
    for variant, target in zip(outcome.report["variants"], ("sm_80", "sm_90a"), strict=True):
        assert variant["target"] == target
        assert all(kernel["resources"]["registers"] for kernel in variant["kernels"])
        assert f"{target}: 1 launch of 1 kernel" in compiled.explain()
    assert outcome.verification is None
    assert [(x["target"], x["kernels"]) for x in outcome.simulated] == [("sm_80", 1), ("sm_90a", 1)]
    assert [(x["target"], x["not_emulated"]) for x in outcome.emulated] == [
        ("sm_80", ""),
        ("sm_90a", ""),
    ]
    assert outcome.checked.startswith("emulated for sm_80: the whole artifact on ")
    assert (
        "simulated, not run (no such GPU here): sm_80: 1 of 1 kernels at 1 sampled tiles, "
        "the whole model on 7 inputs (random, large, special, zero, ties, small, negative), error "
    ) in outcome.checked
    certificate = compiled.report["certificate"]
    assert certificate["run"] is None
    assert [x["target"] for x in certificate["simulated"]] == ["sm_80", "sm_90a"]
    assert set(certificate["simulated"][0]["inputs"]) == set(outcome.simulated[0]["whole"]["cases"])
    assert outcome.checked.endswith("; import checked for 2 of 2 kinds of nodes")
    monkeypatch.undo()
    if targets.device_capability() is None:
        with pytest.raises(dlc.ArtifactError, match=r"NVIDIA driver|no CUDA device|the device is"):
            compiled(X)


@pytest.mark.parametrize(
    ("device", "running"),
    [
        (None, None),
        ((7, 5), None),
        ((8, 0), "sm_80"),
        ((8, 9), "sm_86"),  # the highest that the device has, as the artifact chooses
        ((9, 0), "sm_90a"),
        ((9, 1), None),  # sm_90a is for 9.0 alone
    ],
)
def test_the_target_that_runs_here(
    monkeypatch: pytest.MonkeyPatch, device: tuple[int, int] | None, running: str | None
) -> None:
    monkeypatch.setattr(targets, "device_capability", lambda: device)
    found = targets.running_target(targets.parse_targets("sm_86,sm_80,sm_90a"))
    assert (found and found.name) == running


# The commands ------------------------------------------------------------------------------------


def test_compile_and_run_by_command(
    onnx_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, report = tmp_path / "out.so", tmp_path / "report.json"
    arguments = [str(onnx_file), "-o", str(output), "--target", "cpu", "--json", str(report)]
    assert dlc_compile.main(arguments) == 0
    printed = capsys.readouterr()
    assert "target cpu" in printed.out
    n = len(dlc.load(output).report["variants"][0]["kernels"])
    assert (
        f"verified: {n} of {n} kernels in {n} of {n} launches, the whole model on 7" in printed.out
    )
    assert "\x1b" not in printed.err
    assert json.loads(report.read_text())["verification"]["worst"] < 1e-5
    np.savez(tmp_path / "in.npz", x=X)
    given, results = str(tmp_path / "in.npz"), tmp_path / "results.npz"
    assert dlc_run.main([str(output), "--inputs", given, "--outputs", str(results)]) == 0
    with np.load(results) as file:
        np.testing.assert_allclose(file["y"], expected(X), atol=1e-6)


def test_kernels_that_spill_whatever_they_are_given_are_warnings(
    onnx_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def spilling(text: str, target: str) -> Cubin:
        found = compile_cuda(text, target)
        used = {name: replace(r, spill_bytes=24) for name, r in found.resources.items()}
        return replace(found, resources=used)

    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cubins, "compile_cuda", spilling)
    report = tmp_path / "report.json"
    command = [str(onnx_file), "--target", "sm_80", "--no-verify", "--json", str(report)]
    assert dlc_compile.main(command) == 0
    printed = capsys.readouterr().err
    (variant,) = json.loads(report.read_text())["variants"]
    for kernel in variant["kernels"]:
        name, used = kernel["name"], kernel["resources"]
        assert used["max_registers"] in (64, 128, 255)  # what a block of 1024, 512 or less can have
        assert f"dlc-compile: warning: kernel {name} for sm_80 spills 24 bytes" in printed


@pytest.mark.parametrize("level", ["graph", "fused-group", "loop", "c"])
def test_every_level_is_emitted(
    onnx_file: Path, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dlc_compile.main([str(onnx_file), "--target", "cpu", "--emit", level]) == 0
    mark = {"graph": "graph.matmul", "fused-group": "#loop.schedule", "loop": "loop.kernel"}
    assert mark.get(level, "void g0(") in capsys.readouterr().out


def test_check_names_what_is_unsupported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = model()
    bad.graph.node.append(helper.make_node("NoSuchOp", ["x"], ["q"], "strange"))
    onnx.save(bad, tmp_path / "bad.onnx")
    assert dlc_compile.main([str(tmp_path / "bad.onnx"), "--check"]) == 1
    assert "strange" in capsys.readouterr().out


def test_check_of_a_good_model(onnx_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dlc_compile.main([str(onnx_file), "--check"]) == 0
    assert "nothing unsupported" in capsys.readouterr().out


BAD_FILES = {
    "missing.onnx": None,
    "empty.onnx": b"",
    "text.onnx": b"this is no model",
    "cut.onnx": model().SerializeToString()[:150],
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_line_and_leaves_nothing(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = BAD_FILES[name]
    if data is not None:
        (tmp_path / name).write_bytes(data)
    before = sorted(tmp_path.iterdir())
    arguments = [str(tmp_path / name), "-o", str(tmp_path / "out.so"), "--target", "cpu"]
    assert dlc_compile.main(arguments) == 1
    lines = [x for x in capsys.readouterr().err.splitlines() if x != "reading the model"]
    assert len(lines) == 1
    assert lines[0].startswith("dlc-compile: error: ")
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_does_not_exist_is_one_line(
    onnx_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = onnx_file.parent / "no folder" / "out.so"
    assert dlc_compile.main([str(onnx_file), "-o", str(target), "--target", "cpu"]) == 1
    assert "no such file or directory" in capsys.readouterr().err


def test_run_refuses_what_is_no_artifact(
    onnx_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dlc_run.main([str(onnx_file), "--random"]) == 1
    assert "not a model compiled by dlc" in capsys.readouterr().err
    assert dlc_run.main([str(onnx_file.parent / "nothing.so")]) == 1
    assert "no such file" in capsys.readouterr().err


def test_weights_beside_are_renamed_too(onnx_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "beside.so"
    arguments = [str(onnx_file), "-o", str(output), "--target", "cpu", "--weights", "file"]
    assert dlc_compile.main(arguments) == 0
    assert weights_path_of(output).exists()
    check(dlc.load(output))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"no model", "the bytes are no ONNX model"),
        (3, "int is no model; give a path, the bytes of an ONNX file, or an onnx.ModelProto"),
        (
            type("Linear", (), {"__module__": "torch.nn.modules.linear"})(),
            "Linear is a class of PyTorch, not an ONNX model; write one with torch.onnx.export",
        ),
    ],
)
def test_what_is_no_model_is_told_the_way(source: Any, message: str) -> None:
    with pytest.raises(dlc.CompileError, match=re.escape(message)):
        dlc.compile(source)


def test_the_bytes_of_a_file_are_a_model() -> None:
    check(dlc.compile(model().SerializeToString(), target="cpu"), X)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"constants": {"x": "five"}}, "constants['x'] is 'five'; give a numpy array"),
        ({"constants": [5]}, "constants is [5], expected mapping"),
        ({"verify_inputs": {"x": [1.0]}}, "verify_inputs['x'] is [1.0]; give a numpy array"),
        ({"rtol": "small"}, "rtol is 'small', expected a number"),
    ],
)
def test_an_option_of_another_type_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(dlc.CompileError, match=re.escape(message)):
        dlc.compile(model(2), target="cpu", **given)


def test_an_unknown_option_is_named_with_its_neighbour() -> None:
    unknown: Any = {"shape": {}}
    with pytest.raises(TypeError, match=r"dlc.compile has no option 'shape'; did you mean shapes"):
        dlc.compile(model(2), **unknown)
