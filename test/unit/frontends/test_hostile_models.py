"""Models made to take for ever, or to trip what reads them: one line says what is wrong."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from dlc.errors import CompileError, printable
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.limits import MOST_ELEMENTS, MOST_NODES
from dlc.registry import new_context
from dlc.tools import dlc_compile

MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node
ONE = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])


def refusal(model: onnx.ModelProto | Path) -> str:
    """Return what an import says; the check says the same."""
    with pytest.raises(CompileError) as error:
        import_model(model, None, new_context())
    assert str(error.value) in [str(problem) for problem in check_model(model).problems]
    return str(error.value)


@pytest.mark.parametrize("size", [MOST_ELEMENTS + 1, 1 << 40, 1 << 62, (1 << 63) - 1])
@pytest.mark.parametrize(
    ("op_type", "inputs"),
    [
        ("Expand", ["x", "n"]),
        ("Tile", ["x", "n"]),
        ("ConstantOfShape", ["n"]),
        ("Pad", ["x", "pads"]),
        ("Range", ["zero", "count", "one"]),
        ("HannWindow", ["count"]),
        ("OneHot", ["zero", "count", "pair"]),
    ],
)
def test_too_many_elements(make_model: MakeModel, op_type: str, inputs: list[str], size: int):
    values = {
        "n": np.array([size]),
        "pads": np.array([0, size - 1]),
        "count": np.array(size),
        "zero": np.array(0),
        "one": np.array(1),
        "pair": np.array([0, 1], np.float32),
    }
    model = make_model([node(op_type, inputs, ["y"], "large")], [ONE], initializers=values)
    message = refusal(model)
    assert message.startswith("large: a tensor of shape [")
    assert " elements; at most " in message


def test_functions_that_double(make_model: MakeModel):
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("o", 1)]
    functions = [
        helper.make_function("o", "F0", ["a"], ["b"], [node("Neg", ["a"], ["b"])], imports)
    ]
    for i in range(1, 31):
        body = [
            node(f"F{i - 1}", ["a"], ["c"], domain="o"),
            node(f"F{i - 1}", ["c"], ["b"], domain="o"),
        ]
        functions.append(helper.make_function("o", f"F{i}", ["a"], ["b"], body, imports))
    model = make_model(
        [node("F30", ["x"], ["y"], domain="o")], functions=functions, domains={"o": 1}
    )
    assert f"the model has more than {MOST_NODES} nodes" in refusal(model)


def test_functions_that_call_themselves(make_model: MakeModel):
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("o", 1)]
    body = [node("R", ["a"], ["c"], domain="o"), node("R", ["c"], ["b"], domain="o")]
    functions = [helper.make_function("o", "R", ["a"], ["b"], body, imports)]
    model = make_model([node("R", ["x"], ["y"], domain="o")], functions=functions, domains={"o": 1})
    assert refusal(model) == "model: functions must not call themselves: o.R"


def stored(dims: Sequence[int]) -> TensorProto:
    return TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims, float_data=[1.0])


@pytest.mark.parametrize(
    "dims", [[1] * 102, [-1], [1 << 32, 1 << 32], [1 << 62, 4], [1 << 40], [0, 1 << 62]]
)
def test_shapes_of_initializers(make_model: MakeModel, dims: list[int]):
    model = make_model([node("Identity", ["w"], ["y"])])
    model.graph.initializer.append(stored(dims))
    assert "tensor w: " in refusal(model)


@pytest.mark.parametrize("dims", [[1] * 102, [-4], [1 << 40], [1 << 62, 4]])
def test_shapes_of_sparse_initializers(make_model: MakeModel, dims: list[int]):
    model = make_model([node("Identity", ["w"], ["y"])])
    sparse = model.graph.sparse_initializer.add(dims=dims)
    sparse.values.CopyFrom(numpy_helper.from_array(np.ones(1, np.float32), "w"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.zeros(1, np.int64)))
    assert "tensor w: " in refusal(model)


def test_too_many_axes_are_made(make_model: MakeModel):
    values = {"n": np.ones(102, np.int64)}
    model = make_model([node("Reshape", ["x", "n"], ["y"])], [ONE], initializers=values)
    assert "a tensor of 102 axes; at most 64 are supported" in refusal(model)


@pytest.mark.parametrize(
    ("entry", "text", "message"),
    [
        ("offset", "9" * 5000, "the external data's offset is '99999999999999999999', not a numb"),
        ("offset", str(1 << 62), "goes beyond the end of"),
        ("offset", "-4", "the external data's offset is '-4', not a number of bytes"),
        ("offset", "\u0663", "not a number of bytes"),
        ("location", "loop", "the external file 'loop' is missing"),
        ("location", "pipe", "the external file 'pipe' is missing"),
        ("location", "../w.bin", "lies outside the model's folder"),
    ],
)
def test_places_of_external_data(
    make_model: MakeModel, tmp_path: Path, entry: str, text: str, message: str
):
    (tmp_path / "w.bin").write_bytes(bytes(64))
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    model = make_model([node("Identity", ["w"], ["y"])])
    tensor = model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[1])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": "w.bin", "length": "4", entry: text}.items():
        tensor.external_data.add(key=key, value=value)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    assert message in refusal(path)


def test_a_pipe_as_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    os.mkfifo(tmp_path / "model.onnx")
    assert "no ordinary file" in refusal(tmp_path / "model.onnx")
    assert dlc_compile.main([str(tmp_path / "model.onnx")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_link_to_itself_as_a_model(tmp_path: Path):
    (tmp_path / "model.onnx").symlink_to("model.onnx")
    assert "cannot read the file: too many levels of symbolic links" in refusal(
        tmp_path / "model.onnx"
    )


def test_control_characters_are_shown_as_escapes(
    make_model: MakeModel, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    name = "na\x1b[31m\nme\x9b\u202e"
    model = make_model([node(f"Nope{name}", ["x"], ["y"], name, doc_string=name)])
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    for arguments in (["--check"], ["--target", "cpu"]):
        assert dlc_compile.main([str(path), *arguments]) == 1
    shown = "".join(capfd.readouterr())
    assert "na\\x1b[31m\\nme\\x9b\\u202e" in shown
    assert all(line.isprintable() for line in shown.split("\n"))


def test_what_is_printable_stays():
    assert printable("gr\u00f6\u00dfe \\ ok") == "gr\u00f6\u00dfe \\ ok"


def test_an_attribute_of_bad_data(make_model: MakeModel):
    made = node("Constant", [], ["y"], "one")
    made.attribute.append(
        AttributeProto(name="value", type=AttributeProto.TENSOR, t=stored([2, 2]))
    )
    assert refusal(make_model([made])).startswith("one: ")
