"""Operators whose meaning or form changed between opsets, at each version, against ONNX Runtime.

ONNX's own node tests have the newest version of each operator only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context

LAST = 22
"""The newest opset that ONNX Runtime has every operator of the table for."""


@dataclass(frozen=True)
class Use:
    """A node from opset ``first`` up to ``last``; operands after the first ``fed`` are known."""

    op_type: str
    first: int
    last: int
    operands: Sequence[Array | None]
    fed: int = 1
    outputs: int = 1
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])

    def versions(self) -> list[int]:
        """Return the opsets in which the operator is another one than before, in the range."""
        span = range(self.first, self.last + 1)
        since = {v: onnx.defs.get_schema(self.op_type, v).since_version for v in span}
        return [v for v in span if v == self.first or since[v] != since[v - 1]]


def _normal(*sizes: int) -> Array:
    return np.random.default_rng(len(sizes)).standard_normal(sizes).astype(np.float32)


def _ints(*values: int) -> Array:
    return np.array(values, np.int64)


def _floats(*values: float) -> Array:
    return np.array(values, np.float32)


X, IMAGE, CHANNELS = _normal(2, 3, 4), _normal(2, 4, 6, 5), _normal(4)


def _uses() -> Iterator[Use]:
    for op_type in ("Softmax", "LogSoftmax", "Hardmax"):  # of a matrix before 13
        yield Use(op_type, 7, LAST, [X])
        yield Use(op_type, 7, LAST, [X], attributes={"axis": 0})
    for op_type in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceProd"):
        operand = 13 if op_type == "ReduceSum" else 18  # from here on axes are an input
        yield Use(op_type, 7, operand - 1, [X], attributes={"axes": [1], "keepdims": 0})
        yield Use(op_type, operand, LAST, [X, _ints(-1, 0)], attributes={"keepdims": 0})
        yield Use(op_type, operand, LAST, [X], attributes={"noop_with_empty_axes": 1})
    yield Use("Squeeze", 7, 12, [_normal(1, 3, 1)], attributes={"axes": [0]})
    yield Use("Squeeze", 13, LAST, [_normal(1, 3, 1), _ints(-1)])
    yield Use("Unsqueeze", 7, 12, [X], attributes={"axes": [0, 2]})
    yield Use("Unsqueeze", 13, LAST, [X, _ints(0, -1)])
    yield Use("Slice", 7, 9, [X], attributes={"starts": [1, -3], "ends": [3, 99], "axes": [1, 2]})
    yield Use("Slice", 10, LAST, [X, _ints(-1), _ints(-99), _ints(2), _ints(-2)])
    yield Use("Split", 7, 12, [X], outputs=2, attributes={"axis": 2, "split": [1, 3]})
    yield Use("Split", 13, LAST, [X, _ints(1, 3)], outputs=2, attributes={"axis": 2})
    yield Use("Split", 18, LAST, [X], outputs=2, attributes={"axis": 1, "num_outputs": 2})
    yield Use("Pad", 7, 10, [X], attributes={"pads": [0, 1, -1, 0, 0, 2], "value": 2.5})
    yield Use("Pad", 11, LAST, [X, _ints(0, 1, 0, 0, 0, 2)], attributes={"mode": "reflect"})
    yield Use("Pad", 18, LAST, [X, _ints(2, 1), _floats(3).reshape(()), _ints(-1)])
    yield Use("TopK", 7, 9, [X], outputs=2, attributes={"k": 2, "axis": 1})
    yield Use("TopK", 10, LAST, [X, _ints(2)], outputs=2, attributes={"axis": 1})
    yield Use("Clip", 7, 10, [X], attributes={"min": -0.5, "max": 0.5})
    yield Use("Clip", 11, LAST, [X, None, _floats(0.5).reshape(())])
    yield Use("Dropout", 7, 11, [X], attributes={"ratio": 0.3})
    yield Use("Dropout", 12, LAST, [X, _floats(0.3).reshape(())])
    yield Use("BatchNormalization", 7, LAST, [IMAGE, CHANNELS, CHANNELS, CHANNELS, CHANNELS**2])
    two = {"num_groups": 2}
    yield Use("GroupNormalization", 18, 20, [IMAGE, _normal(2), _normal(2)], attributes=two)
    yield Use("GroupNormalization", 21, LAST, [IMAGE, CHANNELS, CHANNELS], attributes=two)
    for mode in ("nearest", "linear"):
        mode_ = {"mode": mode}
        enlarged = {"mode": mode, "scales": [1.0, 1.0, 2.0, 1.4]}
        yield Use("Upsample", 7, 8, [IMAGE], attributes=enlarged)
        yield Use("Upsample", 9, 9, [IMAGE, _floats(1, 1, 2, 1.4)], attributes=mode_)
        for scale in (0.7, 0.6, 1.4, 2.5, 0.35, 1.13, 0.9):
            row, scales = _normal(1, 1, 1, 30), _floats(1, 1, 1, scale)
            yield Use("Resize", 10, 10, [row, scales], attributes=mode_)
            yield Use("Resize", 11, 12, [row, _floats(*[0] * 8), scales], attributes=mode_)
            for rounding in ("floor", "ceil"):
                attributes = {"mode": mode, "nearest_mode": rounding}
                yield Use("Resize", 13, LAST, [row, None, scales], attributes=attributes)
    yield Use("ScatterElements", 11, LAST, [X, np.zeros((1, 3, 4), np.int64), X[:1]], fed=3)
    yield Use("Scatter", 9, 10, [X, np.zeros((1, 3, 4), np.int64), X[:1]], fed=3)


USES = list(_uses())
CASES = [(use, version) for use in USES for version in use.versions()]


def _model(use: Use, opset: int) -> onnx.ModelProto:
    """Return a model of one node; what is not fed is an initializer."""
    names = ["" if x is None else f"x{n}" for n, x in enumerate(use.operands)]
    known = range(use.fed, len(names))
    inputs = [
        helper.make_tensor_value_info(names[n], helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for n, x in enumerate(use.operands)
        if x is not None and n not in known
    ]
    tensors = [
        numpy_helper.from_array(x, names[n])
        for n, x in enumerate(use.operands)
        if x is not None and n in known
    ]
    outputs = [f"y{n}" for n in range(use.outputs)]
    node = helper.make_node(use.op_type, names, outputs, **use.attributes)
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph([node], "g", inputs, results, tensors)
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


@pytest.mark.parametrize(
    ("use", "opset"), CASES, ids=[f"{n}-{u.op_type}-{v}" for n, (u, v) in enumerate(CASES)]
)
def test_version_agrees_with_onnx_runtime(use: Use, opset: int) -> None:
    model = _model(use, opset)
    feeds = {i.name: np.asarray(use.operands[n]) for n, i in enumerate(model.graph.input)}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    wanted: Sequence[Any] = session.run(None, feeds)
    context = new_context()
    module = import_model(model, {}, context)
    module.verify()
    found = run_reference(module, feeds, context.weights)
    for right, array in zip(wanted, found.values(), strict=True):
        assert array.shape == right.shape
        assert array.dtype == right.dtype
        # ONNX Runtime computes in float: a few roundings of sums of up to 100 terms
        largest = np.abs(right).max()
        np.testing.assert_allclose(array, right, rtol=0, atol=1e2 * 2**-24 * largest)
