from collections.abc import Callable

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import GraphProto, TensorProto, ValueInfoProto, helper
from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.oracle import run_reference

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def _branch(*nodes: onnx.NodeProto) -> GraphProto:
    return helper.make_graph(nodes, "branch", [], [ValueInfoProto(name="r")])


def _choice(then_branch: GraphProto, else_branch: GraphProto) -> onnx.NodeProto:
    return node("If", ["c"], ["y"], "choice", then_branch=then_branch, else_branch=else_branch)


@pytest.fixture
def inputs() -> list[ValueInfoProto]:
    """Declare ``x`` of 2x3 floats and a boolean ``c``."""
    return [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3]),
        helper.make_tensor_value_info("c", TensorProto.BOOL, []),
    ]


@pytest.mark.parametrize("condition", [True, False])
def test_known_condition_keeps_one_branch(
    make_model: MakeModel, run_import: Import, context: DlcContext, condition: bool
):
    choice = _choice(_branch(node("Exp", ["x"], ["r"])), _branch(node("Neg", ["x"], ["r"])))
    module = run_import(make_model([choice], initializers={"c": np.array(condition)}))
    assert ("graph.exp" in str(module), "graph.neg" in str(module)) == (condition, not condition)
    expected = np.exp(X.astype(np.float64)) if condition else -X
    result = run_reference(module, {"x": X}, context.weights)
    np.testing.assert_array_equal(result["y"], expected.astype(np.float32))


@pytest.mark.parametrize("condition", [True, False])
def test_unknown_condition_computes_both(
    make_model: MakeModel,
    run_import: Import,
    context: DlcContext,
    inputs: list[ValueInfoProto],
    condition: bool,
):
    choice = _choice(_branch(node("Add", ["x", "x"], ["r"])), _branch(node("Neg", ["x"], ["r"])))
    module = run_import(make_model([choice], inputs))
    result = run_reference(module, {"x": X, "c": np.array(condition)}, context.weights)
    np.testing.assert_array_equal(result["y"], 2 * X if condition else -X)


@pytest.mark.parametrize("a", [True, False])
@pytest.mark.parametrize("b", [True, False])
def test_unknown_conditions_may_be_nested(
    make_model: MakeModel,
    run_import: Import,
    context: DlcContext,
    inputs: list[ValueInfoProto],
    a: bool,
    b: bool,
):
    inner = _choice(_branch(node("Neg", ["x"], ["r"])), _branch(node("Abs", ["x"], ["r"])))
    inner.input[0], inner.output[0] = "b", "r"
    choice = _choice(_branch(node("Add", ["x", "x"], ["r"])), _branch(inner))
    inputs.append(helper.make_tensor_value_info("b", TensorProto.BOOL, [1]))
    module = run_import(make_model([choice], inputs))
    feeds = {"x": -X, "c": np.array(a), "b": np.array([b])}
    expected = -2 * X if a else X
    result = run_reference(module, feeds, context.weights)
    np.testing.assert_array_equal(result["y"], expected)


def test_branches_of_different_shapes(
    make_model: MakeModel, run_import: Import, inputs: list[ValueInfoProto]
):
    transposed = _branch(node("Transpose", ["x"], ["r"]))
    choice = _choice(transposed, _branch(node("Neg", ["x"], ["r"])))
    message = (
        "choice: the condition of If must be known when compiling, but depends on c"
        r" \(output y is tensor<3x2xf32> or tensor<2x3xf32>\)"
    )
    with pytest.raises(CompileError, match=message):
        run_import(make_model([choice], inputs))


MISFIT = {"w": np.ones((5, 5), np.float32)}


def _misfit() -> GraphProto:
    """Return a branch that no runtime can run: 3 columns times 5 rows."""
    return _branch(node("MatMul", ["x", "w"], ["r"], "product"))


