"""Outputs that tell nothing: a comparison of nothing but NaN, or of one number, is none."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from dlc.compiler import Options, Outcome, compile_to
from dlc.core.parser import parse_module
from dlc.registry import new_context
from dlc.verification.evidence import Evidence


def outcome(tmp_path: Path, target: str, nodes: Sequence[NodeProto], **weights: object) -> Outcome:
    """Compile a model of ``x`` of 3x8 floats and ``y``."""
    tensors = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 8])]
    kept = [numpy_helper.from_array(np.asarray(w, np.float32), n) for n, w in weights.items()]
    ends = [onnx.ValueInfoProto(name="y")]
    graph = helper.make_graph(nodes, "graph", tensors, ends, kept)
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return compile_to(tmp_path / "model.so", model, Options(target))


LOG = [helper.make_node("Log", ["x"], ["l"]), helper.make_node("MatMul", ["l", "w"], ["y"])]
W = np.linspace(-1, 1, 40).reshape(8, 5)


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_a_sum_of_logarithms_is_compared_on_positive_numbers(tmp_path: Path, target: str) -> None:
    """On numbers of both signs each row has a NaN, so that every output is one."""
    found = outcome(tmp_path, target, LOG, w=W)
    assert "(positive, random" in found.checked
    assert "error 0.0e+00" not in found.checked
    assert list(found.cautions) == []


def test_an_output_that_is_always_nan_is_named(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["s"]),
        helper.make_node("Sub", ["m", "s"], ["n"]),
        helper.make_node("Sqrt", ["n"], ["y"]),
    ]
    found = outcome(tmp_path, "cpu", nodes, m=-1.0)
    assert "nothing compared: output 'y' was NaN or infinite everywhere on every input" in (
        found.checked
    )
    assert "error 0.0e+00" not in found.checked
    assert any("give verify_inputs" in line for line in found.cautions)
    assert found.report["certificate"]["run"]["told_nothing"] == {"y": "NaN or infinite"}


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_an_output_that_is_always_0_is_named(tmp_path: Path, target: str) -> None:
    nodes = [
        helper.make_node("Add", ["x", "m"], ["n"]),
        helper.make_node("Relu", ["n"], ["y"]),
    ]
    found = outcome(tmp_path, target, nodes, m=-1e6)
    assert "nothing compared: output 'y' was 0 everywhere on every input" in found.checked
    assert "error 0.0e+00" not in found.checked
    assert any("output 'y' was 0 everywhere" in line for line in found.cautions)


def test_a_model_without_outputs_has_nothing_to_compare() -> None:
    module = parse_module("func.func @main() {\n  func.return\n}", new_context())
    assert "nothing compared" in Evidence(module).silence.text("error 0.0e+00")


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_a_kernel_of_logarithms_is_compared_though_its_inputs_have_both_signs(
    tmp_path: Path, target: str
) -> None:
    """The mean is in the same kernel, and NaN where one number of a row is negative."""
    nodes = [helper.make_node("ReduceMean", ["l"], ["y"], axes=[1], keepdims=0)]
    nodes.insert(0, helper.make_node("Log", ["x"], ["l"]))
    found = outcome(tmp_path, target, nodes)
    assert "1 of 1 kernels" in found.checked
    assert "NaN" not in found.checked


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_kernels_without_numbers_are_not_counted(tmp_path: Path, target: str) -> None:
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["s"]),
        helper.make_node("Sub", ["m", "s"], ["n"], "below"),
        helper.make_node("Sqrt", ["n"], ["y"]),
    ]
    checked = outcome(tmp_path, target, nodes, m=-1.0).checked
    assert "0 of 1 kernels" in checked
    assert "NaN everywhere, or hidden by rounding noise: fused_group.group at" in checked
