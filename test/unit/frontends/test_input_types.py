from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp, TensorType

from dlc.analysis.entry import find_main, input_names
from dlc.core.context import DlcContext
from dlc.core.parser import DlcParser, parse_module
from dlc.core.printer import operation_as_text
from dlc.dialects.graph.sizes import SizesAttr
from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.importer import import_model
from dlc.registry import new_context

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]
MakeValue = Callable[..., onnx.ValueInfoProto]
node = helper.make_node


@pytest.fixture
def two_inputs(make_model: MakeModel, value: MakeValue) -> onnx.ModelProto:
    """Make ``y = a + b`` for two inputs of ``batch`` rows and an unnamed number of columns."""
    sizes = ["batch", None]
    return make_model([node("Add", ["a", "b"], ["y"])], [value("a", sizes), value("b", sizes)])


def test_symbolic_sizes_stay_named(
    two_inputs: onnx.ModelProto, run_import: Import, context: DlcContext
):
    text = str(run_import(two_inputs))
    assert 'tensor<?x?xf32, #graph.sizes<"batch", ?>> {graph.name = "a"}' in text
    again = DlcParser(context, text).parse_module()
    again.verify()
    assert str(again) == text


def test_one_input_fixes_a_symbol_for_all(two_inputs: onnx.ModelProto, run_import: Import):
    text = str(run_import(two_inputs, {"a": [4, 5]}))
    assert 'tensor<4x5xf32> {graph.name = "a"}' in text
    assert 'tensor<4x?xf32> {graph.name = "b"}' in text


def test_symbol_by_its_name(two_inputs: onnx.ModelProto, run_import: Import):
    assert 'tensor<4x?xf32> {graph.name = "b"}' in str(run_import(two_inputs, {"batch": [4]}))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"a": [4, 5], "b": [3, 5]}, "input b: the size batch cannot be both 4 and 3"),
        ({"a": [4]}, r"input a: the shape \[4\] needs 2 axes"),
        ({"a": [4, -1]}, r"input a: the shape \[4, -1\] has the size -1; give 1 or more"),
        (
            {"a": [0, 2]},
            r"shape \[0, 2\] has the size 0; give 1 or more, or export the model without it",
        ),
        ({"batch": [-1]}, "the size batch is -1; give 1 or more"),
        ({"batch": 0}, "the size batch is 0; give 1 or more"),
        ({"c": [4, 5]}, "the model has no input or size c; it has a, b, and the sizes batch"),
        ({"batch": [4, 5]}, "the size batch takes one number, got 2"),
        ({"a": [4, 5], "b": [4, 6]}, "sizes .5, 6. differ"),
    ],
)
def test_shapes_that_do_not_fit(
    two_inputs: onnx.ModelProto, run_import: Import, shapes: dict[str, list[int]], message: str
):
    with pytest.raises(CompileError, match=message):
        run_import(two_inputs, shapes)


def test_fixed_size_can_be_changed(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["x"], ["y"])])
    assert "tensor<8x3xf32>" in str(run_import(model, {"x": [8, 3]}))


def test_fixed_size_that_the_graph_does_not_let_change(make_model: MakeModel, run_import: Import):
    weight = np.ones((2, 3), np.float32)
    model = make_model([node("Add", ["x", "w"], ["y"], "sum")], initializers={"w": weight})
    with pytest.raises(CompileError, match=r"sum: .*the file fixes the shape of x, shapes chang"):
        run_import(model, {"x": [8, 3]})


def test_unknown_shape(make_model: MakeModel, value: MakeValue, run_import: Import):
    model = make_model([node("Relu", ["x"], ["y"])], [value("x", None)])
    with pytest.raises(
        CompileError, match=r'its shape is not known; give it with shapes=."x": ...'
    ):
        run_import(model)
    assert "tensor<8x3xf32>" in str(run_import(model, {"x": [8, 3]}))