@pytest.mark.parametrize("condition", [True, False])
@pytest.mark.parametrize("swapped", [True, False])
def test_branch_that_the_sizes_do_not_fit_is_nan(
    make_model: MakeModel,
    run_import: Import,
    context: DlcContext,
    inputs: list[ValueInfoProto],
    condition: bool,
    swapped: bool,
):
    branches = [_misfit(), _branch(node("Neg", ["x"], ["r"]))]
    model = make_model([_choice(*branches[:: -1 if swapped else 1])], inputs, initializers=MISFIT)
    assert check_model(model).problems == []
    result = run_reference(run_import(model), {"x": X, "c": np.array(condition)}, context.weights)
    np.testing.assert_array_equal(result["y"], -X if condition == swapped else np.nan * X)


def test_branch_of_integers_that_the_sizes_do_not_fit(
    make_model: MakeModel, run_import: Import, inputs: list[ValueInfoProto]
):
    misfit = _branch(
        node("MatMul", ["x", "w"], ["p"], "product"),
        node("Cast", ["p"], ["r"], to=TensorProto.INT8),
    )
    choice = _choice(misfit, _branch(node("Cast", ["x"], ["r"], to=TensorProto.INT8)))
    with pytest.raises(
        CompileError, match=r'depends on c .choice/product: .*; give the value with constants=."c"'
    ):
        run_import(make_model([choice], inputs, initializers=MISFIT))


def test_both_branches_that_the_sizes_do_not_fit(
    make_model: MakeModel, run_import: Import, inputs: list[ValueInfoProto]
):
    model = make_model([_choice(_misfit(), _misfit())], inputs, initializers=MISFIT)
    with pytest.raises(CompileError, match=r"^choice/product: ") as error:
        run_import(model)
    assert [str(problem) for problem in check_model(model).problems] == [str(error.value)]


def test_branch_that_is_not_supported(
    make_model: MakeModel, run_import: Import, inputs: list[ValueInfoProto]
):
    """It is not taken for one that does not fit: other sizes would not help."""
    choice = _choice(
        _branch(node("Unique", ["x"], ["r"], "corner")), _branch(node("Neg", ["x"], ["r"]))
    )
    with pytest.raises(
        CompileError, match=r"depends on c .choice/corner: the result of Unique has a size"
    ):
        run_import(make_model([choice], inputs))


def _loop_body(*nodes: onnx.NodeProto, outputs: list[str]) -> GraphProto:
    values = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("going", TensorProto.BOOL, []),
        helper.make_tensor_value_info("a", TensorProto.FLOAT, [2, 3]),
    ]
    return helper.make_graph(nodes, "body", values, [ValueInfoProto(name=n) for n in outputs])


def test_loop_is_unrolled(make_model: MakeModel, run_import: Import, context: DlcContext):
    body = _loop_body(
        node("Identity", ["going"], ["still"]),
        node("Add", ["a", "x"], ["b"]),
        node("Neg", ["b"], ["scanned"]),
        outputs=["still", "b", "scanned"],
    )
    outputs = [ValueInfoProto(name=n) for n in ("last", "all")]
    loop = node("Loop", ["m", "", "x"], ["last", "all"], body=body)
    model = make_model([loop], outputs=outputs, initializers={"m": np.array(3)})
    result = run_reference(run_import(model), {"x": X}, context.weights)
    np.testing.assert_array_equal(result["last"], 4 * X)
    np.testing.assert_array_equal(result["all"], np.stack([-2 * X, -3 * X, -4 * X]))


def test_loop_ends_when_its_condition_says_so(
    make_model: MakeModel, run_import: Import, context: DlcContext
):
    body = _loop_body(
        node("Less", ["i", "two"], ["still"]),
        node("Add", ["a", "x"], ["b"]),
        outputs=["still", "b"],
    )
    values = {"m": np.array(100), "c": np.array(True), "two": np.array(2)}
    model = make_model([node("Loop", ["m", "c", "x"], ["y"], body=body)], initializers=values)
    result = run_reference(run_import(model), {"x": X}, context.weights)
    np.testing.assert_array_equal(result["y"], 4 * X)


