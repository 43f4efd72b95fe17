"""Profiles of ONNX Runtime."""

from pathlib import Path

import pytest
from layer_models import HEAD
from onnx.parser import parse_model
from profile_files import DATA, entries, layer_us, node, profiled, write_onnxruntime

from dlc import arch
from dlc.analyze import analyze
from dlc.analyze.profiles import read_profile
from dlc.compiler import Options


def run(start: float, us: float) -> dict[str, object]:
    return {"cat": "Session", "name": "model_run", "ts": start, "dur": us, "pid": 1, "tid": 1}


def test_a_profile_without_optimisations_has_each_layer_by_name() -> None:
    report = profiled(DATA / "onnxruntime-none.json.gz")
    found = layer_us(report)
    assert len(found) == 14
    assert not report["profile"]["unmatched"]
    times: dict[str, list[float]] = {}
    for entry in entries("onnxruntime-none.json.gz"):
        if entry["cat"] == "Node":
            times.setdefault(entry["name"].removesuffix("_kernel_time"), []).append(entry["dur"])
    for name, us in found.items():
        _, *others = times[name]
        assert us == sorted(others)[1], "the median of the runs but the first one"
        assert len(others) == 3


def test_fused_calls_give_their_time_to_their_layers_in_proportion() -> None:
    """``c_nchwc`` is the convolution that gives the tensor c, behind normalisation and relu."""
    report = profiled(DATA / "onnxruntime-all.json.gz")
    found = layer_us(report)
    rows = {row.name: row for row in read_profile(DATA / "onnxruntime-all.json.gz").rows}
    stem = ("stem_conv", "stem_norm", "stem_relu")
    assert sum(found[name] for name in stem) == pytest.approx(rows["c_nchwc"].us)
    estimates = {x["name"]: x["time_us"] for x in report["layers"]}
    parts = {name: found[name] / estimates[name] for name in stem}
    assert max(parts.values()) == pytest.approx(min(parts.values()))
    right = found["right_conv"] + found["right_relu"]
    assert right == pytest.approx(rows["h_nchwc"].us)
    assert [each["name"] for each in report["profile"]["unmatched"]] == ["ReorderOutput"]


def test_a_sum_is_in_the_call_that_ran_last_of_those_it_reads() -> None:
    """ONNX Runtime makes the sum and the relu of a block part of its convolution; the sums of the
    second and third block read the block before first.
    """
    path = DATA / "onnxruntime-residual.json.gz"
    found = layer_us(analyze(DATA / "residual.onnx", Options("cpu"), profile=path))
    rows = {row.name: row.us for row in read_profile(path).rows}
    assert len(found) == 12
    assert found["side"] == rows["c_nchwc"]
    for number, name in enumerate(("d_nchwc", "g_nchwc", "j_nchwc"), 1):
        block = sum(found[f"{kind}{number}"] for kind in ("conv", "add", "relu"))
        assert block == pytest.approx(rows[name])


def test_the_first_of_several_runs_warms_up(tmp_path: Path) -> None:
    events = [
        item
        for number, us in enumerate((900, 4, 5))
        for item in (node("stem_conv", "Conv", us, 1000 * number), run(1000 * number, 950))
    ]
    path = write_onnxruntime(tmp_path, *events)
    assert [row.us for row in read_profile(path).rows] == [4]
    assert [row.us for row in read_profile(write_onnxruntime(tmp_path, *events[:2])).rows] == [900]


def test_kernels_are_those_of_the_node_before_them(tmp_path: Path) -> None:
    kernels = [
        {"cat": "Kernel", "name": name, "dur": us, "ts": 0, "pid": 2, "tid": 1}
        for name, us in (("nchwToNhwcKernel", 3), ("sm90_xmma_fprop", 9), ("relu", 2))
    ]
    first = node("stem_conv", "Conv", 500)
    second = node("stem_relu", "Relu", 500, 600)
    pool = node("pool", "MaxPool", 500, 1200)
    path = write_onnxruntime(tmp_path, first, *kernels[:2], second, kernels[2], pool)
    report = profiled(path, "sm_90a")
    assert layer_us(report)["stem_conv"] + layer_us(report)["stem_norm"] == pytest.approx(12)
    assert layer_us(report)["stem_relu"] == pytest.approx(2)
    assert report["layers"][0]["profile_kernels"] == ["nchwToNhwcKernel", "sm90_xmma_fprop"]
    assert not report["profile"]["remarks"]


