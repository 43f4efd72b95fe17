"""Recordings of one network by PyTorch and Nsight Compute on an H200: which kernel is of which
layer, in the order in which they ran. They are what ``test/benchmarks/profiles.py`` wrote.
"""

import csv
import gzip
from collections import defaultdict
from functools import cache
from statistics import median

import pytest
from advised import advice_of
from profile_files import DATA, entries, layer_us, profiled

from dlc.analyze.profiles.kernel_names import on_tensor_cores
from dlc.compiler.outcome import Report

Kernels = list[tuple[str, float]]

HEAD = (
    ("catarraybatchedcopy", "join"),
    ("vectorized_elementwise_kernel cudafunctor_add", "twice"),
    ("reduce_kernel meanops", "mean"),
    ("gemvparams", "head"),
    ("softmax_warp_forward", "chances"),
)
BIAS = "::elementwise_kernel cudafunctor_add"
FP32 = (
    ("implicit_convolve_sgemm<float", "stem_conv"),
    (BIAS, "stem_conv"),
    ("bn_fw_inf_1c11_kernel_nchw", "stem_norm"),
    ("launch_clamp_scalar", "stem_relu"),
    ("max_pool_forward_nchw", "pool"),
    ("cutlass_80_tensorop_s1688gemm", "left_conv"),
    ("splitkreduce_kernel", "left_conv"),
    (BIAS, "left_conv"),
    ("launch_clamp_scalar", "left_relu"),
    ("sm80_xmma_fprop_implicit_gemm _ffma_", "right_conv"),
    (BIAS, "right_conv"),
    ("launch_clamp_scalar", "right_relu"),
    *HEAD,
)
FP16 = (
    ("implicit_convolve_sgemm<__half", "stem_conv"),
    (BIAS, "stem_conv"),
    ("direct_copy_kernel", "+stem_norm"),
    ("batch_norm_calc_invstd", "stem_norm"),
    ("batch_norm_transform_input_kernel", "stem_norm"),
    ("launch_clamp_scalar", "stem_relu"),
    ("max_pool_forward_nchw", "pool"),
    ("nvjet_sm90_hsh", "left_conv"),
    (BIAS, "left_conv"),
    ("launch_clamp_scalar", "left_relu"),
    ("nchwtonhwckernel", "+right_conv"),
    ("nchwtonhwckernel", "+right_conv"),
    ("sm80_xmma_fprop_implicit_gemm _tensor16x8x16_", "right_conv"),
    ("nhwctonchwkernel", "+right_conv"),
    (BIAS, "right_conv"),
    ("launch_clamp_scalar", "right_relu"),
    *HEAD,
)
"""Parts of names, and layers. +: nobody asked for it; only the calls of PyTorch say whose it is."""

RECORDINGS = {
    "torch-cuda.json.gz": ("fp32", FP32),
    "torch-cuda-half.json.gz": ("fp16", FP16),
    "ncu.csv.gz": ("fp32", FP32),
    "ncu-raw.csv.gz": ("fp32", FP32),
    "ncu-half.csv.gz": ("fp16", FP16),
}
every = pytest.mark.parametrize("name", RECORDINGS)


@cache
def report_of(name: str) -> Report:
    return profiled(DATA / name, "sm_90a", RECORDINGS[name][0])


def recorded(name: str) -> list[Kernels]:
    """Return the kernels of each run but the first, by the file itself."""
    return [_of_table(name)] if "csv" in name else _of_trace(name)[1:]


def _of_table(name: str) -> Kernels:
    lines = gzip.decompress((DATA / name).read_bytes()).decode().splitlines()
    rows = [*csv.DictReader(line for line in lines if line.startswith('"'))]
    column = "Metric Value" if "Metric Value" in rows[0] else "gpu__time_duration.sum"
    timed = [row for row in rows if row["ID"]]
    return [(row["Kernel Name"], float(row[column].replace(",", "")) / 1000) for row in timed]


def _of_trace(name: str) -> list[Kernels]:
    """Return the kernels of each step: the machine waits for the GPU at the end of each."""
    events = sorted((x for x in entries(name) if "dur" in x), key=lambda x: x["ts"])
    steps = [x for x in events if x["name"].startswith("ProfilerStep#") and "gpu" not in x["cat"]]
    kernels = [x for x in events if x["cat"] == "kernel"]
    ends = [(step["ts"], step["ts"] + step["dur"]) for step in steps]
    return [[(x["name"], x["dur"]) for x in kernels if a <= x["ts"] < b] for a, b in ends]