def test_loop_of_too_many_iterations(make_model: MakeModel, run_import: Import):
    body = _loop_body(node("Neg", ["a"], ["b"]), outputs=["going", "b"])
    loop = node("Loop", ["m", "", "x"], ["y"], "loop", body=body)
    model = make_model([loop], initializers={"m": np.array(10**9)})
    with pytest.raises(CompileError, match="loop: the loop has more than 1024 iterations"):
        run_import(model)


@pytest.mark.parametrize("backward", [0, 1])
def test_scan(make_model: MakeModel, run_import: Import, context: DlcContext, backward: int):
    values = [ValueInfoProto(name=n) for n in ("sum", "part")]
    results = [ValueInfoProto(name=n) for n in ("total", "copy")]
    nodes = [node("Add", ["sum", "part"], ["total"]), node("Identity", ["total"], ["copy"])]
    body = helper.make_graph(nodes, "body", values, results)
    scan = node(
        "Scan",
        ["zero", "x"],
        ["last", "all"],
        body=body,
        num_scan_inputs=1,
        scan_input_axes=[1],
        scan_input_directions=[backward],
        scan_output_axes=[-1],
    )
    outputs = [ValueInfoProto(name=n) for n in ("last", "all")]
    model = make_model([scan], outputs=outputs, initializers={"zero": np.zeros(2, np.float32)})
    result = run_reference(run_import(model), {"x": X}, context.weights)
    parts = X[:, ::-1] if backward else X
    np.testing.assert_array_equal(result["last"], X.sum(1))
    np.testing.assert_array_equal(result["all"], np.cumsum(parts, 1))


def test_attribute_of_another_kind(make_model: MakeModel, run_import: Import):
    """ONNX checks the attributes of nodes without subgraphs only."""
    body = helper.make_graph([], "body", [], [ValueInfoProto(name="x")])
    scan = node("Scan", ["x"], ["y"], "here", body=body, num_scan_inputs=1.0)
    with pytest.raises(CompileError, match="num_scan_inputs is of kind float, not int"):
        run_import(make_model([scan]))


_NUMBERS = "int64 count = {3}, bool on = {1}, float[3] zero = {0, 0, 0}"
_GRAPHS = {
    "If": """If <then_branch = a () => (float[2,3] p, float[2,3] q) { p = Neg(x)  q = Abs(x) },
      else_branch = b () => (float[2,3] r, float[2,3] s) { r = Abs(x)  s = Neg(x) }>(on)""",
    "Loop": """Loop <body = step (int64 i, bool go, float[2,3] h)
      => (bool goes, float[2,3] new, float[2,3] each) {
        goes = Identity(go)  new = Add(h, x)  each = Neg(new) }>(count, on, x)""",
    "Scan": """Scan <num_scan_inputs = 1, body = step (float[3] h, float[3] part)
      => (float[3] new, float[3] each) { new = Add(h, part)  each = Neg(new) }>(zero, x)""",
}


@pytest.mark.parametrize("operator", sorted(_GRAPHS))
@pytest.mark.parametrize("outputs", [["y"], ["y", "z"], ["y", ""], ["y", "z", "w"]])
def test_a_node_has_as_many_outputs_as_its_graph_gives(
    run_import: Import, operator: str, outputs: list[str]
) -> None:
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 17]>
        main (float[2,3] x) => (float y) <{_NUMBERS}> {{ y = {_GRAPHS[operator]} }}"""
    )
    model.graph.output[0].type.tensor_type.ClearField("shape")
    model.graph.node[0].output[:] = outputs
    if len(outputs) == 2:
        run_import(model)
        return
    error = f"{operator} lists {len(outputs)} outputs where its .* gives 2"
    with pytest.raises(CompileError, match=error):
        run_import(model)
