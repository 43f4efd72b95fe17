from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import helper
from xdsl.dialects.builtin import ModuleOp

from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.ordering import sort_nodes

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node


def test_cycle(make_model: MakeModel, run_import: Import):
    model = make_model([node("Add", ["x", "b"], ["a"], "one"), node("Relu", ["a"], ["b"], "two")])
    with pytest.raises(CompileError, match="the graph has a cycle: one -> two -> one"):
        run_import(model)


def test_nodes_out_of_order_are_sorted(make_model: MakeModel, run_import: Import):
    nodes = [node("Relu", ["a"], ["y"], "one"), node("Exp", ["x"], ["a"], "two")]
    model = make_model(nodes)
    assert str(run_import(model)) == str(run_import(make_model(nodes[::-1])))
    assert [n.name for n in model.graph.node] == ["one", "two"]  # it belongs to the caller
    found = check_model(model)
    assert found.problems == []
    assert found.notes == ["the nodes are not in order and were sorted: a is used early"]


def test_nodes_move_no_further_than_needed():
    def reads(name: str, *names: str) -> onnx.NodeProto:
        return node("Sum", names, [name], name)

    nodes = [reads("c", "b"), reads("d", "x"), reads("b", "a"), reads("a", "x"), reads("e", "c")]
    model = helper.make_model(helper.make_graph(nodes, "g", [], []))
    sort_nodes(model)
    assert [n.name for n in model.graph.node] == ["a", "b", "c", "d", "e"]


def test_what_a_subgraph_reads_is_made_before_its_node(make_model: MakeModel, run_import: Import):
    inner = [node("Neg", ["t"], ["z"]), node("Exp", ["a"], ["t"])]
    branch = helper.make_graph(inner, "b", [], [onnx.ValueInfoProto(name="z")])
    nodes = [
        node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
        node("Relu", ["x"], ["a"]),
    ]
    text = str(run_import(make_model(nodes, initializers={"c": np.array(True)})))
    assert text.index("graph.relu") < text.index("graph.exp") < text.index("graph.neg")


def test_nodes_of_a_function_are_sorted(make_model: MakeModel, run_import: Import):
    body = [node("Neg", ["t"], ["z"]), node("Exp", ["a"], ["t"])]
    function = helper.make_function("own", "F", ["a"], ["z"], body, [helper.make_opsetid("", 21)])
    model = make_model(
        [node("F", ["x"], ["y"], domain="own")], functions=[function], domains={"own": 1}
    )
    assert "graph.neg" in str(run_import(model))


def test_a_cycle_in_a_branch(make_model: MakeModel, run_import: Import):
    nodes = [node("Neg", ["t"], ["z"], "one"), node("Exp", ["z"], ["t"], "two")]
    branch = helper.make_graph(nodes, "b", [], [onnx.ValueInfoProto(name="z")])
    model = make_model(
        [node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)],
        initializers={"c": np.array(True)},
    )
    with pytest.raises(CompileError, match="the graph has a cycle: one -> two -> one"):
        run_import(model)


def test_a_long_cycle_is_cut_short(make_model: MakeModel, run_import: Import):
    nodes = [node("Relu", [f"v{i}"], [f"v{(i + 1) % 5000}"], f"n{i}") for i in range(5000)]
    with pytest.raises(CompileError) as error:
        run_import(make_model([*nodes, node("Relu", ["x"], ["y"])]))
    assert len(str(error.value)) < 200


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
    with pytest.raises(CompileError, match="sum: Add takes one type for its inputs A and B, not"):
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


def test_an_operator_that_is_not_supported_says_the_way_out(
    make_model: MakeModel, run_import: Import
):
    nodes = [node("NonMaxSuppression", ["x", "x"], ["y"], "nms")]
    with pytest.raises(
        CompileError, match=r"NonMaxSuppression of ai\.onnx 21 is not supported; cut"
    ):
        run_import(make_model(nodes))


def test_unknown_domain(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["x"], ["y"], "one", domain="com.example")])
    message = r"does not import an operator set for operator Relu of com\.example"
    with pytest.raises(CompileError, match=message):
        run_import(model)


@pytest.mark.parametrize(
    ("domain", "op_type", "hint"),
    [
        ("com.microsoft", "QGemm", "QuantFormat.QDQ"),
        ("com.microsoft", "QLinearAdd", "QuantFormat.QDQ"),
        ("com.microsoft", "DynamicQuantizeMatMul", "QuantFormat.QDQ"),
        ("com.microsoft", "MatMulIntegerToFloat", "QuantFormat.QDQ"),
        ("com.microsoft", "FusedMatMul", "without ONNX Runtime's optimisations"),
        ("com.microsoft.nchwc", "Conv", "without ONNX Runtime's optimisations"),
        ("ai.onnx.ml", "TreeEnsembleClassifier", "classical machine learning, which is not supp"),
        ("com.example", "Mine", "is a custom operator, which is not supported; export the model"),
    ],
)
def test_operators_of_other_domains(
    make_model: MakeModel, run_import: Import, domain: str, op_type: str, hint: str
):
    model = make_model([node(op_type, ["x"], ["y"], "one", domain=domain)], domains={domain: 1})
    with pytest.raises(CompileError) as error:
        run_import(model)
    assert str(error.value).startswith(f"one: operator {op_type} of {domain} is ")
    assert hint in str(error.value)
    (problem,) = check_model(model).problems
    assert str(problem) == str(error.value)


def test_a_model_without_outputs(make_model: MakeModel, run_import: Import):
    model = make_model([node("Relu", ["x"], ["y"], "one")], outputs=[])
    message = "the graph has no outputs; add those that are wanted"
    with pytest.raises(CompileError, match=message):
        run_import(model)
    assert message in check_model(model).problems[0].message
