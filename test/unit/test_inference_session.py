"""The session of ONNX Runtime's kind, beside ONNX Runtime itself."""

import platform
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc import inference_session

WEIGHT = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
X = np.random.default_rng(1).standard_normal((2, 4)).astype(np.float32)


def model(batch: int | str) -> onnx.ModelProto:
    """Return ``y = x @ w`` and ``n = -k``, of ``batch`` rows."""
    ends = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 4]),
        helper.make_tensor_value_info("k", TensorProto.INT64, [batch]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 3]),
        helper.make_tensor_value_info("n", TensorProto.INT64, [batch]),
    ]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Neg", ["k"], ["n"])]
    stored = [numpy_helper.from_array(WEIGHT, "w")]
    graph = helper.make_graph(nodes, "two", ends[:2], ends[2:], stored)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    made.producer_name = "test"
    return made


def sessions(batch: int | str) -> list[Any]:
    """Return a session of dlc and one of ONNX Runtime, made by the same call."""
    data = model(batch).SerializeToString()
    providers = ["CPUExecutionProvider"]
    kinds: list[Any] = [dlc.InferenceSession, onnxruntime.InferenceSession]
    return [kind(data, providers=providers) for kind in kinds]


@pytest.mark.parametrize("batch", [2, "batch"])
def test_a_session_answers_as_onnx_runtime_does(batch: int | str) -> None:
    ours, theirs = sessions(batch)
    for ask in ("get_inputs", "get_outputs"):
        found, wanted = (
            [(x.name, x.type, x.shape) for x in getattr(session, ask)()]
            for session in (ours, theirs)
        )
        assert found == wanted
    assert ours.get_providers() == theirs.get_providers()
    found, wanted = ours.get_modelmeta(), theirs.get_modelmeta()
    for key in ("producer_name", "graph_name", "domain", "description", "custom_metadata_map"):
        assert getattr(found, key) == getattr(wanted, key), key


@pytest.mark.parametrize("batch", [2, "batch"])
@pytest.mark.parametrize("names", [None, [], ["n"], ["n", "y"]])
def test_outputs_come_in_the_order_asked_for(batch: int | str, names: list[str] | None) -> None:
    feeds = {"k": np.arange(2), "x": X}
    found, wanted = (session.run(names, feeds) for session in sessions(batch))
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        # Sums of four products, each rounded once, on both sides.
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=2 * 16 * 2.0**-24 * 4**0.5)


def test_each_size_is_compiled_when_it_comes() -> None:
    session = dlc.InferenceSession(model("batch"))
    for rows in (1, 3):
        y, n = session.run(None, {"x": np.ones((rows, 4), np.float32), "k": np.arange(rows)})
        assert y.shape == (rows, 3)
        np.testing.assert_array_equal(n, -np.arange(rows))


def test_shapes_of_the_options_are_compiled_for_at_once() -> None:
    session = dlc.InferenceSession(model("batch"), options=dlc.Options(shapes={"batch": [5]}))
    assert [info.shape for info in session.get_inputs()] == [[5, 4], [5]]


@pytest.mark.parametrize("suffix", [".onnx", ".so"])
def test_files(tmp_path: Path, suffix: str) -> None:
    onnx.save(model(2), tmp_path / "two.onnx")
    dlc.compile(tmp_path / "two.onnx", target="cpu").save(tmp_path / "two.so")
    session = dlc.InferenceSession(str(tmp_path / f"two{suffix}"))
    (y,) = session.run(["y"], {"x": X, "k": np.arange(2)})
    np.testing.assert_allclose(y, X @ WEIGHT, rtol=0, atol=2 * 16 * 2.0**-24 * 4**0.5)
    assert session.get_modelmeta().graph_name == "two"


@pytest.mark.parametrize("batch", [2, "batch"])
@pytest.mark.parametrize(
    ("names", "change", "message"),
    [
        (["q"], {}, "the model has no output 'q'; it has y, n"),
        (None, {"x": None}, r"required inputs \(\['x'\]\) are missing from input feed \(\['k'\]\)"),
        (None, {"z": X}, "invalid input name 'z'; the model has x, k"),
        (None, {"x": X.astype("f8")}, r"actual tensor\(double\), expected tensor\(float\)"),
        (None, {"x": X[0]}, "input 'x': invalid rank: got 1, expected 2"),
        (None, {"x": X[:, :3]}, "input 'x': index 1 has size 3, expected 4"),
    ],
)
def test_wrong_calls(
    batch: int | str, names: list[str] | None, change: dict[str, Any], message: str
) -> None:
    given = {"x": X, "k": np.arange(2), **change}
    feeds = {name: value for name, value in given.items() if value is not None}
    ours, theirs = sessions(batch)
    with pytest.raises(ValueError, match=message):
        ours.run(names, feeds)
    with pytest.raises(Exception, match=r"(?i)invalid|required|output"):
        theirs.run(names, feeds)


