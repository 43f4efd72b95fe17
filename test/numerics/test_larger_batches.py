"""A real network at batches that its file does not name: what ONNX Runtime says it gives.

SqueezeNet is the light model of the ``onnx`` package without a reshape to batch 1. Its file fixes
the batch; ``shapes`` changes it.
"""

from math import prod
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

import dlc
from dlc.frontends.onnx.importer import import_model
from dlc.registry import new_context
from dlc.verification.error_bound import error_bound, relative_error

FILE = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"
INPUT = "data_0"
SIDE = 64


def with_random_weights() -> onnx.ModelProto:
    """Return the network with random weights in place of repeated values.

    Their size keeps the size of what goes through a convolution and a relu.
    """
    model = onnx.load(FILE)
    graph, generator = model.graph, np.random.default_rng(0)
    sizes = {x.name: x for x in graph.initializer}
    made = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    for node in made:
        shape = numpy_helper.to_array(sizes[node.input[0]]).tolist()
        weight = generator.standard_normal(shape) * (2 / prod(shape[1:] or shape)) ** 0.5
        graph.initializer.append(numpy_helper.from_array(weight.astype(np.float32), node.output[0]))
        graph.node.remove(node)
    for size in {node.input[0] for node in made}:
        graph.initializer.remove(sizes[size])
    for value in [x for x in graph.input if x.name != INPUT]:
        graph.input.remove(value)
    del graph.value_info[:]
    return model


def fixed_to(model: onnx.ModelProto, shape: list[int]) -> onnx.ModelProto:
    """Return the model with another size of its input, as ONNX Runtime wants it."""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    for dim, size in zip(fixed.graph.input[0].type.tensor_type.shape.dim, shape, strict=True):
        dim.dim_value = size
    for output in fixed.graph.output:
        output.type.tensor_type.ClearField("shape")
    return fixed


@pytest.mark.parametrize("batch", [3, 8])
def test_squeezenet_agrees_with_onnx_runtime(batch: int) -> None:
    model, shape = with_random_weights(), [batch, 3, SIDE, SIDE]
    x = np.random.default_rng(batch).standard_normal(shape).astype(np.float32)
    session = onnxruntime.InferenceSession(fixed_to(model, shape).SerializeToString())
    wanted = np.asarray(session.run(None, {INPUT: x})[0])
    assert wanted.shape[0] == batch
    compiled = dlc.compile(model, target="cpu", shapes={INPUT: shape}, verify=False)
    (found,) = compiled.run({INPUT: x}).values()
    bound = error_bound(import_model(model, {INPUT: shape}, new_context()), "fp32")
    assert relative_error(wanted, found) <= bound
    assert relative_error(wanted[0], wanted[1]) > 100 * bound  # not one image for all of the batch
