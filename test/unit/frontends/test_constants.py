"""Values of inputs that are compiled in, as a user writes them."""

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import dlc
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.constants import read_constants
from dlc.tools import dlc_compile

MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node


@pytest.fixture
def looping(make_model: MakeModel) -> onnx.ModelProto:
    """Make ``x`` doubled ``n`` times, which the file does not say."""
    body = helper.make_graph(
        [
            node("Identity", ["going"], ["on"]),
            node("Add", ["carried", "carried"], ["doubled"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            helper.make_tensor_value_info("carried", TensorProto.FLOAT, [2, 3]),
        ],
        [onnx.ValueInfoProto(name="on"), onnx.ValueInfoProto(name="doubled")],
    )
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3]),
        helper.make_tensor_value_info("n", TensorProto.INT64, []),
    ]
    return make_model([node("Loop", ["n", "", "x"], ["y"], "loop", body=body)], inputs)


def test_the_message_names_the_option(looping: onnx.ModelProto):
    with pytest.raises(dlc.CompileError) as error:
        dlc.compile(looping, target="cpu")
    assert str(error.value) == (
        "loop: the trip count of Loop must be known when compiling, but depends on n;"
        ' give the value with constants={"n": ...}'
    )
    assert [str(problem) for problem in check_model(looping).problems] == [str(error.value)]


@pytest.mark.parametrize("written", ["5", "@count.npy"])
def test_a_constant_on_the_command_line(
    looping: onnx.ModelProto, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    onnx.save(looping, "model.onnx")
    np.save("count.npy", np.array(5))
    arguments = ["model.onnx", "--constant", f"n={written}"]
    assert dlc_compile.main([*arguments, "--check"]) == 0
    assert dlc_compile.main([*arguments, "--target", "cpu"]) == 0
    model, x = dlc.load("model.so"), np.ones((2, 3), np.float32)
    assert [i.name for i in model.inputs] == ["x"]
    np.testing.assert_array_equal(model.run({"x": x})["y"], 32 * x)


def test_a_file_of_bfloat16(make_model: MakeModel, tmp_path: Path):
    value = np.array([0.5, -3], ml_dtypes.bfloat16)
    np.save(tmp_path / "k.npy", value)
    inputs = [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, [2])]
    model = make_model([node("Relu", ["x"], ["y"])], inputs)
    found = read_constants({"x": f"@{tmp_path / 'k.npy'}"}, model)["x"]
    assert found.dtype == value.dtype
    np.testing.assert_array_equal(found, value)


def test_values_are_for_inputs_of_the_model(looping: onnx.ModelProto):
    with pytest.raises(dlc.CompileError, match="the model has no input m; it has x, n"):
        dlc.compile(looping, target="cpu", constants={"m": np.array(5)})


def test_numbers_take_the_type_of_the_input(make_model: MakeModel):
    kinds = {"b": TensorProto.BOOL, "i": TensorProto.INT32, "f": TensorProto.FLOAT16}
    inputs = [helper.make_tensor_value_info(name, kind, [1]) for name, kind in kinds.items()]
    model = make_model([node("Relu", ["x"], ["y"])], inputs)
    found = read_constants({"b": "true", "i": "-3", "f": "0.5"}, model)
    assert [x.dtype for x in found.values()] == [np.bool_, np.int32, np.float16]
    assert [x.tolist() for x in found.values()] == [[True], [-3], [0.5]]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"m": "5"}, "the model has no input m; it has x, n"),
        ({"n": "five"}, "constant n: 'five' is no value of int64"),
        ({"n": "5.0"}, "constant n: '5.0' is no value of int64"),
        ({"n": str(1 << 63)}, "constant n: 9223372036854775808 is out of the range of int64"),
        ({"n": "@absent.npy"}, "constant n: cannot read absent.npy: no such file or directory"),
        ({"n": "@text.npy"}, "constant n: text.npy is not an .npy file of a plain array"),
        ({"n": "@objects.npy"}, "constant n: objects.npy is not an .npy file of a plain array"),
        ({"n": "@floats.npy"}, "input n: its value is float64, should be int64"),
        ({"n": "1,2"}, "input n: its value has shape 2, should be scalar"),
    ],
)
def test_what_cannot_be_compiled_in(
    looping: onnx.ModelProto,
    written: dict[str, str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    Path("text.npy").write_text("5")
    np.save("objects.npy", np.array([{}]), allow_pickle=True)
    np.save("floats.npy", np.array(5.0))
    with pytest.raises(dlc.CompileError) as error:
        dlc.compile(looping, target="cpu", constants=read_constants(written, looping))
    assert str(error.value) == message
