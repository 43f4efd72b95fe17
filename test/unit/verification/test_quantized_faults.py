"""An artifact that quantises in another way than its model is refused."""

from math import inf
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from dlc import registry
from dlc.compiler import Options, compile_to
from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.runtime.model import Model
from dlc.verification.plan import Plan
from dlc.verification.reference import Reference
from dlc.verification.whole_model import Verification, verify

EVERYTHING = Plan(inf)
node = helper.make_node


def quantized(
    scale: float = 0.05, zero_point: int = 128, saturation: float = 9.0
) -> onnx.ModelProto:
    """Return two products with the tensor between them in 8 bits."""
    generator = np.random.default_rng(0)
    values = {
        "w": generator.standard_normal((96, 64), np.float32) / 8,
        "v": generator.standard_normal((64, 16), np.float32),
        "s": np.float32(scale),
        "z": np.uint8(zero_point),
        "t": np.float32(0.05),
        "n": np.uint8(128),
        "top": np.float32(saturation),
        "low": np.float32(-saturation),
    }
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("Clip", ["a", "low", "top"], ["b"]),
        node("QuantizeLinear", ["b", "s", "z"], ["q"]),
        node("DequantizeLinear", ["q", "t", "n"], ["d"]),
        node("MatMul", ["d", "v"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in ENDS.items()]
    weights = [numpy_helper.from_array(np.asarray(x), n) for n, x in values.items()]
    graph = helper.make_graph(nodes, "quantized", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


ENDS = {"x": [50, 96], "y": [50, 16]}


def verify_as(artifact_of: onnx.ModelProto, folder: Path) -> Verification:
    """Verify the artifact of one model as that of ``quantized()``."""
    compile_to(folder / "model.so", artifact_of, Options("cpu", verify=False))
    context = registry.new_context(WeightStore())
    right = import_model(quantized(), None, context)
    return verify(
        Model(folder / "model.so"), Reference(right, context.weights), "fp32", EVERYTHING, 1
    )


def test_the_artifact_of_the_model_is_accepted(tmp_path: Path) -> None:
    found = verify_as(quantized(), tmp_path)
    assert list(found.whole.cases) == ["random", "large", "zero", "ties", "small", "negative"]
    assert found.whole.worst <= found.whole.bound


FAULTS = {
    "scale": quantized(scale=0.0501),
    "zero point": quantized(zero_point=129),
    "saturation": quantized(saturation=1.0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refused(tmp_path: Path, fault: str) -> None:
    with pytest.raises(CompileError, match=r"output 'y' is off by .* on random input"):
        verify_as(FAULTS[fault], tmp_path)
