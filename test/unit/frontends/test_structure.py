from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import helper
from xdsl.dialects.builtin import ModuleOp

from dlc.errors import CompileError

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node


def test_cycle(make_model: MakeModel, run_import: Import):
    model = make_model([node("Add", ["x", "b"], ["a"], "one"), node("Relu", ["a"], ["b"], "two")])
    with pytest.raises(CompileError, match="one: the graph has a cycle: two -> one -> two"):
        run_import(model)


def test_nodes_out_of_order(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["a"], ["y"], "one"), node("Exp", ["x"], ["a"], "two")])
    with pytest.raises(CompileError, match="not in order: a is used before two makes it"):
        run_import(model)


def test_undefined_input(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["z"], ["y"], "one")])
    with pytest.raises(CompileError, match="one: the input z is not defined"):
        run_import(model)


def test_undefined_output(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["x"], ["z"])])
    with pytest.raises(CompileError, match="the graph output y is not defined"):
        run_import(model)


def test_value_defined_twice(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["x"], ["y"], "one"), node("Exp", ["x"], ["y"], "two")])
    with pytest.raises(CompileError, match="two: the value y is defined twice"):
        run_import(model)


def test_two_inputs_of_one_name(
    make_model: MakeModel, run_import: Import, value: Callable[..., onnx.ValueInfoProto]
):
    model = make_model([node("Relu", ["x"], ["y"])], [value("x"), value("x")])
    with pytest.raises(CompileError, match="two inputs are called x"):
        run_import(model)


def test_type_error(make_model: MakeModel, run_import: Import):
    model = make_model([node("Add", ["x", "w"], ["y"], "sum")], initializers={"w": np.arange(3)})
    with pytest.raises(CompileError, match="sum: operands have element types f32 and i64"):
        run_import(model)


def test_sizes_that_do_not_fit(make_model: MakeModel, run_import: Import):
    weight = np.ones((4, 3), np.float32)
    model = make_model([node("Add", ["x", "w"], ["y"], "sum")], initializers={"w": weight})
    with pytest.raises(CompileError, match="sum: shapes 2x3 and 4x3 do not broadcast"):
        run_import(model)


def test_declared_output_type_differs(
    make_model: MakeModel, run_import: Import, value: Callable[..., onnx.ValueInfoProto]
):
    output = value("y")
    output.type.tensor_type.elem_type = onnx.TensorProto.INT64
    model = make_model([node("Relu", ["x"], ["y"])], outputs=[output])
    with pytest.raises(CompileError, match="output y: it is declared as int64 but computed as"):
        run_import(model)


def test_unknown_attribute(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["x"], ["y"], "one", slope=1)])
    with pytest.raises(CompileError, match="one: unrecognized attribute: slope for operator Relu"):
        run_import(model)


def test_unknown_operator(make_model: MakeModel, run_import: Import):
    model = make_model([node("Frobnicate", ["x"], ["y"], "one")])
    with pytest.raises(CompileError, match=r"one: ONNX has no operator Frobnicate in ai\.onnx 21"):
        run_import(model)


def test_unknown_domain(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["x"], ["y"], "one", domain="com.example")])
    message = r"does not import an operator set for Relu of com\.example"
    with pytest.raises(CompileError, match=message):
        run_import(model)
