"""Names of any characters: given and read as the ONNX file has them; no terminal obeys them."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import dlc
from dlc.backends.host.c_text import c_string
from dlc.core.array_files import write_arrays
from dlc.tools import dlc_compile, dlc_run

X = np.arange(6, dtype=np.float32).reshape(2, 3)
SIZE, RESULT, BELL = "größe", "结果", 'bell \x1b[2J\r"\\'


@pytest.fixture
def onnx_file(tmp_path: Path) -> Path:
    """A model ``结果 = -größe``, of a symbolic size, and ``r = -bell``."""
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Neg", [SIZE], [RESULT], BELL), helper.make_node("Neg", [BELL], ["r"])],
        "names",
        [value(SIZE, TensorProto.FLOAT, ["Länge", 3]), value(BELL, TensorProto.FLOAT, [2, 3])],
        [value(RESULT, TensorProto.FLOAT, None), value("r", TensorProto.FLOAT, None)],
    )
    path = tmp_path / "names.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


@pytest.mark.parametrize("shape", [f"{SIZE}=2,3", "Länge=2"])
def test_commands_take_the_names_of_the_file(
    onnx_file: Path, tmp_path: Path, shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    artifact, given, results = (tmp_path / x for x in ("m.so", "in.npz", "out.npz"))
    arguments = [str(onnx_file), "--target", "cpu", "-o", str(artifact), "--shape", shape]
    assert dlc_compile.main(arguments) == 0
    write_arrays(given, {SIZE: X, BELL: X})
    array = tmp_path / "x.npy"
    np.save(array, X)
    for feeds in (["--inputs", str(given)], ["--input", f"{SIZE}={array}", "--random"]):
        assert dlc_run.main([str(artifact), *feeds, "--outputs", str(results)]) == 0
        np.testing.assert_array_equal(np.load(results)[RESULT], -X)
    assert dlc_run.main([str(artifact), "--explain"]) == 0
    assert dlc_run.main([str(artifact)]) == 0
    printed = capsys.readouterr()
    for line in (printed.out + printed.err).split("\n"):
        assert line.isprintable()
    assert f"  {SIZE}: float32[2, 3]" in printed.out
    assert dlc_run.main([str(artifact), "--json"]) == 0
    listing = json.loads(capsys.readouterr().out)
    assert list(listing["inputs"]) == [SIZE, BELL]
    assert list(listing["outputs"]) == [RESULT, "r"]


def test_python_takes_and_gives_the_names_of_the_file(onnx_file: Path) -> None:
    model = dlc.compile(onnx_file, target="cpu", shapes={SIZE: [2, 3]})
    assert [x.name for x in model.inputs] == [SIZE, BELL]
    results = model.run({SIZE: X, BELL: 2 * X})
    np.testing.assert_array_equal(results[RESULT], -X)
    np.testing.assert_array_equal(results["r"], -2 * X)
    with pytest.raises(dlc.CompileError, match=SIZE) as error:
        model.run({BELL: X})
    assert str(error.value).isprintable()


def test_errors_name_the_input_as_the_file_does(
    onnx_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dlc_compile.main([str(onnx_file), "--target", "cpu", "--shape", f"{SIZE}=2"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"input {SIZE}: the shape [2] needs 2 axes" in last
    assert dlc_compile.main([str(onnx_file), "--check", "--json", "-"]) == 0
    assert "Länge" in json.dumps(json.loads(capsys.readouterr().out), ensure_ascii=False)


def test_edited_text_keeps_the_names(onnx_file: Path, tmp_path: Path) -> None:
    text, artifact = tmp_path / "edited.mlir", tmp_path / "edited.so"
    shape = ["--target", "cpu", "--shape", f"{SIZE}=2,3"]
    emit = [str(onnx_file), *shape, "--emit", "loop", "--locations", "-o", str(text)]
    assert dlc_compile.main(emit) == 0
    again = [str(text), *shape, "--weights-from", str(onnx_file), "-o", str(artifact)]
    assert dlc_compile.main(again) == 0
    assert [x.name for x in dlc.load(artifact).inputs] == [SIZE, BELL]


def test_a_terminal_without_the_characters_gets_escapes(
    onnx_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(written, "ascii", write_through=True))
    assert dlc_compile.main([str(onnx_file), "--target", "cpu", "--shape", f"{SIZE}=2"]) == 1
    assert rb"input gr\xf6\xdfe: the shape [2] needs 2 axes" in written.getvalue()


def test_a_c_string_holds_each_character() -> None:
    assert c_string(SIZE) == r'"gr\303\266\303\237e"'
    assert c_string(BELL + "\n?") == r'"bell \033[2J\015\042\134\012\077"'