def test_the_first_provider_that_is_available_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference_session, "device_capability", lambda: None)
    providers = [("CUDAExecutionProvider", {"device_id": 1}), "CPUExecutionProvider"]
    session = dlc.InferenceSession(model(2), providers=providers)
    assert session.get_providers() == ["CPUExecutionProvider"]
    message = "none of the providers CUDAExecutionProvider is available here; give CPUExecution"
    with pytest.raises(dlc.CompileError, match=message):
        dlc.InferenceSession(model(2), providers=providers[:1])
    assert dlc.get_available_providers() == ["CPUExecutionProvider"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the row is of x86-64")
def test_a_target_and_providers_must_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference_session, "device_capability", lambda: (9, 0))
    compiled: list[dlc.Model] = []

    def compile(*source: Any, **options: Any) -> dlc.Model:
        compiled.append(dlc_compile(*source, **options))
        return compiled[-1]

    dlc_compile = dlc.compile
    monkeypatch.setattr(dlc, "compile", compile)
    both = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    generic = dlc.Options(target="cpu-generic")
    for providers in (None, both, both[1:]):
        session = dlc.InferenceSession(model(2), providers=providers, options=generic)
        assert session.get_providers() == ["CPUExecutionProvider"]
        assert compiled[-1].report["target"] == "cpu-generic"
    message = "none of the providers CUDAEx.* is what the target runs on; give CPUExecutionProvider"
    with pytest.raises(dlc.CompileError, match=message):
        dlc.InferenceSession(model(2), providers=both[:1], options=generic)
    artifact = compiled[-1].save(tmp_path / "generic.so")
    with pytest.raises(dlc.CompileError, match=message):
        dlc.InferenceSession(artifact, providers=both[:1])
    for_gpus = dlc.Options(target="sm_80,sm_90a")
    session = dlc.InferenceSession(model("batch"), providers=both, options=for_gpus)
    assert session.get_providers() == ["CUDAExecutionProvider"]


def test_a_shape_fixes_a_size_wherever_its_name_stands() -> None:
    session = dlc.InferenceSession(model("batch"), options=dlc.Options(shapes={"x": [2, 4]}))
    assert [info.shape for info in session.get_inputs()] == [[2, 4], [2]]


def test_threads_of_session_options(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(dlc.Model, "placed", lambda self, **given: asked.append(given) or self)
    for options in (dlc.SessionOptions(), onnxruntime.SessionOptions()):
        options.intra_op_num_threads = 2
        dlc.InferenceSession(model(2), options, providers=["CPUExecutionProvider"])
    assert asked == [{"threads": 2}] * 2
    dlc.InferenceSession(model(2), SimpleNamespace(), providers=["CPUExecutionProvider"])
    assert len(asked) == 2


def test_bytes_that_are_no_model() -> None:
    with pytest.raises(dlc.CompileError, match="the bytes are no ONNX model"):
        dlc.InferenceSession(b"no model")


PROGRAM = """
ort.set_default_logger_severity(3)
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
options.log_severity_level = 3
options.enable_mem_pattern = False
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
options.add_free_dimension_override_by_name("batch", 2)
run_options = ort.RunOptions()
run_options.log_severity_level = 3
session = ort.InferenceSession(data, options, ["CPUExecutionProvider"], [{}])
y, = session.run(["y"], {"x": x, "k": k}, run_options)
found = [tuple(info.shape) for info in session.get_inputs()], y, ort.get_device()
"""


def test_a_program_changes_one_import() -> None:
    given = {"data": model("batch").SerializeToString(), "x": X, "k": np.arange(2)}
    ours: dict[str, Any] = {**given, "ort": dlc}
    theirs: dict[str, Any] = {**given, "ort": onnxruntime}
    for names in (ours, theirs):
        exec(PROGRAM, names)
    shapes, y, device = ours["found"]
    assert shapes == theirs["found"][0] == [(2, 4), (2,)]
    np.testing.assert_allclose(y, theirs["found"][1], rtol=0, atol=2 * 16 * 2.0**-24 * 4**0.5)
    assert device in ("CPU", "GPU")


def test_the_enumerations_are_those_of_onnx_runtime() -> None:
    for name in ("GraphOptimizationLevel", "ExecutionMode"):
        theirs = {k: int(v) for k, v in getattr(onnxruntime, name).__members__.items()}
        assert {each.name: each.value for each in getattr(dlc, name)} == theirs
    defaults = onnxruntime.SessionOptions()
    for key in vars_of(dlc.SessionOptions()):
        assert getattr(dlc.SessionOptions(), key) == getattr(defaults, key), key


def vars_of(options: dlc.SessionOptions) -> list[str]:
    """Return the attributes that a user sets."""
    return [each.name for each in fields(options) if each.init]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("enable_profiling", True, "sessions have no profiling"),
        ("optimized_model_filepath", "out.onnx", "sessions write no optimised ONNX model"),
    ],
)
def test_what_sessions_do_not_do_is_refused(key: str, value: object, message: str) -> None:
    for options in (dlc.SessionOptions(), onnxruntime.SessionOptions()):
        setattr(options, key, value)
        with pytest.raises(dlc.CompileError, match=message):
            dlc.InferenceSession(model(2), options)


def test_a_misspelt_option_is_an_error_as_there() -> None:
    options: Any = dlc.SessionOptions()
    with pytest.raises(AttributeError):
        options.intra_op_threads = 2