def test_without_kernels_times_on_a_gpu_are_said_to_be_those_of_launches(tmp_path: Path) -> None:
    entry = node("stem_conv", "Conv", 5)
    entry["args"]["provider"] = "CUDAExecutionProvider"
    report = profiled(write_onnxruntime(tmp_path, entry))
    assert "the profile has no kernels" in report["profile"]["remarks"][0]


def test_what_a_loop_calls_is_in_its_time(tmp_path: Path) -> None:
    inner = node("inner", "Conv", 4, 1)
    outer, after = node("loop", "Loop", 10, 0), node("stem_conv", "Conv", 0, 10)
    rows = read_profile(write_onnxruntime(tmp_path, inner, outer, after)).rows
    assert [(row.name, row.us) for row in rows] == [("loop", 10), ("stem_conv", 0)]


def test_names_in_longer_names_are_found_whole(tmp_path: Path) -> None:
    body = """m (float[8, 8] x) => (float[8, 8] y)
    { [dense] a = MatMul(x, x) [dense_1] b = MatMul(a, a) [other] y = MatMul(b, b) }"""
    path = write_onnxruntime(
        tmp_path,
        node("dense/MatMulAddFusion", "Gemm", 3),
        node("fused dense_1", "FusedMatMul", 5, 10),
        node("mother", "Relu", 7, 20),
    )
    report = analyze(parse_model(f"{HEAD} {body}"), Options("cpu"), profile=path)
    assert layer_us(report) == {"dense": 3, "dense_1": 5}
    assert [x["name"] for x in report["profile"]["unmatched"]] == ["mother"]


def test_a_call_takes_in_what_reads_it_but_no_product(tmp_path: Path) -> None:
    body = """m (float[8, 8] x) => (float[8, 8] y)
    { [dense] a = MatMul(x, x) [relu] b = Relu(a) [neg] c = Neg(b) [more] y = MatMul(c, c) }"""
    path = write_onnxruntime(tmp_path, node("dense", "FusedMatMul", 3))
    report = analyze(parse_model(f"{HEAD} {body}"), Options("cpu"), profile=path)
    found = layer_us(report)
    assert found.keys() == {"dense", "relu", "neg"}
    assert sum(found.values()) == pytest.approx(3)


IDLE = "thread::id of a non-executing thread"


def on_threads(folder: Path, *names: str) -> Path:
    """Write a profile of a pool of the main thread and others."""
    calls = [node("stem_conv", "Conv", 5000), node("stem_relu", "Relu", 2, 5009)]
    for call, known in zip(calls, ([IDLE, "7"], names), strict=True):
        others = {name: {"num_run": 1, "core": 0} for name in known}
        call["args"]["thread_scheduling_stats"] = {"main_thread": {}, "sub_threads": others}
    return write_onnxruntime(folder, *calls)


def test_another_number_of_threads_is_told(tmp_path: Path) -> None:
    cores = arch.cpu_by_name("cpu-avx2").cores
    report = profiled(on_threads(tmp_path, "7", "8"), "cpu-avx2")
    (remark,) = report["profile"]["remarks"]
    assert remark.startswith(f"it was measured on 3 threads, and cpu-avx2 has {cores} cores")
    assert "Q1" in {each["question"] for each in report["advice"]}, "it is a remark only"
    same = profiled(on_threads(tmp_path, *map(str, range(cores - 1))), "cpu-avx2")
    assert not same["profile"]["remarks"]


def test_threads_that_never_ran_look_alike_so_their_number_is_not_known(tmp_path: Path) -> None:
    assert not profiled(on_threads(tmp_path, "7", IDLE), "cpu-avx2")["profile"]["remarks"]


def test_threads_are_none_of_a_gpu(tmp_path: Path) -> None:
    report = profiled(on_threads(tmp_path, "7", "8"), "sm_90a")
    assert not [x for x in report["profile"]["remarks"] if "threads" in x]


@pytest.mark.parametrize(("kind", "layer"), [("QGemm", "head"), ("QLinearSoftmax", "chances")])
def test_operators_on_integers_stand_for_those_of_floats(
    tmp_path: Path, kind: str, layer: str
) -> None:
    report = profiled(write_onnxruntime(tmp_path, node(f"{layer}_quant", kind, 5)))
    assert layer in layer_us(report)
    assert report["profile"]["unmatched"] == []
