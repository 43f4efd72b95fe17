from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.functions import standard_function, standard_functions
from dlc.oracle import run_reference

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node
LOCAL = "local"


def _function(
    name: str, nodes: list[onnx.NodeProto], inputs: list[str], attributes: list[str] | None = None
) -> onnx.FunctionProto:
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(LOCAL, 1)]
    return helper.make_function(LOCAL, name, inputs, ["r"], nodes, opsets, attributes)


def _call(name: str, inputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return node(name, inputs, ["y"], f"call_{name}", domain=LOCAL, **attributes)


def test_local_function_is_inlined(make_model: MakeModel, run_import: Import, context: DlcContext):
    body = [node("Mul", ["a", "a"], ["t"], "square"), node("Add", ["t", "b"], ["r"], "shift")]
    function = _function("SquareAdd", body, ["a", "b"])
    model = make_model(
        [_call("SquareAdd", ["x", "w"])],
        initializers={"w": np.full((3,), 5, np.float32)},
        functions=[function],
        domains={LOCAL: 1},
    )
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    result = run_reference(run_import(model), {"x": x}, context.weights)
    np.testing.assert_array_equal(result["y"], x * x + 5)


def test_location_names_the_call(make_model: MakeModel, run_import: Import):
    function = _function("Twice", [node("Add", ["a", "a"], ["r"], "double")], ["a"])
    model = make_model([_call("Twice", ["x"])], functions=[function], domains={LOCAL: 1})
    (main,) = run_import(model).ops
    assert isinstance(main, FuncOp)
    locations = [str(op.location) for op in main.body.block.ops]
    assert 'loc("call_Twice/double")' in locations


def test_attributes_are_passed_on(make_model: MakeModel, run_import: Import, context: DlcContext):
    constant = node("Constant", [], ["c"])
    reference = constant.attribute.add(name="value_float", ref_attr_name="amount")
    reference.type = onnx.AttributeProto.FLOAT
    function = _function("Shift", [constant, node("Add", ["a", "c"], ["r"])], ["a"], ["amount"])
    call = _call("Shift", ["x"], amount=2.5)
    model = make_model([call], functions=[function], domains={LOCAL: 1})
    x = np.zeros((2, 3), np.float32)
    result = run_reference(run_import(model), {"x": x}, context.weights)
    np.testing.assert_array_equal(result["y"], np.full((2, 3), 2.5))


def test_recursion(make_model: MakeModel, run_import: Import):
    function = _function("Again", [node("Again", ["a"], ["r"], "again", domain=LOCAL)], ["a"])
    model = make_model([_call("Again", ["x"])], functions=[function], domains={LOCAL: 1})
    with pytest.raises(CompileError, match=r"functions must not call themselves: local\.Again"):
        run_import(model)


@pytest.mark.parametrize("name", standard_functions())
def test_operands_of_unknown_type_do_not_crash(name: str):
    opset = onnx.defs.onnx_opset_version()
    schema = onnx.defs.get_schema(name, opset)
    inputs = [f"x{number}" for number in range(schema.min_input)]
    call = node(name, inputs, ["y"])
    function = standard_function(call, opset, [None] * len(inputs))
    assert function is None or function.name == name


def test_sequence_map_of_an_unknown_sequence_is_unsupported(make_model: MakeModel):
    model = make_model([node("SequenceMap", ["x"], ["y"])])
    (problem,) = check_model(model).problems
    assert "SequenceMap" in problem.message


def test_names_that_onnx_cannot_put_into_a_function(make_model: MakeModel):
    # Of a body that FlexAttention gets as a graph; onnx writes it as text and parses that.
    scores = helper.make_tensor_value_info("p", TensorProto.FLOAT, [1, 2, 3, 3])
    result = helper.make_tensor_value_info("q", TensorProto.FLOAT, [1, 2, 3, 3])
    half = numpy_helper.from_array(np.array(0.5, np.float32), "%s%n")
    body = helper.make_graph([node("Mul", ["p", "%s%n"], ["q"])], "b", [scores], [result], [half])
    flex = helper.make_node(
        "FlexAttention", ["x"] * 3, ["y"], "flex", domain="ai.onnx.preview", prob_mod=body
    )
    sizes = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 3, 4])
    model = make_model([flex], [sizes], opset=26, domains={"ai.onnx.preview": 1})
    (problem,) = check_model(model).problems
    assert problem.at == "flex"
    assert "operator FlexAttention of ai.onnx.preview is" in problem.message
