"""Older versions of operators, said in newer ones.

The ONNX reference implementation has the newest meaning of these operators only, whatever opset a
model is of.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, NodeProto, helper, numpy_helper

from dlc.frontends.onnx.loading import domain_name
from dlc.verification.onnx_faults import NoReferenceError


def in_newer_operators(model: ModelProto) -> ModelProto:
    """Return a model whose operators have a meaning that the reference has, whatever the opset."""
    opset = next((o.version for o in model.opset_import if not domain_name(o.domain)), 0)
    for node in model.graph.node:
        change = _NEWER.get(node.op_type) if not domain_name(node.domain) else None
        if change and opset < change.until:
            if len(model.graph.node) > 1:
                raise NoReferenceError(f"{node.op_type} of opset {opset} stands beside others")
            return change.rewrite(model)
    return model


def _on_matrix(model: ModelProto) -> ModelProto:
    """Softmax and its kin took their operand for a matrix, the axes from ``axis`` on its rows."""
    old = model.graph.node[0]
    axis = next((a.i for a in old.attribute if a.name == "axis"), 1)
    nodes = [
        helper.make_node("Shape", [old.input[0]], ["sizes"]),
        helper.make_node("Flatten", [old.input[0]], ["matrix"], axis=axis),
        helper.make_node(old.op_type, ["matrix"], ["rows"], axis=-1),
        helper.make_node("Reshape", ["rows", "sizes"], old.output),
    ]
    return _replaced(model, nodes, 13)


def _as_inference(model: ModelProto) -> ModelProto:
    """The first versions of BatchNormalization train in the reference where momentum is stated."""
    new = NodeProto()
    new.CopyFrom(model.graph.node[0])
    kept = [a for a in new.attribute if a.name == "epsilon"]
    if any(a.name == "spatial" and a.i == 0 for a in new.attribute):
        raise NoReferenceError("statistics of single elements are not in the reference")
    del new.attribute[:]
    new.attribute.extend(kept)
    return _replaced(model, [new], 14)


def _as_resize(model: ModelProto) -> ModelProto:
    """Upsample, and Resize of opset 10: positions are multiplied, and rounded down."""
    old = model.graph.node[0]
    attributes = {a.name: a for a in old.attribute}
    if "scales" in attributes:
        scales = np.array(attributes["scales"].floats, np.float32)
        model.graph.initializer.append(numpy_helper.from_array(scales, "scales"))
    scale = "scales" if "scales" in attributes else old.input[1]
    mode = attributes["mode"].s.decode() if "mode" in attributes else "nearest"
    rules = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    new = helper.make_node("Resize", [old.input[0], "", scale], old.output, mode=mode, **rules)
    return _replaced(model, [new], 11)


def _as_scatter_elements(model: ModelProto) -> ModelProto:
    """Scatter was renamed."""
    new = NodeProto()
    new.CopyFrom(model.graph.node[0])
    new.op_type = "ScatterElements"
    return _replaced(model, [new], 11)


def _replaced(model: ModelProto, nodes: Sequence[NodeProto], opset: int) -> ModelProto:
    """Return a model with other nodes, of another opset."""
    del model.graph.node[:], model.opset_import[:]
    model.graph.node.extend(nodes)
    model.opset_import.append(helper.make_opsetid("", opset))
    return model


@dataclass(frozen=True)
class _Newer:
    """How a model of one node of an opset before ``until`` is said in operators of a newer one."""

    until: int
    rewrite: Callable[[ModelProto], ModelProto]


_NEWER: Mapping[str, _Newer] = {
    **dict.fromkeys(["Softmax", "LogSoftmax", "Hardmax"], _Newer(13, _on_matrix)),
    "BatchNormalization": _Newer(14, _as_inference),
    "Resize": _Newer(11, _as_resize),
    "Upsample": _Newer(11, _as_resize),
    "Scatter": _Newer(12, _as_scatter_elements),
}
"""Operators whose older meaning the reference does not have."""
