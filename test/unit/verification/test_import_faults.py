"""Faults of the importer, put in on purpose: the check of the import finds each of them.

A fault is a node that the conversion sees otherwise than the file has it (an attribute read wrongly
or not at all, operands in another order, another opset), or a value that goes to another place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from dlc.core.weights import WeightStore
from dlc.dialects.graph.softmax import SoftmaxOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx import graph_importer
from dlc.frontends.onnx.conversion import NodeContext, find_conversion
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.ops import heads
from dlc.registry import new_context
from dlc.verification import import_check
from dlc.verification.import_check import ImportChecked, check_nodes
from dlc.verification.wiring import check_wiring

Operands = Sequence[SSAValue | None]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that is put in does not change the digest of the sources."""
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))


def _ints(*values: int) -> Array:
    return np.array(values, np.int64)


def _floats(*sizes: int) -> Array:
    return np.random.default_rng(0).standard_normal(sizes).astype(np.float32)


def _scalar(value: float) -> Array:
    return np.array(value, np.float32)


@dataclass(frozen=True)
class Fault:
    """One node, and what a faulty conversion makes of it.

    inputs: sizes of a float input, or a constant. wrong: attributes as they are read; ``None`` for
    one that is not read. order: the operands as they are taken. opset_read: as it is taken.
    """

    name: str
    op_type: str
    inputs: Sequence[tuple[int, ...] | Array | None]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wrong: Mapping[str, Any] = field(default_factory=dict[str, Any])
    order: Callable[[Operands], Operands] = lambda operands: operands
    results: Callable[[Any], Any] = lambda results: results
    outputs: int = 1
    opset: int = 21
    opset_read: int | None = None

    def model(self) -> onnx.ModelProto:
        """Return the node as a model."""
        names = ["" if x is None else f"x{i}" for i, x in enumerate(self.inputs)]
        outputs = [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.op_type, names, outputs, "faulty", **self.attributes)
        given = dict(zip(names, self.inputs, strict=True))
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, x)
            for name, x in given.items()
            if isinstance(x, tuple)
        ]
        constants = [
            numpy_helper.from_array(x, n) for n, x in given.items() if isinstance(x, np.ndarray)
        ]
        results = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph([node], "g", inputs, results, constants)
        imports = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def put_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let conversions of the operator see the node as the fault has it."""

        def context(node: NodeProto, opset: int, operands: Operands, *others: Any) -> NodeContext:
            if node.op_type != self.op_type:
                return NodeContext(node, opset, operands, *others)
            return NodeContext(self._read(node), opset, self.order(operands), *others)

        def find(op_type: str, domain: str, opset: int) -> Any:
            if op_type != self.op_type:
                return find_conversion(op_type, domain, opset)
            found = find_conversion(op_type, domain, self.opset_read or opset)
            assert found is not None
            return lambda node: self.results(found(node))

        monkeypatch.setattr(graph_importer, "NodeContext", context)
        monkeypatch.setattr(graph_importer, "find_conversion", find)

    def _read(self, node: NodeProto) -> NodeProto:
        read = NodeProto()
        read.CopyFrom(node)
        kept = [a for a in node.attribute if a.name not in self.wrong]
        del read.attribute[:]
        read.attribute.extend(kept)
        stated = {n: x for n, x in self.wrong.items() if x is not None}
        read.attribute.extend(helper.make_attribute(n, x) for n, x in stated.items())
        return read


def _swapped(i: int, j: int) -> Callable[[Operands], Operands]:
    def swap(operands: Operands) -> Operands:
        order = list(operands)
        order[i], order[j] = order[j], order[i]
        return order

    return swap


IMAGE, KERNEL, CHANNELS = (1, 4, 9, 8), _floats(4, 4, 3, 3), _floats(4)
STATISTICS = (IMAGE, CHANNELS, CHANNELS + 1, CHANNELS, CHANNELS**2)
WINDOW = {"kernel_shape": [3, 3], "strides": [2, 2]}
GATES = ((5, 1, 3), _floats(1, 16, 3), _floats(1, 16, 4))
STEPS = (_ints(8), _ints(0), _ints(1), _ints(-2))

FAULTS = [
    Fault("axis-default", "Softmax", [(2, 3, 4)], wrong={"axis": 1}),
    Fault("old-softmax", "Softmax", [(2, 3, 4)], opset=11, opset_read=13),
    Fault("new-softmax", "Softmax", [(2, 3, 4)], {"axis": 1}, opset=13, opset_read=11),
    Fault("keepdims-default", "ReduceSum", [(2, 3), _ints(1)], wrong={"keepdims": 0}),
    Fault("select-last", "ArgMax", [(4, 40)], {"axis": 1, "select_last_index": 1},
          wrong={"select_last_index": 0}),
    Fault("pads-order", "Conv", [IMAGE, KERNEL], {"pads": [0, 1, 2, 1]},
          wrong={"pads": [0, 2, 1, 1]}),
    Fault("same-lower", "Conv", [IMAGE, KERNEL], {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
          wrong={"auto_pad": "SAME_UPPER"}),
    Fault("dilations", "Conv", [IMAGE, KERNEL], {"dilations": [1, 2], "pads": [1, 1, 1, 1]},
          wrong={"dilations": [1, 1], "pads": [1, 0, 1, 0]}),
    Fault("output-padding", "ConvTranspose", [IMAGE, KERNEL],
          {"strides": [2, 2], "output_padding": [1, 0]}, wrong={"output_padding": None}),
    Fault("ceil-mode", "MaxPool", [IMAGE], {**WINDOW, "ceil_mode": 1}, wrong={"ceil_mode": None}),
    Fault("count-pad", "AveragePool", [IMAGE],
          {**WINDOW, "pads": [1, 1, 1, 1], "count_include_pad": 1},
          wrong={"count_include_pad": None}),
    Fault("coordinates", "Resize", [IMAGE, None, np.array([1, 1, 2, 2], np.float32)],
          {"mode": "linear"}, wrong={"coordinate_transformation_mode": "asymmetric"}),
    Fault("nearest", "Resize", [IMAGE, None, np.array([1, 1, 2, 1.5], np.float32)],
          wrong={"nearest_mode": "ceil"}),
    Fault("trans-b", "Gemm", [(3, 3), _floats(3, 3)], {"transB": 1}, wrong={"transB": 0}),
    Fault("alpha", "Gemm", [(3, 3), _floats(3, 3)], {"alpha": 0.5}, wrong={"alpha": None}),
    Fault("beta", "Gemm", [(3, 3), _floats(3, 3), _floats(3)], {"beta": 0.5}, wrong={"beta": None}),
    Fault("epsilon-batch", "BatchNormalization", STATISTICS, wrong={"epsilon": 1e-3}),
    Fault("epsilon-layer", "LayerNormalization", [(2, 8), _floats(8), _floats(8)],
          wrong={"epsilon": 1e-6}),
    Fault("epsilon-instance", "InstanceNormalization", [IMAGE, CHANNELS, CHANNELS],
          wrong={"epsilon": 1e-6}),
    Fault("scale-and-shift", "BatchNormalization", STATISTICS, order=_swapped(1, 2)),
    Fault("direction", "LSTM", GATES, {"hidden_size": 4, "direction": "reverse"},
          wrong={"direction": "forward"}),
    Fault("hidden-and-cell", "LSTM", GATES, {"hidden_size": 4}, outputs=3,
          results=lambda found: [found[0], found[2], found[1]]),
    Fault("approximate", "Gelu", [(2, 8)], {"approximate": "tanh"}, wrong={"approximate": None}),
    Fault("min-and-max", "Clip", [(2, 8), _scalar(-0.5), _scalar(0.75)], order=_swapped(1, 2)),
    Fault("perm-default", "Transpose", [(3, 3, 3)], wrong={"perm": [0, 2, 1]}),
    Fault("split-order", "Split", [(4, 3), _ints(2, 2)], outputs=2,
          results=lambda found: list(found)[::-1]),
    Fault("steps", "Slice", [(9, 3), *STEPS], order=lambda x: [x[0], x[2], x[1], x[3]]),
    Fault("pad-mode", "Pad", [(3, 4), _ints(0, 1, 0, 2)], {"mode": "reflect"},
          wrong={"mode": "edge"}),
    Fault("operands", "Sub", [(2, 3), (2, 3)], order=_swapped(0, 1)),
    Fault("branches", "Where", [np.array([True, False, True]), (3,), (3,)], order=_swapped(1, 2)),
    Fault("gather-axis", "Gather", [(3, 3), _ints(0, -1)], {"axis": 1}, wrong={"axis": None}),
    Fault("alpha-default", "LeakyRelu", [(2, 8)], wrong={"alpha": 0.2}),
    Fault("slope-default", "HardSigmoid", [(2, 8)], wrong={"alpha": 1 / 6}),
    Fault("crd", "DepthToSpace", [(1, 8, 2, 2)], {"blocksize": 2, "mode": "CRD"},
          wrong={"mode": None}),
    Fault("largest", "TopK", [(2, 8), _ints(3)], {"largest": 0}, wrong={"largest": 1}, outputs=2),
    Fault("exclusive", "CumSum", [(2, 8), np.array(1)], {"exclusive": 1},
          wrong={"exclusive": None}),
    Fault("fmod", "Mod", [(2, 8), (2, 8)], {"fmod": 1}, wrong={"fmod": 0}),
    Fault("upper-default", "Trilu", [(4, 4)], wrong={"upper": 0}),
    Fault("reduction", "ScatterElements", [(4, 3), _ints(1, 0, 2).reshape(1, 3), (1, 3)],
          {"reduction": "add"}, wrong={"reduction": None}),
    Fault("corners", "GridSample", [IMAGE, (1, 5, 5, 2)], {"align_corners": 1},
          wrong={"align_corners": 0}),
    Fault("groups", "GroupNormalization", [IMAGE, CHANNELS, CHANNELS], {"num_groups": 2},
          wrong={"num_groups": 4}),
    Fault("equation", "Einsum", [(3, 3), (3, 3)], {"equation": "ij,jk->ik"},
          wrong={"equation": "ij,kj->ik"}),
    Fault("zero-point", "DequantizeLinear", [np.arange(8, dtype=np.uint8), _scalar(0.25),
          np.array(3, np.uint8)], order=lambda x: x[:2]),
]  # fmt: skip
IDS = [f.name for f in FAULTS]


def _check(model: onnx.ModelProto, full: bool = False) -> ImportChecked:
    """Import a model and check it, as a compile does by default."""
    context, record = new_context(WeightStore()), ImportRecord()
    module = import_model(model, None, context, record=record)
    check_wiring(record, module, context.weights, {})
    return check_nodes(record, "tested", full)


@pytest.mark.parametrize("fault", FAULTS, ids=IDS)
def test_right_import_is_accepted(fault: Fault):
    found = _check(fault.model())
    assert (found.checked, found.kinds, found.left_out) == (1, 1, {})


@pytest.mark.parametrize("fault", FAULTS, ids=IDS)
def test_fault_is_found(fault: Fault, monkeypatch: pytest.MonkeyPatch):
    fault.put_in(monkeypatch)
    with pytest.raises(CompileError, match="differs from the ONNX reference") as error:
        _check(fault.model())
    assert error.value.at == "faulty"


def _attention(**attributes: int) -> onnx.ModelProto:
    return Fault("attention", "Attention", [(2, 3, 4, 8)] * 3, attributes, opset=23).model()


def test_where_onnx_contradicts_itself_either_is_right():
    """A causal mask is for 1 in the operator's body, for all but 0 in the reference's code."""
    found = _check(_attention(is_causal=7))
    assert (found.checked, found.left_out) == (found.kinds, {})


def test_what_is_neither_is_found(monkeypatch: pytest.MonkeyPatch):
    def make(scores: SSAValue, axis: IntegerAttr) -> SoftmaxOp:
        return SoftmaxOp.make(scores, axis=IntegerAttr(axis.value.data - 1, axis.type))

    monkeypatch.setattr(heads, "SoftmaxOp", SimpleNamespace(make=make))
    with pytest.raises(CompileError, match="import of this Attention of opset 23 differs"):
        _check(_attention(is_causal=7))


def test_indices_of_a_function_are_inside_its_tables():
    """The operators of single nodes say what they take; a function of the model does not."""
    loss = helper.make_node("SoftmaxCrossEntropyLoss", ["x", "y"], ["z"])
    imports = [helper.make_opsetid("", 13), helper.make_opsetid("local", 1)]
    function = helper.make_function("local", "f", ["x", "y"], ["z"], [loss], imports[:1])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (3, 5))
    y = helper.make_tensor_value_info("y", TensorProto.INT64, (3,))
    call = helper.make_node("f", ["x", "y"], ["z"], "call", domain="local")
    graph = helper.make_graph([call], "g", [x, y], [onnx.ValueInfoProto(name="z")])
    model = helper.make_model(graph, opset_imports=imports, functions=[function], ir_version=10)
    found = _check(model)
    assert (found.checked, found.left_out) == (found.kinds, {})


def test_scales_of_a_function_are_positive():
    """The quotient of 0 and 0 is no number, and no byte."""
    quantize = helper.make_node("QuantizeLinear", ["a", "b", "c"], ["d"], block_size=2)
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)]
    function = helper.make_function("local", "f", list("abc"), ["d"], [quantize], imports[:1])
    call = helper.make_node("f", ["x", "s", "z"], ["y"], "call", domain="local")
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (3, 4))
    s = helper.make_tensor_value_info("s", TensorProto.FLOAT, (3, 2))
    z = helper.make_tensor_value_info("z", TensorProto.UINT8, (3, 2))
    graph = helper.make_graph([call], "g", [x, s, z], [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=imports, functions=[function], ir_version=10)
    found = _check(model)
    assert (found.checked, found.left_out) == (found.kinds, {})


def test_kinds_beyond_a_number_are_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(import_check, "MOST_KINDS", 1)
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["y"], ["z"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (3,))
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name="z")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    found = _check(model)
    assert (found.checked, found.left_out) == (1, {"Neg": "more than 1 kinds of nodes"})
    assert _check(model, full=True).left_out == {}


def _one(node: NodeProto, **inputs: tuple[int, Sequence[int]]) -> onnx.ModelProto:
    """Return a model of one node, whose inputs have types and sizes."""
    ends = [helper.make_tensor_value_info(n, t, sizes) for n, (t, sizes) in inputs.items()]
    graph = helper.make_graph([node], "g", ends, [onnx.ValueInfoProto(name=node.output[0])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)


@pytest.mark.parametrize("type", [TensorProto.FLOAT16, TensorProto.BFLOAT16])
def test_what_the_reference_loses_in_half_precision_is_no_difference(type: int):
    """The cube of 0.01 is no normal float16."""
    pool = helper.make_node("LpPool", ["x"], ["y"], kernel_shape=[3, 3], p=3, pads=[2, 2, 2, 2])
    found = _check(_one(pool, x=(type, (1, 3, 28, 28))))
    assert (found.checked, found.left_out) == (found.kinds, {})


def test_a_fault_is_found_in_half_precision_too(monkeypatch: pytest.MonkeyPatch):
    Fault("pool", "LpPool", [(1, 3, 28, 28)], {}, wrong={"p": 2}).put_in(monkeypatch)
    pool = helper.make_node("LpPool", ["x"], ["y"], "faulty", kernel_shape=[3, 3], p=3)
    with pytest.raises(CompileError, match="differs from the ONNX reference"):
        _check(_one(pool, x=(TensorProto.FLOAT16, (1, 3, 28, 28))))


def test_a_node_that_the_reference_takes_in_small_alone_is_made_small():
    """Its gather of elements chooses among 64 at most."""
    gather = helper.make_node("GatherElements", ["x", "i"], ["y"], axis=1)
    sizes = {"x": (TensorProto.FLOAT, (1, 16320)), "i": (TensorProto.INT64, (1, 200))}
    found = _check(_one(gather, **sizes))
    assert (found.checked, found.left_out) == (found.kinds, {})


def test_kinds_that_are_not_checked_are_counted_for_the_user_and_explained_in_the_report():
    pad = helper.make_node("Pad", ["x"], ["y"], mode="edge", pads=[1, -1])
    graph = _one(pad, x=(TensorProto.FLOAT, (30,)))
    graph.opset_import[0].version = 10
    found = _check(graph)
    assert found.text() == "1 of 1 kinds of nodes not checked against ONNX's reference (see report)"
    assert "the reference fails" in found.certificate()["left_out"]["Pad"]
