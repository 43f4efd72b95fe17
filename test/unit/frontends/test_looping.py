"""Scan and countable Loop are loops of steps, and mean what ONNX says."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper
from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.dialects.graph.recurrent import LOOPED_STEPS
from dlc.dialects.graph.step_loop import step_loops
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.oracle import run_reference
from dlc.verification.onnx_reference import run_onnx_reference

Import = Callable[..., ModuleOp]
MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node
T = LOOPED_STEPS + 1
RANDOM = np.random.default_rng(0)


def _value(name: str, *sizes: int, type: int = TensorProto.FLOAT) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, type, sizes)


def _named(*names: str) -> list[ValueInfoProto]:
    return [ValueInfoProto(name=name) for name in names]


def _floats(*sizes: int) -> Array:
    return RANDOM.uniform(-1, 1, sizes).astype(np.float32)


def _feeds(model: onnx.ModelProto) -> dict[str, Array]:
    sizes = {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input}
    return {name: _floats(*each) for name, each in sizes.items()}


@pytest.fixture
def check(run_import: Import, context: DlcContext) -> Callable[[onnx.ModelProto, int], ModuleOp]:
    """Import a model with so many loops, and compare it with the reference implementation."""

    def run(model: onnx.ModelProto, loops: int) -> ModuleOp:
        module = run_import(model, open_sizes=False)
        assert len(step_loops(module)) == loops
        feeds = _feeds(model)
        found = run_reference(module, feeds, context.weights)
        for array, wanted in zip(found.values(), run_onnx_reference(model, feeds), strict=True):
            assert (array.dtype, array.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-6)
        assert check_model(model).problems == []
        return module

    return run


def scan(make: MakeModel, steps: int, sizes: tuple[int, ...], **attributes: Any) -> onnx.ModelProto:
    """A leaky sum over two inputs; gives the sums, and the states before each step."""
    inner = [
        node("Mul", ["h", "scale"], ["leaked"]),
        node("Add", ["p", "leaked"], ["q"]),
        node("Sub", ["q", "r"], ["after"]),
        node("Exp", ["after"], ["e"]),
        node("Identity", ["h"], ["before"]),
    ]
    body = helper.make_graph(
        inner, "body", [_value(n, *sizes) for n in "hpr"], _named("after", "e", "before")
    )
    attributes = {"num_scan_inputs": 2, **attributes}
    axes = attributes.get("scan_input_axes", [0, 0])
    assert isinstance(axes, list)
    whole = [[*sizes[:a], steps, *sizes[a:]] for a in axes]
    return make(
        [node("Scan", ["h0", "x", "z"], ["last", "es", "befores"], body=body, **attributes)],
        [_value("h0", *sizes), _value("x", *whole[0]), _value("z", *whole[1])],
        _named("last", "es", "befores"),
        {"scale": np.array(0.5, np.float32)},
    )


@pytest.mark.parametrize("steps", [1, LOOPED_STEPS - 1, LOOPED_STEPS, T])
@pytest.mark.parametrize("sizes", [(8,), (3,), (2, 5), ()], ids=str)
def test_scan(
    make_model: MakeModel, check: Callable[..., ModuleOp], steps: int, sizes: tuple[int, ...]
):
    check(scan(make_model, steps, sizes), int(steps >= LOOPED_STEPS))


@pytest.mark.parametrize("steps", [3, T])
@pytest.mark.parametrize("inputs", [[0, 0], [1, 1], [0, 1], [1, 0]])
@pytest.mark.parametrize("outputs", [[0, 0], [1, 0], [0, 1]])
def test_scan_in_either_direction(
    make_model: MakeModel,
    check: Callable[..., ModuleOp],
    steps: int,
    inputs: list[int],
    outputs: list[int],
):
    directions = {"scan_input_directions": inputs, "scan_output_directions": outputs}
    check(scan(make_model, steps, (2, 4), **directions), int(steps == T))


@pytest.mark.parametrize("steps", [3, T])
@pytest.mark.parametrize(("inputs", "outputs"), [([1, 2], [2, -2]), ([2, 0], [-1, 1])])
def test_scan_along_other_axes(
    make_model: MakeModel,
    check: Callable[..., ModuleOp],
    steps: int,
    inputs: list[int],
    outputs: list[int],
):
    axes = {"scan_input_axes": inputs, "scan_output_axes": outputs}
    check(scan(make_model, steps, (2, 4), **axes), int(steps == T))


def body(
    inner: list[NodeProto], states: Mapping[str, tuple[int, ...]], *results: str
) -> GraphProto:
    """Return the body of a Loop with these states."""
    given = [_value("i", type=TensorProto.INT64), _value("going", type=TensorProto.BOOL)]
    given += [_value(name, *sizes) for name, sizes in states.items()]
    return helper.make_graph(inner, "body", given, _named(*results))


def loop(
    make: MakeModel,
    graph: GraphProto,
    sizes: Mapping[str, tuple[int, ...]],
    results: int,
    **values: Array,
) -> onnx.ModelProto:
    """Return a model of a Loop of ``n`` iterations, ``c`` its condition if there is one."""
    names = [f"y{number}" for number in range(results)]
    condition = "c" if "c" in values else ""
    states = [i.name for i in graph.input[2:]]
    return make(
        [node("Loop", ["n", condition, *(f"{s}0" for s in states)], names, "loop", body=graph)],
        [_value(name, *each) for name, each in sizes.items()],
        _named(*names),
        {"n": np.array(T), **values},
    )


@pytest.mark.parametrize("steps", [1, LOOPED_STEPS - 1, T])
@pytest.mark.parametrize("condition", [True, False], ids=["condition", "none"])
def test_loop_reads_its_number_and_values_around_it(
    make_model: MakeModel, check: Callable[..., ModuleOp], steps: int, condition: bool
):
    inner = [
        node("Gather", ["x", "i"], ["part"]),
        node("Add", ["a", "part"], ["b"]),
        node("Cast", ["i"], ["number"], to=TensorProto.FLOAT),
        node("Identity", ["going"], ["on"]),
    ]
    graph = body([*inner, node("Neg", ["b"], ["n2"])], {"a": (3,)}, "on", "b", "n2", "number")
    given = {"c": np.array(True)} if condition else {}
    sizes = {"a0": (3,), "x": (T, 3)}
    model = loop(make_model, graph, sizes, 3, n=np.array(steps), **given)
    check(model, int(steps >= LOOPED_STEPS))


def test_states_may_change_places_or_stay(make_model: MakeModel, check: Callable[..., ModuleOp]):
    inner = [
        node("Identity", ["going"], ["on"]),
        node("Add", ["a", "b"], ["sum"]),
        node("Identity", ["b"], ["first"]),
        node("Identity", ["k"], ["kept"]),
        node("Identity", ["k"], ["given"]),
    ]
    graph = body(inner, {"a": (4,), "b": (4,), "k": (2,)}, "on", "first", "sum", "kept", "given")
    check(loop(make_model, graph, {"a0": (4,), "b0": (4,), "k0": (2,)}, 4), 1)


def test_a_loop_in_a_scan(make_model: MakeModel, check: Callable[..., ModuleOp]):
    inner = [
        node("Identity", ["going"], ["on"]),
        node("Mul", ["u", "p"], ["v"]),
        node("Add", ["v", "h"], ["w"]),
    ]
    outer = [node("Loop", ["n", "", "h"], ["r"], "inner", body=body(inner, {"u": (4,)}, "on", "w"))]
    outer.append(node("Tanh", ["r"], ["t"]))
    graph = helper.make_graph(outer, "body", [_value("h", 4), _value("p", 4)], _named("t", "r"))
    model = make_model(
        [node("Scan", ["h0", "x"], ["last", "all"], body=graph, num_scan_inputs=1)],
        [_value("h0", 4), _value("x", T, 4)],
        _named("last", "all"),
        {"n": np.array(T)},
    )
    check(model, 2)


def test_a_condition_that_changes_is_unrolled(
    make_model: MakeModel, check: Callable[..., ModuleOp]
):
    inner = [node("Less", ["i", "limit"], ["on"]), node("Add", ["a", "a"], ["b"])]
    graph = body(inner, {"a": (3,)}, "on", "b")
    check(loop(make_model, graph, {"a0": (3,)}, 1, c=np.array(True), limit=np.array(4)), 0)


def test_a_state_that_grows_is_unrolled(make_model: MakeModel, check: Callable[..., ModuleOp]):
    inner = [node("Identity", ["going"], ["on"]), node("Concat", ["a", "x"], ["b"], axis=0)]
    check(loop(make_model, body(inner, {"a": ()}, "on", "b"), {"a0": (1,), "x": (2,)}, 1), 0)


def test_sizes_that_depend_on_the_number_are_unrolled(
    make_model: MakeModel, check: Callable[..., ModuleOp]
):
    inner = [
        node("Identity", ["going"], ["on"]),
        node("Add", ["i", "one"], ["end"]),
        node("Slice", ["x", "zero", "end"], ["part"]),
        node("ReduceSum", ["part"], ["sum"], keepdims=0),
        node("Add", ["a", "sum"], ["b"]),
    ]
    limits = {"one": np.array([1]), "zero": np.array([0])}
    check(
        loop(make_model, body(inner, {"a": ()}, "on", "b"), {"a0": (), "x": (T,)}, 1, **limits), 0
    )


@pytest.mark.parametrize(
    "given", [{"n": np.array(0)}, {"c": np.array(False)}], ids=["count", "condition"]
)
def test_no_iteration_at_all(
    make_model: MakeModel, run_import: Import, context: DlcContext, given: dict[str, Array]
):
    inner = [
        node("Identity", ["going"], ["on"]),
        node("Add", ["a", "a"], ["b"]),
        node("Neg", ["b"], ["c2"]),
    ]
    graph = body(inner, {"a": (3,)}, "on", "b", "c2")
    model = loop(make_model, graph, {"a0": (3,)}, 2, **given)
    a = _floats(3)
    found = run_reference(run_import(model), {"a0": a}, context.weights)
    np.testing.assert_array_equal(found["y0"], a)
    assert found["y1"].shape == (0, 3)


def test_a_scan_of_nothing(make_model: MakeModel, run_import: Import, context: DlcContext):
    model = scan(make_model, 0, (2,))
    feeds = _feeds(model)
    found = run_reference(run_import(model), feeds, context.weights)
    np.testing.assert_array_equal(found["last"], feeds["h0"])
    assert found["es"].shape == found["befores"].shape == (0, 2)


def test_a_scan_of_too_many_steps(make_model: MakeModel, run_import: Import):
    with pytest.raises(CompileError, match="the loop has 10001 steps, at most 10000"):
        run_import(scan(make_model, 10001, (8,)))


def test_a_node_in_a_body_is_recorded_once(make_model: MakeModel, run_import: Import):
    """An attempt that comes to nothing leaves no trace."""
    looped, unrolled = ImportRecord(), ImportRecord()
    run_import(scan(make_model, T, (8,)), record=looped)
    inner = [node("Less", ["i", "limit"], ["on"]), node("Add", ["a", "a"], ["b"])]
    values = partial(loop, make_model, c=np.array(True), limit=np.array(4))
    run_import(values(body(inner, {"a": (3,)}, "on", "b"), {"a0": (3,)}, 1), record=unrolled)
    assert [x.node.op_type for x in looped.nodes] == [
        "Mul",
        "Add",
        "Sub",
        "Exp",
        "Identity",
        "Scan",
    ]
    assert [x.node.op_type for x in unrolled.nodes] == [*["Less", "Add"] * 5, "Loop"]


def test_what_is_not_supported_is_said_once(make_model: MakeModel, run_import: Import):
    inner = [node("Identity", ["going"], ["on"]), node("Unique", ["a"], ["b"], "odd")]
    model = loop(make_model, body(inner, {"a": (3,)}, "on", "b"), {"a0": (3,)}, 1)
    with pytest.raises(CompileError, match=r"^loop/odd: the result of Unique has a size"):
        run_import(model)
    assert [str(x).split(":")[0] for x in check_model(model).problems] == ["loop/odd"]
