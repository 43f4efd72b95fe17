from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.model_files import model_files

Import = Callable[..., ModuleOp]
OFFSET_BYTES = 100


@pytest.fixture
def external(saved: Path) -> Path:
    """Move the weights of the saved model to ``weights.bin`` beside it."""
    model = onnx.load(saved)
    tensor = model.graph.initializer[0]
    data = bytes(OFFSET_BYTES) + tensor.raw_data
    (saved.parent / "weights.bin").write_bytes(data)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, entry in (("location", "weights.bin"), ("offset", OFFSET_BYTES), ("length", 4096)):
        tensor.external_data.add(key=key, value=str(entry))
    onnx.save(model, saved)
    return saved


def _change(path: Path, key: str, value: str) -> None:
    model = onnx.load(path, load_external_data=False)
    (entry,) = [e for e in model.graph.initializer[0].external_data if e.key == key]
    entry.value = value
    onnx.save(model, path)


def test_it_is_memory_mapped(external: Path, run_import: Import, context: DlcContext):
    run_import(external)
    (symbol,) = context.weights
    array = context.weights.array(symbol)
    assert isinstance(array.base, np.memmap)
    np.testing.assert_array_equal(array, np.arange(1024, dtype=np.float32))


def test_missing_file(external: Path, run_import: Import):
    (external.parent / "weights.bin").unlink()
    with pytest.raises(CompileError, match=r"tensor w: the external file 'weights.bin' is missing"):
        run_import(external)


@pytest.mark.parametrize("location", ["../weights.bin", "/etc/passwd", "a/../../weights.bin", ""])
def test_outside_the_folder(external: Path, run_import: Import, location: str):
    _change(external, "location", location)
    with pytest.raises(CompileError, match="lies outside the model's folder"):
        run_import(external)


def test_null_character(external: Path, run_import: Import):
    _change(external, "location", "weights\0.bin")
    with pytest.raises(CompileError, match=r"'weights\\x00.bin' has a null character in its name"):
        run_import(external)
    assert model_files(external) == {external}


def test_files_of_a_model(external: Path):
    """Tensors of constants and of graphs within the graph are in files too."""
    model = onnx.load(external, load_external_data=False)
    constants = [helper.make_node("Constant", [], [n], n) for n in "ab"]
    for constant, name in zip(constants, ("constant.bin", "inner.bin"), strict=True):
        tensor = TensorProto(data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value=name)
        constant.attribute.append(helper.make_attribute("value", tensor))
    body = helper.make_graph([constants[1]], "body", [], [])
    branch = helper.make_node("If", ["c"], ["d"], then_branch=body)
    model.graph.node.extend([constants[0], branch])
    onnx.save(model, external)
    names = {"model.onnx", "weights.bin", "constant.bin", "inner.bin"}
    assert model_files(external) == {external.parent / name for name in names}
    assert model_files(model) == set()


def test_link_to_outside_the_folder(external: Path, run_import: Import):
    inner = external.parent / "inner"
    inner.mkdir()
    path = external.rename(inner / "model.onnx")
    (inner / "weights.bin").symlink_to(external.parent / "weights.bin")
    with pytest.raises(CompileError, match="lies outside the model's folder"):
        run_import(path)


def test_beyond_the_end(external: Path, run_import: Import):
    _change(external, "offset", "101")
    with pytest.raises(CompileError, match=r"bytes 101 to 4197, goes beyond the end .* 4196 bytes"):
        run_import(external)


@pytest.mark.parametrize("offset", ["-4", "many"])
def test_offset_is_no_number(external: Path, run_import: Import, offset: str):
    _change(external, "offset", offset)
    with pytest.raises(CompileError, match=f"offset is '{offset}', not a number of bytes"):
        run_import(external)


def test_model_in_memory(external: Path, run_import: Import):
    model = onnx.load(external, load_external_data=False)
    with pytest.raises(CompileError, match="give the path of its file"):
        run_import(model)


def test_the_check_finds_missing_data_where_a_size_is_open(
    external: Path,
) -> None:
    # A node that has an open size beside the missing weight waits for no size.
    model = onnx.load(external, load_external_data=False)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    onnx.save(model, external)
    (external.parent / "weights.bin").unlink()
    found = check_model(external)
    assert found.waiting == 0
    (problem,) = found.problems
    assert problem.at == "tensor w"
    assert "the external file 'weights.bin' is missing" in problem.message
