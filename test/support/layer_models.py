"""Small models whose layers are analysed."""

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import ModelProto, numpy_helper
from onnx.parser import parse_model

from dlc.analyze import analyze
from dlc.compiler import Options
from dlc.compiler.outcome import Report

ATTENTION = """m (float[2, 16, 8] q, float[2, 8, 24] k, float[2, 24, 8] v) => (float[2, 16, 8] y)
{ [scores] s = MatMul(q, k) [weights] p = Softmax<axis = -1>(s) [values] y = MatMul(p, v) }"""

HEAD = '<ir_version: 8, opset_import: ["": 17]>'


def analysis(
    body: str,
    weights: Mapping[str, Sequence[int]] | None = None,
    target: str = "sm_90a",
    precision: str = "fp16",
    libraries: Sequence[str] = (),
    backward: bool = False,
) -> Report:
    """Return the analysis of a model; weights: the shapes of initializers of distinct numbers."""
    options = Options(target, precision, libraries=libraries)
    model = with_weights(parse_model(f"{HEAD} {body}"), weights or {})
    return analyze(model, options, backward=backward)


def with_weights(model: ModelProto, weights: Mapping[str, Sequence[int]]) -> ModelProto:
    """Give a model initializers of these shapes; return it."""
    for name, sizes in weights.items():
        array = np.linspace(-1, 1, int(np.prod(sizes)), dtype=np.float32).reshape(sizes)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model
