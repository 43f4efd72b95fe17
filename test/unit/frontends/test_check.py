from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.findings import Problem
from dlc.tools import dlc_compile

MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node


def test_supported_model(make_model: MakeModel):
    assert check_model(make_model([node("Relu", ["x"], ["y"])])).problems == []


def test_all_problems_at_once(make_model: MakeModel):
    nodes = [
        node("NoSuchOp", ["x"], ["a"], "first"),
        node("Relu", ["x"], ["b"], "attribute", slope=1.0),
        node("Add", ["b", "w"], ["c"], "types"),
        node("Other", ["c"], ["y"], "last", domain="com.example"),
    ]
    model = make_model(nodes, initializers={"w": np.arange(3)}, domains={"com.example": 3})
    problems = {p.at: p.message for p in check_model(model).problems}
    assert list(problems) == ["first", "attribute", "types", "last"]
    assert problems["first"] == "ONNX has no operator NoSuchOp in ai.onnx 21"
    assert problems["attribute"].startswith("unrecognized attribute: slope")
    assert problems["types"].startswith(
        "Add takes one type for its inputs A and B, not float32 and "
    )
    assert problems["last"].startswith("operator Other of com.example is a custom operator")


def test_inputs_of_no_type_do_not_hide_the_rest(make_model: MakeModel):
    inputs = [
        helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3]),
        helper.make_tensor_value_info("words", onnx.TensorProto.STRING, [1]),
        helper.make_tensor_value_info("tiny", onnx.TensorProto.INT4, [1]),
    ]
    nodes = [
        node("Identity", ["words"], ["a"], "of_words"),
        node("NoSuchOp", ["x"], ["y"], "bad"),
    ]
    found = check_model(make_model(nodes, inputs), {"tiny": [1], "x": [2, 3]}).problems
    assert [p.at for p in found] == ["input words", "input tiny", "bad"]


def test_unknown_name_of_a_shape(make_model: MakeModel):
    (problem,) = check_model(make_model([node("Relu", ["x"], ["y"])]), {"z": [2, 3]}).problems
    assert problem.message.startswith("the model has no input z")


def test_nothing_is_reported_for_what_depends_on_an_unknown_value(make_model: MakeModel):
    nodes = [node("NoSuchOp", ["x"], ["a"], "bad"), node("Exp", ["a"], ["y"], "good")]
    assert [p.at for p in check_model(make_model(nodes)).problems] == ["bad"]


def test_unsupported_operator_behind_an_unknown_value(make_model: MakeModel):
    nodes = [node("NoSuchOp", ["x"], ["a"], "bad"), node("NorThis", ["a"], ["y"], "worse")]
    assert [p.at for p in check_model(make_model(nodes)).problems] == ["bad", "worse"]


def test_it_goes_on_with_inferred_types(make_model: MakeModel):
    nodes = [
        node("Relu", ["x"], ["a"], "attribute", slope=1.0),
        node("Add", ["a", "w"], ["y"], "shapes"),
    ]
    model = make_model(nodes, initializers={"w": np.ones((4, 3), np.float32)})
    assert [p.at for p in check_model(model).problems] == ["attribute", "shapes"]


@pytest.mark.parametrize("operator", ["EyeLike", "RegexFullMatch"])
def test_an_input_without_a_type(
    make_model: MakeModel, operator: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    """The shape inference of onnx 1.23 for whole models reads the type of any input unasked."""
    path = tmp_path / "model.onnx"
    model = make_model([node(operator, ["x"], ["y"])], [onnx.ValueInfoProto(name="x")])
    path.write_bytes(model.SerializeToString())
    assert dlc_compile.main([str(path), "--check"]) == 1
    assert "input x: only tensors are supported, this is without a type" in capfd.readouterr().out


def test_missing_file():
    (problem,) = check_model(Path("absent.onnx")).problems
    assert problem.at == "absent.onnx"
    assert str(Problem(None, "text")) == "text"
