"""Which nodes of a model are one kind, so that checking one of them checks them all."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.registry import new_context
from dlc.verification.node_kind import NodeKind


def _kinds(operator: str, constants: list[Array]) -> set[str]:
    """Return the keys of nodes that differ in their second operand, a constant, only."""
    names = [str(n) for n in range(len(constants))]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 8])
    ends = [helper.make_tensor_value_info(f"y{n}", TensorProto.FLOAT, None) for n in names]
    nodes = [helper.make_node(operator, ["x", f"c{n}"], [f"y{n}"]) for n in names]
    stored = [numpy_helper.from_array(c, f"c{n}") for c, n in zip(constants, names, strict=True)]
    graph = helper.make_graph(nodes, "g", [x], ends, stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    record = ImportRecord()
    import_model(model, None, new_context(WeightStore()), record=record)
    assert len(record.nodes) == len(constants)
    return {NodeKind.of(node, record).key() for node in record.nodes}


def test_nodes_with_other_axes_are_other_kinds() -> None:
    axes = [np.array([axis], np.int64) for axis in (0, 1, 1)]
    assert len(_kinds("ReduceSum", axes)) == 2


def test_nodes_with_another_scale_are_other_kinds() -> None:
    assert len(_kinds("Mul", [np.array(s, np.float32) for s in (0.5, 2, 2)])) == 2


def test_nodes_with_other_weights_are_one_kind() -> None:
    assert len(_kinds("MatMul", [np.full((8, 8), s, np.float32) for s in (0.5, 2, 2)])) == 1
