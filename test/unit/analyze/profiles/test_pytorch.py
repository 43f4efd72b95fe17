"""Traces of PyTorch's profiler."""

from pathlib import Path
from typing import Any

import onnx
import pytest
from layer_models import HEAD, with_weights
from onnx.parser import parse_model
from profile_files import DATA, entries, event, layer_us, profiled, write_torch

from dlc.analyze import analyze
from dlc.analyze.profiles import read_profile
from dlc.compiler import Options

NAMES = {
    "aten::conv2d": ["stem_conv", "left_conv", "right_conv"],
    "aten::batch_norm": ["stem_norm"],
    "aten::linear": ["head"],
    "aten::cat": ["join"],
    "aten::softmax": ["chances"],
}


def test_a_recorded_trace_has_each_layer_in_order() -> None:
    report = profiled(DATA / "torch-cpu.json.gz")
    found = layer_us(report)
    assert len(found) == 14
    assert not report["profile"]["unmatched"]
    events = entries("torch-cpu.json.gz")
    steps = [x for x in events if x.get("name", "").startswith("ProfilerStep#")][1:]
    for kind, layers in NAMES.items():
        each = [_times(events, step, kind) for step in steps]
        for number, name in enumerate(layers):
            middle = sorted(times[number] for times in each)[1]
            assert found[name] == pytest.approx(middle), name


def _times(events: list[Any], step: dict[str, Any], kind: str) -> list[float]:
    """Return the times of the outermost calls of a kind in a step."""
    end = step["ts"] + step["dur"]
    of = [x for x in events if x.get("cat") == "cpu_op" and x["name"] == kind]
    return [x["dur"] for x in of if step["ts"] <= x["ts"] < end]


def on_gpu(*calls: tuple[str, list[tuple[str, float]]], start: float = 0.0) -> list[Any]:
    """Return the events of calls, which lie in an inner one that launches their kernels."""
    found: list[Any] = []
    for number, (name, kernels) in enumerate(calls):
        at = start + 100 * number
        found += [event("cpu_op", name, at, 90), event("cpu_op", "aten::inner", at + 10, 70)]
        for place, (kernel, us) in enumerate(kernels):
            key = f"{at} {place}"
            found.append(event("cuda_runtime", "launch", at + 20 + place, 1, correlation=key))
            found.append(
                event("kernel", kernel, at + 5000 + place, us, correlation=key) | {"tid": 7}
            )
    return found


def test_kernels_of_a_call_that_is_not_known_are_of_none(tmp_path: Path) -> None:
    calls = (("aten::conv2d", [("fprop", 9.0)]), ("aten::strange", [("odd_kernel", 4.0)]))
    report = profiled(write_torch(tmp_path, *on_gpu(*calls)))
    assert layer_us(report) == {"stem_conv": 9}
    assert report["profile"]["unmatched"] == [{"name": "aten::inner", "us": 4.0, "count": 1}]


def test_kernels_that_no_call_launched_are_known_by_their_names(tmp_path: Path) -> None:
    kernels = [
        event("kernel", name, 100 * n, us, correlation=f"none {n}")
        for n, (name, us) in enumerate(
            (("cudnn_fprop_x", 9.0), ("bn_fw_inf_1C11", 2.0), ("mystery", 1.0), ("maxpool", 3.0))
        )
    ]
    report = profiled(write_torch(tmp_path, *kernels))
    assert layer_us(report) == {"stem_conv": 9, "stem_norm": 2, "pool": 3}
    assert report["profile"]["unmatched"] == [{"name": "mystery", "us": 1.0, "count": 1}]


def test_a_number_of_its_call_is_enough_for_a_kernel(tmp_path: Path) -> None:
    call = event("cpu_op", "aten::conv2d", 0, 10, **{"External id": 5})
    kernel = event("kernel", "any", 50, 4, **{"External id": 5, "correlation": 9})
    assert layer_us(profiled(write_torch(tmp_path, call, kernel))) == {"stem_conv": 4}


