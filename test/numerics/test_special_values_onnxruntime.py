"""ONNX's elementwise operators mean at special values what ONNX Runtime computes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from special_samples import FLOATS, NUMBERS, SIGNED, UNSIGNED, special

from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context

OPSET = 18
ULPS = 16
"""What the functions of both libraries may be off together: libm states at most 4 for each step."""
EITHER_ZERO = ("Max", "Min", "Relu")
"""Where -0.0 meets 0.0, and either may be given."""


@dataclass(frozen=True)
class Node:
    """A node and its operands."""

    op_type: str
    operands: tuple[Array, ...]
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        text = "-".join(f"{key}{value}" for key, value in self.attributes.items())
        return f"{self.op_type}-{self.operands[0].dtype}-{text}"

    def model(self) -> onnx.ModelProto:
        """Return the model of the node alone; the operands are its inputs."""
        names = [f"x{n}" for n in range(len(self.operands))]
        kinds = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in self.operands]
        inputs = [
            helper.make_tensor_value_info(name, kind, x.shape)
            for name, kind, x in zip(names, kinds, self.operands, strict=True)
        ]
        initializers: list[onnx.TensorProto] = []
        if self.op_type == "CumSum":
            initializers.append(numpy_helper.from_array(np.array(0, np.int64), "axis"))
        node = helper.make_node(
            self.op_type, [*names, *(i.name for i in initializers)], ["y"], **self.attributes
        )
        outputs = [onnx.ValueInfoProto(name="y")]
        graph = helper.make_graph([node], "g", inputs, outputs, initializers)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9
        )


F32, F64 = FLOATS[:2]
WIDE = [*SIGNED[2:], *UNSIGNED[2:]]


def arithmetic() -> Iterator[Node]:
    for op, dtype in product(("Add", "Sub", "Mul", "Div", "Max", "Min"), (F32, F64, *WIDE)):
        x, y = special(dtype), special(dtype)
        if op == "Div" and dtype.kind in "iu":  # what ONNX does not define, ONNX Runtime traps on
            y = y[(y != 0) & (y.astype(np.float64) != -1)]
        yield Node(op, (x[:, None], y))
    for dtype in (F32, F64):
        yield Node("Mod", (special(dtype)[:, None], special(dtype)), {"fmod": 1})
        yield Node("Pow", (special(dtype)[:, None], special(dtype)))
    for dtype, fmod in product((*SIGNED, *UNSIGNED), (0, 1)):
        if fmod and dtype.itemsize == 8:
            continue  # ONNX Runtime computes these in double, which does not hold them
        y = special(dtype)
        yield Node("Mod", (special(dtype)[:, None], y[(y != 0) & (y != -1)]), {"fmod": fmod})


def functions() -> Iterator[Node]:
    for op, dtype in product(
        ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"), (F32, F64, *WIDE)
    ):
        yield Node(op, (special(dtype)[:, None], special(dtype)))
    for op, dtype in product(("Abs", "Sign"), (F32, *SIGNED, *UNSIGNED)):
        yield Node(op, (special(dtype),))
    for op in (
        *("Neg", "Floor", "Ceil", "Round", "Sqrt", "Exp", "Log", "Tanh", "Erf", "Sin", "Cos"),
        # not Sigmoid: ONNX Runtime gives 0 below -18
        *("Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Relu"),
        *("Softplus", "Softsign", "Elu", "LeakyRelu", "IsNaN", "Reciprocal"),
    ):
        yield Node(op, (special(F32),))
    for dtype, direction in product(UNSIGNED[2:], ("LEFT", "RIGHT")):
        bits = np.array([0, 1, 5, 31], dtype)
        yield Node("BitShift", (special(dtype)[:, None], bits), {"direction": direction})


def conversions() -> Iterator[Node]:
    for source in NUMBERS[:-1]:  # numpy cannot hand a bfloat16 to ONNX Runtime
        for target in (F32, F64, *SIGNED, *UNSIGNED):
            x = special(source)
            if source.kind not in "iu" and target.kind in "iu":
                limit = 2.0 ** min(31, 8 * target.itemsize - (target.kind == "i"))
                wide = x.astype(np.float64)
                x = x[(wide >= 0) & (wide < limit)]
            yield Node("Cast", (x,), {"to": helper.np_dtype_to_tensor_dtype(target)})


def running_sums() -> Iterator[Node]:
    for exclusive in (0, 1):
        zeros = np.array([-0.0, -0.0, 1.0, -1.0, -0.0], np.float32)
        yield Node("CumSum", (zeros,), {"exclusive": exclusive})
        yield Node("CumSum", (special(SIGNED[3]),), {"exclusive": exclusive})


NODES = [*arithmetic(), *functions(), *conversions(), *running_sums()]


@pytest.mark.parametrize("this", NODES, ids=str)
def test_operator(this: Node) -> None:
    model = this.model()
    feeds = {f"x{n}": x for n, x in enumerate(this.operands)}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    right = np.asarray(session.run(None, feeds)[0])
    context = new_context()
    module = import_model(model, None, context)
    (found,) = run_reference(module, feeds, context.weights).values()
    assert found.dtype == right.dtype
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, right)
        return
    np.testing.assert_array_equal(np.isnan(found), np.isnan(right))
    number = ~np.isnan(right)
    kind = np.finfo(found.dtype)
    np.testing.assert_allclose(
        found[number], right[number], rtol=ULPS * kind.eps, atol=ULPS * kind.tiny
    )
    if this.op_type not in EITHER_ZERO:
        zero = (found == 0) & (right == 0)
        np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(right[zero]))
