"""Models with sizes that nobody has fixed: what is open, and how to give it."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import helper

import dlc
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.importer import import_model
from dlc.option_text import on_command_line
from dlc.registry import new_context

MakeModel = Callable[..., onnx.ModelProto]
MakeValue = Callable[..., onnx.ValueInfoProto]
node = helper.make_node


@pytest.fixture
def exported(make_model: MakeModel, value: MakeValue) -> onnx.ModelProto:
    """Make a model as exporters write ``relu(x).view(x.size(0), -1) @ w``."""
    nodes = [
        node("Relu", ["x"], ["r"], "relu"),
        node("Shape", ["x"], ["s"], "shape"),
        node("Gather", ["s", "zero"], ["n"], "gather"),
        node("Unsqueeze", ["n", "axes"], ["rows"], "unsqueeze"),
        node("Concat", ["rows", "rest"], ["sizes"], "concat", axis=0),
        node("Reshape", ["r", "sizes"], ["flat"], "reshape"),
        node("MatMul", ["flat", "w"], ["y"], "product"),
    ]
    initializers = {
        "zero": np.array(0),
        "axes": np.array([0]),
        "rest": np.array([-1]),
        "w": np.ones((12, 5), np.float32),
    }
    return make_model(nodes, [value("x", ["batch", 3, 2, 2])], initializers=initializers)


def test_the_check_lists_an_open_size_and_how_to_give_it(exported: onnx.ModelProto):
    found = check_model(exported)
    assert not found.problems
    assert [size.given for size in found.open_sizes] == [("batch", "8")]
    assert found.waiting == 3
    with on_command_line():
        lines = list(found.lines())
    assert lines[-3:] == [
        "nothing unsupported",
        "open size batch (axis 0 of input x): give it with --shape batch=8",
        "not all is checked: 3 nodes wait for these sizes; check again with --shape batch=8",
    ]
    given = check_model(exported, {"batch": 4})
    assert (given.open_sizes, given.waiting, given.problems) == ([], 0, [])


def test_an_unsupported_node_behind_an_open_size_is_reported(exported: onnx.ModelProto):
    exported.graph.node.add(op_type="NoSuchOp", input=["flat"], output=["z"], name="odd")
    exported.graph.node.add(op_type="Elu", input=["r"], output=["e"], name="elu").attribute.append(
        helper.make_attribute("slope", 1.0)
    )
    assert [problem.at for problem in check_model(exported).problems] == ["odd", "elu"]


def test_a_compile_is_refused_before_a_node_is_imported(exported: onnx.ModelProto):
    message = (
        r"^the size batch \(axis 0 of input x\) is not fixed; give it with shapes={\"batch\": 8}$"
    )
    with pytest.raises(dlc.CompileError, match=message):
        import_model(exported, None, new_context())


def test_it_compiles_when_the_size_is_given(exported: onnx.ModelProto):
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 2, 2)
    compiled = dlc.compile(exported, target="cpu", shapes={"batch": 2})
    expected = np.maximum(x, 0).reshape(2, -1) @ np.ones((12, 5), np.float32)
    # Twelve terms of at most 1, added in any order.
    np.testing.assert_allclose(compiled.run({"x": x})["y"], expected, rtol=0, atol=12 * 12 * 2**-24)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([None, 3], "the size of axis 0 of input x is not fixed; give it with --shape x=8,3"),
        (["?", 3], "the size of axis 0 of input x is not fixed; give it with --shape x=8,3"),
        (["a b", 3], "give it with --shape 'a b=8'"),
        (["x", 3], "the size x (axis 0 of input x) is not fixed; give it with --shape x=8,3"),
        (
            ["n", "m"],
            "the sizes n (axis 0 of input x), m (axis 1 of input x) are not fixed; "
            "give them with --shape n=8 --shape m=8",
        ),
        (["n", "n"], "the size n (axis 0 of input x) is not fixed; give it with --shape n=8"),
    ],
)
def test_what_is_open_is_named(
    make_model: MakeModel, value: MakeValue, sizes: list[int | str | None], expected: str
):
    model = make_model([node("Relu", ["x"], ["y"])], [value("x", sizes)])
    with pytest.raises(dlc.CompileError) as error, on_command_line():
        import_model(model, None, new_context())
    assert expected in str(error.value)


def test_an_input_that_is_compiled_in_needs_no_size(make_model: MakeModel, value: MakeValue):
    model = make_model([node("Add", ["x", "c"], ["y"])], [value("x", [2, 3]), value("c", ["n", 3])])
    import_model(model, None, new_context(), {"c": np.ones((2, 3), np.float32)})


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("operator", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_a_recurrent_layer_waits_for_its_steps_and_its_batch(
    make_model: MakeModel, value: MakeValue, operator: str, gates: int, axis: int
):
    sizes: list[int | str] = [5, 2, 4]
    sizes[axis] = "n"
    initializers = {
        "w": np.ones((1, gates * 3, 4), np.float32),
        "r": np.ones((1, gates * 3, 3), np.float32),
    }
    layer = node(operator, ["x", "w", "r"], ["y"], "layer", hidden_size=3)
    model = make_model([layer], [value("x", sizes)], initializers=initializers)
    found = check_model(model)
    assert (found.problems, found.waiting) == ([], 1)
    assert check_model(model, {"n": 7}).waiting == 0