def owners(name: str) -> list[str]:
    """Return the layer of each kernel in a run, ``""`` where nothing says it."""
    has_calls = name.startswith("torch")
    layers = [layer for _, layer in RECORDINGS[name][1]]
    return [x.lstrip("+") if has_calls or x[0] != "+" else "" for x in layers]


@every
def test_kernels_ran_in_this_order(name: str) -> None:
    """No step of the recordings lost one."""
    wanted = RECORDINGS[name][1]
    for kernels in recorded(name):
        assert len(kernels) == len(wanted)
        for (kernel, _), (parts, _) in zip(kernels, wanted, strict=True):
            assert all(part in kernel.lower() for part in parts.split()), kernel


@every
def test_each_layer_has_the_time_of_its_kernels(name: str) -> None:
    runs: dict[str, list[float]] = defaultdict(list)
    for kernels in recorded(name):
        us: dict[str, float] = defaultdict(float)
        for (_, each), layer in zip(kernels, owners(name), strict=True):
            us[layer] += each
        for layer, each in us.items():
            runs[layer].append(each)
    wanted = {layer: median(each) for layer, each in runs.items()}
    report = report_of(name)
    profile, of_none = report["profile"], wanted.pop("", 0.0)
    assert {k: us for k, us in layer_us(report).items() if us} == pytest.approx(wanted)
    assert sum(each["us"] for each in profile["unmatched"]) == pytest.approx(of_none)
    assert profile["total_us"] == pytest.approx(sum(wanted.values()) + of_none)


@every
def test_each_layer_has_its_kernels(name: str) -> None:
    found = {x["name"]: x.get("profile_kernels", []) for x in report_of(name)["layers"]}
    for layer in {*owners(name)} - {""}:
        own = zip(recorded(name)[0], owners(name), strict=True)
        assert found[layer] == [kernel for (kernel, _), of in own if of == layer]


@pytest.mark.parametrize(
    ("name", "total_us"),
    [
        ("torch-cuda.json.gz", 36.7),
        ("torch-cuda-half.json.gz", 40.4),
        ("ncu.csv.gz", 74.6),
        ("ncu-raw.csv.gz", 74.7),
        ("ncu-half.csv.gz", 86.5),
    ],
)
def test_the_whole_takes(name: str, total_us: float) -> None:
    profile = report_of(name)["profile"]
    assert profile["total_us"] == pytest.approx(total_us, abs=0.05)


@every
def test_changes_of_layout_and_of_type_are_what_nobody_asked_for(name: str) -> None:
    wanted = RECORDINGS[name][1]
    extra = [n for n, (_, layer) in enumerate(wanted) if layer[0] == "+"]
    if not extra:
        assert "Q4" not in {each["question"] for each in report_of(name)["advice"]}
        return
    advice = advice_of(report_of(name), "Q4")
    assert "conversions of type: " in advice["text"]
    assert "changes of layout: " in advice["text"]
    sums = [sum(kernels[n][1] for n in extra) for kernels in recorded(name)]
    assert min(sums) - 0.1 <= advice["gain_us"] <= max(sums) + 0.1


@every
def test_names_say_who_uses_tensor_cores(name: str) -> None:
    """In fp32 cuBLAS does for one convolution, since cuDNN may use tf32 there."""
    layers = {x["name"]: x for x in report_of(name)["layers"]}
    said = {
        layer: True in map(on_tensor_cores, layers[layer]["profile_kernels"])
        for layer in ("stem_conv", "left_conv", "right_conv", "head")
    }
    half = RECORDINGS[name][0] == "fp16"
    assert said == {"stem_conv": False, "left_conv": True, "right_conv": half, "head": False}
    advice = advice_of(report_of(name), "Q6")
    assert f"in the profile {2 if half else 3} of 4 layers use none" in advice["text"]
    if half:
        assert advice["layers"] == ["stem_conv", "head"]


@every
def test_all_of_it_is_compared_with_the_recording(name: str) -> None:
    report = report_of(name)
    total_us = report["profile"]["total_us"]
    first = report["bounds"]["parallel_us"]
    assert advice_of(report, "Q1")["gain_us"] == pytest.approx(total_us - first)
    joint = advice_of(report, "joint")
    assert joint["gain_us"] < total_us
    assert joint["gain_us"] >= total_us - report["bounds"]["fused_parallel_us"]