def test_steps_are_runs_and_the_first_one_warms_up(tmp_path: Path) -> None:
    events = [event("cpu_op", "aten::conv2d", 1, 7)]
    for number, us in enumerate((900.0, 4.0, 5.0)):
        at = 1000 * (number + 1)
        events += [event("user_annotation", f"ProfilerStep#{number}", at, 950)]
        events += on_gpu(("aten::conv2d", [("fprop", us)]), start=at + 10)
    assert [row.us for row in read_profile(write_torch(tmp_path, *events)).rows] == [4]


def test_what_is_around_known_calls_has_the_rest_of_its_time(tmp_path: Path) -> None:
    events = [
        event("cpu_op", "mine::block", 0, 100),
        event("cpu_op", "aten::conv2d", 10, 60),
        event("cpu_op", "aten::relu", 80, 10),
        event("cpu_op", "aten::clamp_min", 81, 8),
        event("cpu_op", "aten::zeros", 200, 5),
        event("cpu_op", "aten::empty", 201, 2),
    ]
    report = profiled(write_torch(tmp_path, *events))
    assert layer_us(report) == {"stem_conv": 60, "stem_relu": 10}
    others = {each["name"]: each["us"] for each in report["profile"]["unmatched"]}
    assert others == {"mine::block": 30, "aten::zeros": 5}
    assert report["profile"]["total_us"] == 105


def test_shapes_decide_between_calls_of_one_kind(tmp_path: Path) -> None:
    """The first two convolutions of the model were not called: only that of 16 channels was."""
    call = event(
        "cpu_op", "aten::relu", 0, 5, **{"Input Dims": [[1, 16, 32, 32]], "Input type": ["float"]}
    )
    other = event("cpu_op", "aten::relu", 10, 7, **{"Input Dims": [[1, 16, 32, 32]]})
    found = layer_us(profiled(write_torch(tmp_path, call, other)))
    assert found == {"left_relu": 5, "right_relu": 7}


def test_a_bias_is_told_from_a_sum_of_two_results(tmp_path: Path) -> None:
    """Each reads one tensor that is no weight, the sum twice as many."""
    body = """m (float[1, 8, 64] x) => (float[1, 8, 64] y) {
        [product] a = MatMul(x, w) [bias] b = Add(a, v) [sum] y = Add(b, x) }"""
    path = tmp_path / "m.onnx"
    onnx.save(with_weights(parse_model(f"{HEAD} {body}"), {"w": (64, 64), "v": (64,)}), path)
    added = {"Input Dims": [[1, 8, 64], [1, 8, 64]]}
    trace = write_torch(
        tmp_path,
        event("cpu_op", "aten::linear", 0, 5, **{"Input Dims": [[1, 8, 64], [64, 64], [64]]}),
        event("cpu_op", "aten::add", 10, 7, **added),
    )
    found = layer_us(analyze(path, Options("cpu"), profile=trace))
    assert found["sum"] == 7
    assert found["product"] + found.get("bias", 0) == pytest.approx(5)


def test_kernels_of_a_graph_are_known_by_their_names(tmp_path: Path) -> None:
    """All have the launch of the graph, inside of one call."""
    names = (("cudnn_fprop_x", 9.0), ("bn_fw_inf_1C11", 2.0), ("maxpool", 3.0))
    events = [
        event("cpu_op", "aten::linear", 0, 100),
        event("cuda_runtime", "cudaGraphLaunch", 10, 5, correlation=1),
        *(event("kernel", k, 300 - n, us, correlation=1) for n, (k, us) in enumerate(names[::-1])),
    ]
    report = profiled(write_torch(tmp_path, *events))
    assert layer_us(report) == {"stem_conv": 9, "stem_norm": 2, "pool": 3}


def test_kernels_of_inductor_are_not_the_products_before_them(tmp_path: Path) -> None:
    calls = (
        ("aten::convolution", [("sm90_xmma_fprop", 9.0)]),
        ("mine::call", [("triton_poi_fused_convolution_relu_0", 4.0)]),
        ("aten::max_pool2d", [("max_pool_forward", 3.0)]),
        ("aten::convolution", [("sm90_xmma_fprop", 5.0)]),
    )
    found = layer_us(profiled(write_torch(tmp_path, *on_gpu(*calls)), "sm_90a"))
    assert found["stem_conv"] == 9
    assert found["stem_norm"] + found["stem_relu"] == pytest.approx(4)
    assert found["left_conv"] == 5
