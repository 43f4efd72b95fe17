from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import load_model

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]


def test_missing_file(tmp_path: Path):
    with pytest.raises(CompileError, match=r"absent\.onnx: cannot read the file: no such file"):
        load_model(tmp_path / "absent.onnx")


def test_folder(tmp_path: Path):
    with pytest.raises(CompileError, match="cannot read the file: is a directory"):
        load_model(tmp_path)


@pytest.mark.parametrize("kept", [1, 40, 200, 4000])
def test_truncated_file(saved: Path, kept: int):
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(CompileError, match=rf"the file is truncated: it ends at byte {kept}"):
        load_model(saved)


@pytest.mark.parametrize(
    "content",
    [b"", b"hello, this is a text\n", b"\x89PNG\r\n\x1a\n" + bytes(100), b"\x7fELF" * 20],
    ids=["empty", "text", "png", "elf"],
)
def test_not_an_onnx_file(tmp_path: Path, content: bytes):
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(CompileError, match="this is not an ONNX model"):
        load_model(path)


def test_every_error_is_one_line(tmp_path: Path):
    path = tmp_path / "model.onnx"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(CompileError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("opset", "message"),
    [
        (9999, "opset 9999 is newer than"),
        (6, "opset 6 is older than 7, and onnx cannot convert it: "),
    ],
)
def test_opset_out_of_range(make_model: MakeModel, opset: int, message: str):
    model = make_model([helper.make_node("NotAnOperator", ["x"], ["y"])], opset=opset)
    with pytest.raises(CompileError, match=message):
        load_model(model)


def test_older_opsets_are_converted(make_model: MakeModel, tmp_path: Path):
    # Before opset 7 broadcasting was an attribute; the weight is large enough to stay in the file.
    weight = np.arange(2, dtype=np.float32).repeat(2048)
    nodes = [
        helper.make_node("MatMul", ["x", "v"], ["a"]),
        helper.make_node("Add", ["a", "w"], ["y"], broadcast=1, axis=1),
    ]
    model = make_model(
        nodes, opset=6, initializers={"v": np.ones((3, 4096), np.float32), "w": weight}
    )
    path = tmp_path / "old.onnx"
    onnx.save(model, path)
    for loaded in (load_model(path), load_model(model)):
        assert loaded.opsets[""] == 7
        assert not loaded.proto.graph.node[-1].attribute
        _, kept = loaded.proto.graph.initializer
        np.testing.assert_array_equal(numpy_helper.to_array(kept), weight)


def test_newer_ir_version(make_model: MakeModel):
    model = make_model([helper.make_node("Relu", ["x"], ["y"])])
    model.ir_version = 9999
    with pytest.raises(CompileError, match="IR version 9999 is newer than"):
        load_model(model)


def test_embedded_weights_stay_in_the_file(saved: Path, run_import: Import, context: DlcContext):
    run_import(saved)
    (symbol,) = context.weights
    array = context.weights.array(symbol)
    assert isinstance(array.base, np.memmap)
    np.testing.assert_array_equal(array, np.arange(1024, dtype=np.float32))


def test_a_weight_of_negative_size(make_model: MakeModel, run_import: Import):
    add = helper.make_node("Add", ["x", "w"], ["y"])
    model = make_model([add], initializers={"w": np.ones((2, 3), np.float32)})
    model.graph.initializer[0].dims[0] = -2
    with pytest.raises(CompileError, match=r"^tensor w: the shape \[-2, 3\] has a negative size$"):
        run_import(model)


def test_embedded_data_of_the_wrong_length(saved: Path, run_import: Import):
    model = onnx.load(saved)
    model.graph.initializer[0].dims[0] = 1023
    onnx.save(model, saved)
    with pytest.raises(CompileError, match=r"shape \[1023\] takes 4092 bytes, its data has 4096"):
        run_import(saved)


@pytest.mark.parametrize("source", [b"\x08\x0a", None, 3], ids=["bytes", "none", "number"])
def test_neither_path_nor_model(source: object):
    with pytest.raises(CompileError, match="give the path of an ONNX file or a ModelProto"):
        load_model(source)  # pyright: ignore[reportArgumentType]  (wrong on purpose)


def test_a_name_that_is_not_utf8(tmp_path: Path, make_model: Callable[..., onnx.ModelProto]):
    model = make_model([helper.make_node("Relu", ["x"], ["y"], "first")])
    for part in (b"first", b"Relu"):
        path = tmp_path / "model.onnx"
        path.write_bytes(model.SerializeToString().replace(part, b"\xff" * len(part)))
        with pytest.raises(CompileError, match=r"the name b'(\\xff)+' in the model is not UTF-8$"):
            load_model(path)