@pytest.mark.parametrize("kind", ["STRING", "FLOAT8E4M3FN", "COMPLEX64"])
def test_element_type(make_model: MakeModel, value: MakeValue, run_import: Import, kind: str):
    declared = value("x")
    declared.type.tensor_type.elem_type = onnx.TensorProto.DataType.Value(kind)
    model = make_model([node("Identity", ["x"], ["y"])], [declared])
    message = f"input x: element type {kind.lower()} is not supported"
    with pytest.raises(CompileError, match=message):
        run_import(model)


def test_initializers_that_are_also_inputs(
    make_model: MakeModel, value: MakeValue, run_import: Import
):
    nodes = [node("Add", ["x", "w"], ["y"])]
    model = make_model(nodes, [value("x"), value("w")], initializers={"w": np.ones((2, 3), "f")})
    text = str(run_import(model))
    assert 'graph.name = "x"' in text
    assert 'graph.name = "w"' not in text


def test_names_are_kept_and_read_back_from_text(
    make_model: MakeModel, value: MakeValue, run_import: Import, context: DlcContext
):
    name, symbol = 'größe "\\ \x1b[2J\r', "Länge\n\x7f"
    model = make_model([node("Relu", [name], ["y"])], [value(name, [symbol, 3])])
    module = import_model(model, None, context, open_sizes=True)
    text = operation_as_text(module)
    assert text.isascii()
    assert all(line.isprintable() for line in text.splitlines())
    for found in (module, parse_module(text, context)):
        main = find_main(found)
        assert input_names(main) == [name]
        type = main.function_type.inputs.data[0]
        assert isinstance(type, TensorType)
        assert type.encoding == SizesAttr.of([symbol, 3])


def test_a_name_that_c_could_not_hold_is_refused(
    make_model: MakeModel, value: MakeValue, run_import: Import
):
    model = make_model([node("Relu", ["a\0b"], ["y"])], [value("a\0b")])
    with pytest.raises(CompileError, match=r"the name a\\x00b has a NUL character; rename it"):
        run_import(model)
    assert "NUL" in str(check_model(model).problems[0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"c": np.ones((4, 5), np.float32)}, "the model has no input c; it has a, b"),
        ({"b": np.ones((4, 5))}, "input b: its value is float64, should be float32"),
        ({"b": np.ones((3, 5), np.float32)}, r"input b: its value has shape 3x5, should be 4x\?"),
    ],
)
def test_values_that_do_not_fit(
    two_inputs: onnx.ModelProto, run_import: Import, given: dict[str, np.ndarray], message: str
):
    with pytest.raises(CompileError, match=message):
        run_import(two_inputs, {"batch": [4]}, constants=given)


def test_values_compiled_in(two_inputs: onnx.ModelProto, run_import: Import):
    given = {"b": np.ones((4, 5), np.float32)}
    text = str(run_import(two_inputs, {"a": [4, 5]}, constants=given))
    assert 'graph.name = "b"' not in text
    assert "graph.splat 1.000000e+00 : f32 -> tensor<4x5xf32>" in text


def test_an_output_of_another_shape_than_declared_is_remarked(
    make_model: MakeModel, value: MakeValue
):
    model = make_model([node("Relu", ["x"], ["y"])], [value("x", [2, 3])])
    y = model.graph.output[0]
    for sizes, said in (
        ([2, 4], "[2, 4]"),
        (["n", 4], "[n, 4]"),
        ([6], "[6]"),
        ([2, 3], ""),
        (["n", 3], ""),
        ([None, 3], ""),
        (None, ""),
    ):
        y.CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, sizes))
        remarks: list[str] = []
        import_model(model, None, new_context(), remarks=remarks)
        text = f"output y: the file declares the shape {said}, the nodes compute [2, 3], which it"
        assert [remark[: len(text)] for remark in remarks] == ([text] if said else [])
        assert check_model(model).notes == remarks
    y.CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3]))
    remarks = []
    import_model(model, {"x": [5, 3]}, new_context(), remarks=remarks)
    assert remarks == []
