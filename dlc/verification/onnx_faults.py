"""What the ONNX reference implementation is known to get wrong, and nothing here corrects.

Found by running ONNX's own node tests, and each older version of the operators, through it (onnx
1.23).
"""

from collections.abc import Callable, Mapping

import numpy as np
from onnx import ModelProto, NodeProto, numpy_helper

from dlc.frontends.onnx.loading import domain_name

_DIGITS = 64.0
"""Multiples of 1/64 are exact in float, and so are their products with sizes."""

_OLD_RESIZE_INPUTS = 2
_MASK_OF_BOOLEANS = 10


class NoReferenceError(Exception):
    """The reference implementation says nothing about a model; the text says why."""


def check_faults(model: ModelProto) -> None:
    """Raise NoReferenceError for nodes that the reference is known to get wrong."""
    for node in model.graph.node:
        fault = FAULTS.get(node.op_type) if not domain_name(node.domain) else None
        if reason := fault(node, model) if fault else None:
            raise NoReferenceError(reason)


def _rounds_differently(node: NodeProto, model: ModelProto) -> str | None:
    """Sizes and positions are computed in double (op_resize.py), by ONNX Runtime in float: with
    scales of many digits another size, and the other of two nearest elements, may come out.
    """
    nearest = all(a.s == b"nearest" for a in node.attribute if a.name == "mode")
    growth = _growth(node, model)
    for size, scale in growth:
        exact = (_DIGITS * scale).is_integer()
        same_size = int(np.float32(size) * np.float32(scale)) == int(size * scale)
        if not exact and (nearest or not same_size):
            return "the reference computes sizes and positions in double"
    return None if growth else "its scales are not known"


def _growth(node: NodeProto, model: ModelProto) -> list[tuple[int, float]]:
    """Return the size of each axis that a Resize may change, and by how much it grows."""
    inputs = {i.name: i.type.tensor_type.shape.dim for i in model.graph.input}
    attributes = {a.name: a for a in node.attribute}
    sizes = [d.dim_value for d in inputs.get(node.input[0], ())]
    if "axes" in attributes:
        sizes = [sizes[axis] for axis in attributes["axes"].ints] if sizes else []
    if "scales" in attributes:
        return list(zip(sizes, attributes["scales"].floats, strict=False))
    known = {t.name: numpy_helper.to_array(t).tolist() for t in model.graph.initializer if t.name}
    number = 1 if len(node.input) == _OLD_RESIZE_INPUTS else 2
    found = [known.get(name, []) for name in node.input[number : number + 2]]
    scales, wanted = (*found, [], [])[:2]
    grown = [new / old if old else np.nan for old, new in zip(sizes, wanted, strict=False)]
    return list(zip(sizes, scales or grown, strict=False))


def _gives_booleans(node: NodeProto, model: ModelProto) -> str | None:
    """Until opset 9 the mask of a Dropout has the type of its input (op_dropout.py: bool)."""
    old = any(not o.domain and o.version < _MASK_OF_BOOLEANS for o in model.opset_import)
    if old and len(node.output) > 1:
        return "the reference gives a mask of booleans"
    return None


FAULTS: Mapping[str, Callable[[NodeProto, ModelProto], str | None]] = {
    "Dropout": _gives_booleans,
    "Resize": _rounds_differently,
    "Upsample": _rounds_differently,
}
"""What onnx 1.23 gets wrong, found with its own node tests and the operators' older versions."""
