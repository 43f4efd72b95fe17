"""What the report of an artifact says about its kernels."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from dlc.compiler import Options, compile_to
from dlc.compiler.outcome import Report

SIZE = 64


def block() -> onnx.ModelProto:
    """Return two layer normalisations and products; biases of zeros are one constant, equal
    epsilons too.
    """
    random = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32)
    weights = {
        "one": np.ones(SIZE, np.float32),
        "norm.bias": np.zeros(SIZE, np.float32),
        "product.bias": np.zeros(SIZE, np.float32),
        "w": random,
    }
    nodes = [
        helper.make_node("LayerNormalization", ["x", "one", "norm.bias"], ["n0"], "norm 0"),
        helper.make_node("MatMul", ["n0", "w"], ["p0"], "product 0"),
        helper.make_node("Add", ["p0", "product.bias"], ["b0"], "bias 0"),
        helper.make_node("LayerNormalization", ["b0", "one", "norm.bias"], ["n1"], "norm 1"),
        helper.make_node("MatMul", ["n1", "w"], ["y"], "product 1"),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [SIZE, SIZE]) for n in "xy"]
    stored = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "block", ends[:1], ends[1:], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def kernels(folder: Path, target: str) -> list[Report]:
    outcome = compile_to(folder / "model.so", block(), Options(target, verify=False))
    (variant,) = outcome.report["variants"]
    return variant["kernels"]


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_nodes_are_what_a_kernel_computes_and_no_constant(tmp_path: Path, target: str) -> None:
    found = kernels(tmp_path, target)
    assert [kernel["nodes"] for kernel in found] == [
        ["norm 0", "norm 1"],  # one kernel, launched twice
        ["product 0", "bias 0"],
        ["product 1"],
    ]
    assert found[1]["operations"] == ["graph.matmul", "graph.add"]


def test_shared_memory_includes_what_a_launch_adds(tmp_path: Path) -> None:
    """The factors' tiles, one copy per stage, are in dynamic shared memory."""
    for product in kernels(tmp_path, "sm_90a")[1:]:
        assert product["resources"]["shared_bytes"] >= 2 * 4 * SIZE
