"""Normalisations of a model that is stored in 16 bits: what lies between input and output fits into
the range of ``f32`` only.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from dlc.compiler import Options, compile_to
from dlc.runtime.model import Model

UNIT = {"fp16": 2.0**-11, "bf16": 2.0**-8}
"""Unit roundoffs."""

ROUNDINGS = 4
"""Of the input, the scale, the bias and the output."""

CASES: dict[str, tuple[str, Sequence[int], float, dict[str, Any]]] = {
    "a large layer": ("LayerNormalization", [4, 6], 1e4, {}),
    "a large row": ("LayerNormalization", [2, 16], 1e4, {}),
    "a small epsilon": ("LayerNormalization", [4, 64], 1e-4, {"epsilon": 1e-12}),
    "large root mean squares": ("RMSNormalization", [4, 6], 1e4, {}),
    "large groups": ("GroupNormalization", [1, 6, 3, 3], 1e4, {"num_groups": 2}),
    "large channels": ("InstanceNormalization", [1, 6, 3, 3], 1e4, {}),
}


def _model(operator: str, sizes: Sequence[int], attributes: dict[str, Any]) -> onnx.ModelProto:
    number = 1 if operator == "RMSNormalization" else 2
    count = sizes[1] if len(sizes) > 2 else sizes[-1]
    generator = np.random.default_rng(1)
    values = generator.uniform(0.5, 1.5, (number, count)).astype(np.float32)
    names = ["scale", "bias"][:number]
    node = helper.make_node(operator, ["x", *names], ["y"], **attributes)
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, sizes) for n in ("x", "y")]
    constants = [numpy_helper.from_array(v, n) for v, n in zip(values, names, strict=True)]
    graph = helper.make_graph([node], "one", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)


@pytest.mark.parametrize("precision", UNIT)
@pytest.mark.parametrize("case", CASES)
def test_inner_values_are_not_stored_in_half(case: str, precision: str, tmp_path: Path) -> None:
    operator, sizes, largest, attributes = CASES[case]
    model = _model(operator, sizes, attributes)
    compile_to(tmp_path / "m.so", model, Options("cpu", precision))
    x = np.random.default_rng(2).uniform(-largest, largest, sizes).astype(np.float32)
    (wanted,) = ReferenceEvaluator(model).run(None, {"x": x})
    (got,) = Model(tmp_path / "m.so").run({"x": x}).values()
    error = np.abs(got - wanted).max() / np.abs(wanted).max()
    assert error <= ROUNDINGS * UNIT[precision]
