"""IR that was printed and edited becomes an artifact: what is edited is what is compiled."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from dlc.compiler import Options, compile_to
from dlc.compiler.emission import emit
from dlc.core.parser import parse_module
from dlc.core.printer import operation_as_text
from dlc.core.weights import Array
from dlc.errors import CompileError
from dlc.registry import new_context
from dlc.runtime.model import Model
from dlc.tools.dlc_compile import main
from dlc.verification import guarded_model

RANDOM = np.random.default_rng(0)
WEIGHT = (RANDOM.standard_normal((64, 96)) / 8).astype(np.float32)
BIAS = RANDOM.standard_normal(96).astype(np.float32)
X = RANDOM.standard_normal((32, 64)).astype(np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Save a layer: ``y = relu(x @ w + b)``."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"], name="fc"),
        helper.make_node("Add", ["m", "b"], ["a"], name="bias"),
        helper.make_node("Relu", ["a"], ["y"], name="act"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [32, 96])
    weights = [numpy_helper.from_array(WEIGHT, "w"), numpy_helper.from_array(BIAS, "b")]
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    path = tmp_path / "layer.onnx"
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(proto, path)
    return path


def printed(
    model: Path, level: str, search: str | None = None, search_budget: float | None = None
) -> tuple[Path, dict[str, Array]]:
    """Write the text of a level beside the model; return its path and the weights it names."""
    weights: dict[str, Array] = {}
    options = Options(target="cpu", search=search, search_budget=search_budget)
    text = emit(model, options, level, weights=weights)
    path = model.with_suffix(".mlir")
    path.write_text(text)
    return path, weights


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def line_of(path: Path, part: str) -> int:
    lines = path.read_text().split("\n")
    return next(number for number, line in enumerate(lines, 1) if part in line)


def check(artifact: Path) -> None:
    found = Model(artifact).run({"x": X})["y"]
    right = np.maximum(X.astype(np.float64) @ WEIGHT + BIAS, 0)
    products = np.abs(X).astype(np.float64) @ np.abs(WEIGHT) + np.abs(BIAS)
    assert (np.abs(found - right) <= (X.shape[1] + 2) * np.finfo(np.float32).eps * products).all()


@pytest.mark.parametrize("level", ["import", "graph", "fused-group", "loop"])
def test_a_level_becomes_an_artifact(model: Path, level: str) -> None:
    path, weights = printed(model, level)
    for source in (model, weights):
        artifact = model.with_suffix(".so")
        outcome = compile_to(artifact, path, Options(target="cpu", weights_from=source))
        check(artifact)
        whole = source is model or level != "loop"
        assert outcome.checked.startswith("verified: " if whole else "not verified: ")


def test_a_text_says_how_long_was_searched(model: Path) -> None:
    path, _ = printed(model, "loop", search="dp", search_budget=0.0)
    assert 'search_budget = "0.0"' in path.read_text()
    given = Options(target="cpu", weights_from=model)
    outcome = compile_to(model.with_suffix(".so"), path, given)
    assert outcome.checked.startswith("verified: ")


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_ir_without_names_is_verified(tmp_path: Path, target: str) -> None:
    path, artifact = tmp_path / "relu.mlir", tmp_path / "relu.so"
    path.write_text("""
    func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      %0 = graph.relu %x : tensor<4x8xf32> -> tensor<4x8xf32>
      %1 = graph.neg %x : tensor<4x8xf32> -> tensor<4x8xf32>
      func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
    }
    """)
    x = X[:4, :8]
    given = Options(target, verify_inputs={"input0": x}, verify_outputs={"output1": -x})
    assert "compared with the given outputs" in compile_to(artifact, path, given).checked
    with pytest.raises(CompileError, match="output1"):
        compile_to(artifact, path, replace(given, verify_outputs={"output1": x}))


def test_an_edited_schedule_is_compiled(model: Path) -> None:
    path, _ = printed(model, "fused-group")
    (line,) = (line for line in path.read_text().split("\n") if "tile = [" in line)
    before = line[line.index("tile = [") :].split("]")[0] + "]"
    assert before != "tile = [2, 32]"
    edit(path, before, "tile = [2, 32]")
    artifact = model.with_suffix(".so")
    outcome = compile_to(artifact, path, Options(target="cpu", weights_from=model))
    (kernel,) = outcome.report["variants"][0]["kernels"]
    assert kernel["schedule"]["tile"] == [2, 32]
    assert outcome.checked.startswith("verified: ")
    check(artifact)


SCHEDULES = {
    "cpu": {
        "tile = [16, 16, 16]": "tile should be 2 integers",
        "tile = [0, 16]": "tile should be 2 integers",
        "tile = true": "tile should be 2 integers",
        "lanes = 17": "lanes should be 2, 4, 8, 16, 32 or 64, is 17",
        "cores = 3": "cores should be true or false, is 3",
        "cors = true": "cors is unknown; contract on a CPU has tile, lanes, cores",
    },
    "sm_90a": {
        "tile = [64, 64]": "tile should be 3 integers",
        "warps = [0, 2]": "warps should be 2 integers",
        "stages = 0": "stages should be an integer from 1",
        "split = 2.5": "split should be an integer from 1",
        'order = "column"': 'order should be "row" or "grouped<8>", of any number of rows',
        'instruction = "imma"': 'instruction should be "fma" or ',
        "threads = 64": "threads is unknown; contract on a GPU has tile, warps,",
    },
}


@pytest.mark.parametrize(
    ("target", "item", "message"),
    [(target, *item) for target, items in SCHEDULES.items() for item in items.items()],
)
def test_a_wrong_schedule_is_one_located_error(
    model: Path, target: str, item: str, message: str
) -> None:
    path = model.with_suffix(".mlir")
    key = item.split(" = ")[0]
    text = emit(model, Options(target), "fused-group")
    pattern = re.compile(rf"\b{key} = (\[.*?\]|\".*?\"|\w+)")
    text = (
        pattern.sub(item, text) if pattern.search(text) else text.replace("<str", f"<{item}, str")
    )
    path.write_text(text)
    with pytest.raises(CompileError, match=re.escape(f"schedule key {message}")) as caught:
        compile_to(model.with_suffix(".so"), path, Options(target, weights_from=model))
    line = line_of(path, "fused_group.group")
    assert str(caught.value).startswith(f"{path}:{line}:")


def test_a_wrong_edit_of_a_kernel_is_refused(model: Path) -> None:
    path, _ = printed(model, "loop")
    edit(path, "arith.maximumf", "arith.minimumf")
    with pytest.raises(CompileError, match="does not compute what its model means") as caught:
        compile_to(model.with_suffix(".so"), path, Options(target="cpu", weights_from=model))
    line = line_of(path, "loop.kernel")
    assert str(caught.value).startswith(f"loop.kernel at {path}:{line}:3: kernel @")
    assert "fault of dlc" not in str(caught.value)
    assert not model.with_suffix(".so").exists()


def test_the_commands(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, weights = model.with_suffix(".mlir"), model.with_suffix(".npz")
    emitted = ["--target=cpu", "--emit=graph", f"--weights-to={weights}", "-o", str(text)]
    assert main([str(model), *emitted]) == 0
    assert main([str(text), "--target=cpu", f"--weights-from={weights}"]) == 0
    check(model.with_suffix(".so"))
    edit(text, "@w1", "@nothing")
    assert main([str(text), "--target=cpu", f"--weights-from={weights}"]) == 1
    assert f"{text}:{line_of(text, '@nothing')}:" in (error := capfd.readouterr().err)
    assert "weight @nothing should be float32[" in error
    assert "--weights-from lacks it; it must be what the text was made of" in error
    edit(text, "@nothing", "@w1")
    edit(text, "graph.relu", "graph.rleu")
    assert main([str(text), "--target=cpu", f"--weights-from={weights}"]) == 1
    assert f"{text}:{line_of(text, 'graph.rleu')}:" in capfd.readouterr().err


def test_ir_is_for_one_target(model: Path) -> None:
    path, weights = printed(model, "graph")
    options = Options(target="sm_80,sm_90a", weights_from=weights)
    with pytest.raises(CompileError, match="IR is for one target"):
        compile_to(model.with_suffix(".so"), path, options)


def test_weights_are_not_for_models(model: Path) -> None:
    with pytest.raises(CompileError, match=r"weights_from is for IR: a file that ends in .mlir"):
        emit(model, Options(target="cpu", weights_from=model), "graph")


@pytest.mark.parametrize("level", ["graph", "loop"])
def test_wishes_for_a_text(model: Path, level: str, tmp_path: Path) -> None:
    path, weights = printed(model, level)
    wrong = Options("cpu", verify_inputs={"q": X}, weights_from=weights)
    message = "there is no input q" if level == "graph" else "verify_inputs have no effect: ker"
    with pytest.raises(CompileError, match=message):
        compile_to(tmp_path / "out.so", path, wrong)
    other = Options("cpu", verify="onnxruntime", weights_from=weights)
    with pytest.raises(CompileError, match="'onnxruntime' runs an ONNX model, this is IR"):
        compile_to(tmp_path / "out.so", path, other)


@pytest.mark.parametrize("level", ["import", "graph", "fused-group"])
def test_locations_are_printed_and_read_back(model: Path, level: str) -> None:
    text = emit(model, Options(target="cpu"), level, locations=True)
    for node in ("fc", "bias", "act"):
        assert f'loc("{node}")' in text
    module = parse_module(text, new_context())
    again = operation_as_text(module, locations=True)
    named = re.compile(r'^.* loc\("(?:fc|bias|act|w|b)"\)$', re.MULTILINE)
    assert named.findall(again) == named.findall(text)


def test_import_is_the_graph_before_optimisation(model: Path) -> None:
    double = onnx.load(model)
    double.graph.output[0].name = "z"
    del double.graph.node[:]
    double.graph.node.extend(
        [
            helper.make_node("Transpose", ["x"], ["t"], perm=[0, 1]),
            helper.make_node("MatMul", ["t", "w"], ["z"]),
        ]
    )
    before, after = (emit(double, Options(target="cpu"), level) for level in ("import", "graph"))
    assert "graph.transpose" in before
    assert "graph.transpose" not in after


def open_model(model: Path) -> Path:
    """Save the layer with a batch whose size is open."""
    proto = onnx.load(model)
    for info in (*proto.graph.input, *proto.graph.output):
        info.type.tensor_type.shape.dim[0].dim_param = "batch"
    path = model.with_name("open.onnx")
    onnx.save(proto, path)
    return path


def test_a_text_brings_its_sizes(model: Path) -> None:
    source, artifact = open_model(model), model.with_suffix(".so")
    path = model.with_suffix(".mlir")
    path.write_text(emit(source, Options("cpu", shapes={"batch": 32}), "fused-group"))
    compile_to(artifact, path, Options("cpu", weights_from=source))
    check(artifact)
    compile_to(artifact, path, Options("cpu", weights_from=source, shapes={"batch": [32]}))
    given = Options("cpu", weights_from=source, shapes={"batch": 4})
    with pytest.raises(CompileError, match="a text keeps its sizes: print it again") as caught:
        compile_to(artifact, path, given)
    assert caught.value.at == str(path)


def test_sizes_for_a_text_that_a_person_wrote_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "relu.mlir"
    path.write_text("""
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    """)
    with pytest.raises(CompileError, match="a text keeps its sizes; shapes has no effect"):
        compile_to(tmp_path / "relu.so", path, Options("cpu", shapes={"input0": [8]}))


def test_weights_of_another_model_are_refused(model: Path) -> None:
    path, _ = printed(model, "fused-group")
    proto = onnx.load(model)
    other = numpy_helper.from_array(WEIGHT + 1, "w")
    proto.graph.initializer[0].CopyFrom(other)
    with pytest.raises(CompileError, match="was made of another model than that of weights_from"):
        compile_to(model.with_suffix(".so"), path, Options("cpu", weights_from=proto))


def test_weights_for_another_target_or_precision_are_refused(model: Path) -> None:
    path, _ = printed(model, "graph")
    artifact = model.with_suffix(".so")
    with pytest.raises(CompileError, match="was made with target cpu, this is sm_90a; give"):
        compile_to(artifact, path, Options("sm_90a", weights_from=model))
    with pytest.raises(CompileError, match="was made with precision fp32, this is fp16; give"):
        compile_to(artifact, path, Options("cpu", "fp16", weights_from=model))


def test_a_text_of_another_precision_is_refused_with_weights_by_themselves(model: Path) -> None:
    path, weights = printed(model, "fused-group")
    artifact = model.with_suffix(".so")
    with pytest.raises(CompileError, match="was made with precision fp32, this is fp16; give"):
        compile_to(artifact, path, Options("cpu", "fp16", weights_from=weights))
    assert not artifact.exists()


def test_weights_of_another_shape_are_refused(model: Path) -> None:
    path, weights = printed(model, "graph")
    symbol = next(name for name, array in weights.items() if array.ndim == 2)
    weights[symbol] = weights[symbol][1:]
    with pytest.raises(CompileError, match=r"should be float32\[.*weights_from has is float32"):
        compile_to(model.with_suffix(".so"), path, Options("cpu", weights_from=weights))
    with pytest.raises(CompileError, match=r"is not there; give the model or the weights"):
        compile_to(model.with_suffix(".so"), path, Options("cpu"))


def test_a_kernel_that_crashes_is_one_error(
    model: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = printed(model, "loop")
    place = model.parent / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    text, count = re.subn(r"(loop.store .*\[)", r"\g<1>1000000000 + ", path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    before = sorted(model.parent.iterdir())
    artifact = path.with_suffix(".so")
    assert main([str(path), "--target=cpu", f"--weights-from={model}", f"-o{artifact}"]) == 1
    (line,) = (x for x in capfd.readouterr().err.splitlines() if "error" in x)
    assert re.search(
        r"layer.mlir:\d+:\d+: kernel @\w+ .*fc.*: kernel \w+ crashed \(SIGSEGV\)", line
    )
    assert sorted(model.parent.iterdir()) == before
    assert not list(place.iterdir())


ENDLESS = r"""
  loop.for %long = 0 to 2000000000 kind = reduction map = serial {
    loop.for %longer = 0 to 2000000000 kind = reduction map = serial {
      %before = loop.load \2\3 : \5 -> \4
      %more = arith.addf \1, %before : \4
      loop.store %more, \2\3 : \4 -> \5
      loop.yield
    }
    loop.yield
  }
"""
"""A store as four centuries of additions."""


def test_a_kernel_that_does_not_end_is_one_error(
    model: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = printed(model, "loop")
    store = r"loop.store (%\w+), (%\w+)(\[.*\]) : (\w+) -> (memref<\S*>)"
    text, count = re.subn(store, ENDLESS, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    monkeypatch.setattr(guarded_model, "_SECONDS", 1)
    artifact = path.with_suffix(".so")
    assert main([str(path), "--target=cpu", f"--weights-from={model}", f"-o{artifact}"]) == 1
    (line,) = (x for x in capfd.readouterr().err.splitlines() if "error" in x)
    assert re.search(r"kernel @\w+ .*fc.*: kernel \w+ did not end within 1\.\d* s", line)
    assert not artifact.exists()
