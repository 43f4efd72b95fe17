"""What the report of an artifact says about its kernels."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc.compiler import Options, compile_to, launch_check
from dlc.compiler.outcome import Report
from dlc.report.compiles.text import explain
from dlc.verification.groups import GroupsChecked, verify_groups

SIZE = 264


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


TARGETS = ["cpu", "sm_90a"]
NODES = [["norm 0", "norm 1"], ["product 0", "bias 0"], ["product 1"]]
"""Of each kernel; the first one is launched twice."""


@pytest.mark.parametrize("target", TARGETS)
def test_nodes_are_what_a_kernel_computes_and_no_constant(tmp_path: Path, target: str) -> None:
    assert [kernel["nodes"] for kernel in kernels(tmp_path, target)] == NODES


@pytest.mark.parametrize("target", TARGETS)
def test_operations_are_those_of_the_first_launch(tmp_path: Path, target: str) -> None:
    assert kernels(tmp_path, target)[1]["operations"] == ["graph.matmul", "graph.add"]


def test_shared_memory_includes_what_a_launch_adds(tmp_path: Path) -> None:
    """The factors' tiles, one copy per stage, are in dynamic shared memory."""
    products = [k for k in kernels(tmp_path, "sm_90a") if "graph.matmul" in k["operations"]]
    assert products
    for product in products:
        assert product["resources"]["shared_bytes"] >= 2 * 4 * SIZE


def test_runners_up_are_other_schedules_in_order(tmp_path: Path) -> None:
    for kernel in kernels(tmp_path, "sm_90a"):
        schedules = [kernel["schedule"], *(each["schedule"] for each in kernel["runners_up"])]
        assert len({str(schedule) for schedule in schedules}) == len(schedules) == 4
        times = [kernel["bound"], *kernel["runners_up"]]
        seconds = [each["estimate_us"] for each in times]
        assert all(each["bound_us"] > 0 for each in kernel["runners_up"])
        assert all(later >= 0.99 * earlier for earlier, later in pairwise(seconds))


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_schedules_and_bounds_are_data(tmp_path: Path, target: str) -> None:
    for kernel in kernels(tmp_path, target):
        assert kernel["schedule"]["strategy"] in ("row", "contract")
        assert kernel["bound"]["time_us"] > 0
    assert isinstance(kernels(tmp_path, target)[1]["schedule"]["tile"], list)


def test_the_report_has_the_same_data_in_memory_and_in_the_artifact(tmp_path: Path) -> None:
    outcome = compile_to(tmp_path / "model.so", block(), Options("sm_90a", verify=False))
    assert dlc.load(tmp_path / "model.so").report == outcome.report
    assert outcome.report["inputs"] == [{"name": "x", "dtype": "float32", "shape": [SIZE, SIZE]}]
    assert outcome.report["outputs"] == [{"name": "y", "dtype": "float32", "shape": [SIZE, SIZE]}]


def test_each_kernel_is_verified_once_however_small_the_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def without_time(*arguments: Any) -> GroupsChecked:
        return verify_groups(*arguments[:-1], budget_seconds=0)

    monkeypatch.setattr(launch_check, "verify_groups", without_time)
    checked = compile_to(tmp_path / "model.so", block(), Options("cpu")).checked
    assert "verified: 3 of 3 kernels in 3 of 4 launches" in checked


def test_explain_writes_lists_of_a_schedule_in_brackets() -> None:
    kernel = {"name": "g0", "launches": 1, "operations": ["graph.add"], "nodes": ["a", "b"]}
    schedule = {"strategy": "contract", "tile": [16, 32], "cores": False}
    kernels = [{**kernel, "schedule": schedule}]
    variant = {"target": "cpu", "launches": 1, "workspace_bytes": 0, "kernels": kernels}
    report = {"target": "cpu", "precision": "fp32", "weights_bytes": 0, "variants": [variant]}
    lines = explain(report).splitlines()
    assert "  nodes: a, b" in lines
    assert "  schedule: strategy = contract, tile = [16, 32], cores = False" in lines


def test_explain_says_of_a_runner_up_what_differs() -> None:
    taken = {"strategy": "row", "target": "gpu", "threads": 64, "vector": 4}
    shorter = {key: taken[key] for key in ("strategy", "target", "threads")}
    others = [taken | {"threads": 128}, shorter, {"strategy": "map", "target": "gpu"}]
    runners_up = [{"schedule": each, "bound_us": 1.0} for each in others]
    kernel = {"name": "g0", "operations": ["graph.relu"], "launches": 1, "schedule": taken}
    kernels = [{**kernel, "runners_up": runners_up}]
    variant = {"target": "sm_90a", "launches": 1, "workspace_bytes": 0, "kernels": kernels}
    head = {"target": "sm_90a", "precision": "fp32", "weights_bytes": 0}
    lines = explain({**head, "variants": [variant]}).splitlines()
    assert [line for line in lines if "runner-up" in line] == [
        "  runner-up: threads = 128: bound_us = 1",
        "  runner-up: vector = none: bound_us = 1",
        "  runner-up: strategy = map, target = gpu: bound_us = 1",
    ]
