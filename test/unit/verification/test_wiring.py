"""Values that the importer puts in another place than the file says are found."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import SSAValue

from dlc.analysis.entry import find_main
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx import graph_importer
from dlc.frontends.onnx.graph_builder import GraphBuilder
from dlc.frontends.onnx.graph_importer import GraphImporter, Scope
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import LoadedModel
from dlc.registry import new_context
from dlc.verification.wiring import check_wiring

W = np.arange(64, dtype=np.float32).reshape(8, 8)
WEIGHTS = {"v": W, "w": -W, "bias": np.arange(1, 9, dtype=np.float32)}


def _branch(name: str, read: str) -> onnx.GraphProto:
    output = helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, [8, 8])
    return helper.make_graph([helper.make_node("Neg", [read], [f"{name}_y"])], name, [], [output])


def _model() -> onnx.ModelProto:
    """Return ``y = (x v) w + bias, z = if c then -(x v) else -x`` with inputs of one type."""
    nodes = [
        helper.make_node("MatMul", ["x", "v"], ["h"], "first"),
        helper.make_node("MatMul", ["h", "w"], ["g"], "second"),
        helper.make_node("Add", ["g", "bias"], ["y"], "last"),
        helper.make_node(
            "If",
            ["c"],
            ["z"],
            "choice",
            then_branch=_branch("a", "h"),
            else_branch=_branch("b", "x"),
        ),
    ]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [8, 8]) for n in ("x", "unused")]
    inputs.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [8, 8]) for n in ("y", "z")]
    tensors = [numpy_helper.from_array(a, n) for n, a in WEIGHTS.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


Change = Callable[[ImportRecord, ModuleOp], None]


def _check(
    model: onnx.ModelProto | Path,
    constants: Mapping[str, Array] | None = None,
    change: Change = lambda *_: None,
) -> None:
    """Check an import; change: what is put in afterwards."""
    context, record = new_context(WeightStore()), ImportRecord()
    module = import_model(model, None, context, constants, record=record)
    change(record, module)
    check_wiring(record, module, context.weights, constants or {})


def test_right_edges_are_accepted():
    _check(_model())
    _check(_model(), {"c": np.array(True)})


Fault = Callable[[pytest.MonkeyPatch], None]


def _reads(other: str, name: str) -> Fault:
    """Return a fault: who asks for a value gets another one of the same type."""
    right = GraphImporter.lookup

    def wrong(self: GraphImporter, asked: str, scope: Scope) -> SSAValue:
        return right(self, other if asked == name else asked, scope)

    return lambda monkeypatch: monkeypatch.setattr(GraphImporter, "lookup", wrong)


def _outputs_swapped(monkeypatch: pytest.MonkeyPatch) -> None:
    right = GraphImporter.import_graph

    def wrong(self: GraphImporter, *arguments: Any) -> list[SSAValue | None]:
        return right(self, *arguments)[::-1]

    monkeypatch.setattr(GraphImporter, "import_graph", wrong)


def _tensors_changed(change: Callable[[Array], Array]) -> Fault:
    right = graph_importer.read_tensor

    def wrong(tensor: TensorProto, model: LoadedModel) -> Array:
        return change(right(tensor, model))

    return lambda monkeypatch: monkeypatch.setattr(graph_importer, "read_tensor", wrong)


FAULTS = {
    "wrong initializer": (_reads("v", "w"), "second"),
    "wrong result": (_reads("x", "h"), "second"),
    "wrong argument": (_reads("unused", "x"), "first"),
    "outputs swapped": (_outputs_swapped, "output y"),
    "wrong output": (_reads("g", "y"), "output y"),
    "initializer transposed": (_tensors_changed(np.transpose), "first"),
    "initializer shifted": (_tensors_changed(lambda x: np.roll(x, 1)), "first"),
    "another shape": (_tensors_changed(lambda x: x.reshape(1, 8) if x.ndim == 1 else x), "last"),
}


@pytest.mark.parametrize(("put_in", "at"), FAULTS.values(), ids=FAULTS)
def test_fault_is_found(put_in: Fault, at: str, monkeypatch: pytest.MonkeyPatch):
    put_in(monkeypatch)
    with pytest.raises(CompileError, match="is lost or in another's place") as error:
        _check(_model())
    assert error.value.at == at


def _node_lost(record: ImportRecord, _: ModuleOp) -> None:
    record.nodes = [x for x in record.nodes if x.place != "last"]


def _operand_lost(record: ImportRecord, _: ModuleOp) -> None:
    record.nodes = [
        replace(x, operands=[None, *x.operands[1:]]) if x.place == "last" else x
        for x in record.nodes
    ]


def _names_swapped(_: ImportRecord, module: ModuleOp) -> None:
    main = find_main(module)
    assert main.res_attrs
    main.res_attrs = ArrayAttr(reversed(main.res_attrs.data))


@pytest.mark.parametrize(
    ("change", "what", "at"),
    [
        (_node_lost, "the node last", "the graph"),
        (_operand_lost, "the value g", "last"),
        (_names_swapped, "the name y", "output z"),
    ],
)
def test_what_is_lost_is_found(change: Change, what: str, at: str):
    with pytest.raises(CompileError, match=f"{what} is lost or in another's place") as error:
        _check(_model(), change=change)
    assert error.value.at == at


@pytest.mark.parametrize("place", [0, 4096, -1], ids=["beginning", "middle", "end"])
def test_a_large_constant_is_compared_at_three_places(place: int, monkeypatch: pytest.MonkeyPatch):
    def changed(x: Array) -> Array:
        y = np.array(x)
        y[place] += 1
        return y

    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [8192]) for n in ("x", "y")]
    stored = numpy_helper.from_array(np.arange(8192, dtype=np.float32), "w")
    node = helper.make_node("Add", ["x", "w"], ["y"], "sum")
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], [stored])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    _check(model)
    _tensors_changed(changed)(monkeypatch)
    with pytest.raises(CompileError, match="the value w is lost or in another's place"):
        _check(model)


def test_value_that_a_branch_reads():
    model = _model()
    del model.graph.node[2]
    model.graph.output[0].name = "g"
    with pytest.MonkeyPatch.context() as patch:
        _reads("x", "h")(patch)
        model.graph.node[1].input[0] = "x"  # only the branch reads h
        with pytest.raises(CompileError, match="the value h is lost") as error:
            _check(model)
    assert error.value.at == "choice"


def test_constant_that_is_compiled_in(monkeypatch: pytest.MonkeyPatch):
    right = GraphBuilder.constant

    def wrong(self: GraphBuilder, array: Array, *arguments: Any, **options: Any) -> SSAValue:
        changed = np.logical_not(array) if array.dtype == bool else array
        return right(self, changed, *arguments, **options)

    monkeypatch.setattr(GraphBuilder, "constant", wrong)
    with pytest.raises(CompileError, match="the value c is lost") as error:
        _check(_model(), {"c": np.array(True)})
    assert error.value.at == "choice"


def _negated(part: slice) -> Callable[[Array], Array]:
    """Return a fault that changes a part of the elements."""

    def change(x: Array) -> Array:
        changed = np.array(x)
        changed.reshape(-1)[part] *= -1
        return changed

    return change


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("part", [slice(1, 2), slice(8 * 4096, 8 * 4096 + 1), slice(-1, None)])
def test_large_weights_in_files(
    part: slice, external: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    model, path = _model(), tmp_path / "model.onnx"
    large = np.arange(8 * 8192, dtype=np.float32).reshape(8, 8192)
    model.graph.initializer[2].CopyFrom(numpy_helper.from_array(large, "bias"))
    model.graph.node[2].input[0] = "bias"
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 8192
    onnx.save(model, path, save_as_external_data=external, size_threshold=1024)
    _check(path)
    change = _negated(part)
    _tensors_changed(lambda x: change(x) if x.size == large.size else x)(monkeypatch)
    with pytest.raises(CompileError, match="is lost or in another's place"):
        _check(path)


def test_a_tensor_without_elements_in_another_file(tmp_path: Path):
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 8]) for n in "xy"]
    node = helper.make_node("Concat", ["nothing", "x"], ["y"], axis=0)
    nothing = numpy_helper.from_array(np.zeros((0, 8), np.float32), "nothing")
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], [nothing])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "model.onnx", save_as_external_data=True, size_threshold=0)
    _check(tmp_path / "model.onnx")
