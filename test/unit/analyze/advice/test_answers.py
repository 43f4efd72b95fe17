"""Advice from profiles and from measured times of libraries."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advised import advice_of
from layer_models import HEAD
from onnx.parser import parse_model
from profile_files import DATA, event, node, profiled, write, write_onnxruntime, write_torch

from dlc.analyze import analyze
from dlc.analyze.advice import Facts, advise
from dlc.compiler import Options
from dlc.compiler.outcome import Report
from dlc.report.analyses.bounds import BOUNDS

LIBRARIES = Options("sm_90a", "fp16", libraries=("cudnn",))


def answers(report: Report, options: Options = LIBRARIES) -> list[Report]:
    """Return the advice for a report that was made up."""
    return advise(Facts(report, options, {}, None, lambda _: report["bounds"]["fused_parallel_us"]))


def made_up(**layers: dict[str, Any]) -> Report:
    """Return a report of layers one after the other, which libraries compute."""
    known: Report = {"needs": [], "macs": 1, "op_type": "Conv", "inputs": []}
    each: list[Report] = [{**known, "name": name, **layer} for name, layer in layers.items()]
    sequential_us = sum(layer["library_us"]["us"] for layer in each)
    bounds = dict.fromkeys((bound.key for bound in BOUNDS), sequential_us)
    return {
        "model": "m.onnx",
        "target": "sm_90a",
        "precision": "fp16",
        "layers": each,
        "groups": [],
        "fused": {"kernels": 1, "measured": 0},
        "bounds": {**bounds, "fusion_gain_us": 0.0},
    }


def layer(*cudnn: float, dlc: float = 50.0) -> dict[str, Any]:
    """Return a layer with the times of algorithms of cuDNN, and of our kernel."""
    found = {"library_us": {"us": min(*cudnn, dlc), "by": "cudnn", "measured": True}}
    return {**found, "measured_us": {"dlc": dlc, "cudnn": [*cudnn]}, "time_us": dlc}


def test_the_fastest_algorithm_gains_over_that_which_the_library_advises() -> None:
    report = made_up(a=layer(20.0, 12.0, 15.0), b=layer(9.0, 10.0), c=layer(7.0, 6.0))
    (advice,) = answers(report)
    assert advice["question"] == "Q3"
    assert advice["gain_us"] == pytest.approx(8 + 1)
    assert advice["layers"] == ["a", "c"]
    assert advice["options"] == {"precision": "fp16", "tune": True}
    assert advice["command"] == (
        "dlc-compile m.onnx -o m.so --target sm_90a --precision fp16 --libraries cudnn --tune"
    )
    measured = [layer["measured_us"]["cudnn"] for layer in report["layers"]]
    followed = sum(us[0] for us in measured) - sum(min(us) for us in measured)
    assert advice["gain_us"] == pytest.approx(followed)


def test_algorithms_gain_only_where_our_kernels_take_longer() -> None:
    report = made_up(a=layer(20.0, 12.0, dlc=16.0), b=layer(9.0, 5.0, dlc=4.0))
    (advice,) = answers(report)
    assert advice["gain_us"] == pytest.approx(16 - 12)
    assert advice["layers"] == ["a", "b"]
    assert "12 us together, 4 us of it where our kernels take longer" in advice["text"]


def test_what_only_libraries_lose_is_a_remark() -> None:
    (advice,) = answers(made_up(a=layer(20.0, 12.0, dlc=11.0)))
    assert "8 us together, 0 us of it" in advice["text"]
    assert (advice["gain_us"], advice["options"]) == (0, None)


def test_the_fastest_first_choice_of_two_libraries_is_what_is_gained_over() -> None:
    known = layer(20.0, 12.0)
    known["measured_us"]["cublaslt"] = [15.0, 14.0]
    (advice,) = answers(made_up(a=known))
    assert advice["gain_us"] == pytest.approx(15 - 12)
    assert "8 us together" in advice["text"]


def test_without_measured_algorithms_there_is_nothing_to_choose() -> None:
    known = {"library_us": {"us": 5.0, "by": "cudnn", "measured": False}, "time_us": 5.0}
    assert answers(made_up(a=known, b={**known, "measured_us": {"dlc": 5.0}})) == []
    assert answers(made_up(a=layer(5.0, 6.0))) == []


def test_a_run_is_compared_with_the_bounds() -> None:
    report = profiled(DATA / "onnxruntime-none.json.gz")
    advice = advice_of(report, "Q1")
    bound_us, total_us = report["bounds"]["sequential_us"], report["profile"]["total_us"]
    assert advice["gain_us"] == pytest.approx(total_us - bound_us)
    assert f"({100 * bound_us / total_us:.0f} % of it)" in advice["text"]
    slower = [x["name"] for x in report["layers"] if x["profile_us"] > x["time_us"]]
    assert advice["layers"] == slower


def test_a_run_that_is_faster_than_the_bounds_gets_no_advice(tmp_path: Path) -> None:
    report = profiled(write_onnxruntime(tmp_path, node("stem_conv", "Conv", 0.001)))
    assert {each["question"] for each in report["advice"]} <= {"Q2", "Q5"}


def test_a_profile_of_our_own_is_no_framework(tmp_path: Path) -> None:
    steps = [event("kernel", "stem_conv", 0, 900, nodes=["stem_conv"], kernel="g0")]
    steps.append(event("copy", "copy to y", 900, 50))
    facts = {"run_us": 1.0, "steps_us": 1.0}
    report = profiled(write(tmp_path / "t", {"traceEvents": steps, "otherData": facts}))
    assert not {"Q1", "Q4"} & {each["question"] for each in report["advice"]}


EXTRA = {"aten::copy_": ("direct_copy_kernel_cuda", 7.0), "aten::pad": ("constant_pad_nd", 4.0)}


def trace(folder: Path, extra: bool) -> Path:
    """Write a trace of a framework that does things which the model does not ask for, or not."""
    calls: list[tuple[str, list[tuple[str, float]]]] = [
        ("aten::conv2d", [("nchwToNhwcKernel", 3.0), ("ampere_sgemm_conv2d", 90.0)]),
        ("aten::relu", [("clamp_kernel", 2.0)]),
        *((name, [kernel]) for name, kernel in EXTRA.items()),
    ]
    events: list[Any] = []
    for number, (name, kernels) in enumerate(calls):
        if name in EXTRA and not extra:
            continue
        call = {"External id": number + 1}
        events.append(event("cpu_op", name, 100 * number, 50, **call))
        kept = [each for each in kernels if extra or each[0] != "nchwToNhwcKernel"]
        events += [event("kernel", kernel, 0, us, **call) for kernel, us in kept]
    return write_torch(folder, *events)


def test_what_nobody_asked_for_is_found_and_its_time_is_gained(tmp_path: Path) -> None:
    report = profiled(trace(tmp_path, extra=True), target="sm_90a")
    advice = advice_of(report, "Q4")
    for said in ("changes of layout: 3 us in 1", "copies: 7 us in 1", "padding: 4 us in 1"):
        assert said in advice["text"]
    assert advice["layers"] == ["stem_conv"]
    followed = profiled(trace(tmp_path, extra=False), target="sm_90a")
    gained_us = report["profile"]["total_us"] - followed["profile"]["total_us"]
    assert advice["gain_us"] == pytest.approx(gained_us)
    assert "Q4" not in {each["question"] for each in followed["advice"]}


def test_a_recorded_change_of_layout_is_found() -> None:
    report = profiled(DATA / "onnxruntime-all.json.gz")
    (reorder,) = report["profile"]["unmatched"]
    advice = advice_of(report, "Q4")
    assert advice["gain_us"] == reorder["us"]
    assert "changes of layout" in advice["text"]


def unknown(us: float, name: str = "aten::mystery") -> list[Any]:
    """Return a call of a kind that nobody knows, with its kernel."""
    call = {"External id": 77}
    return [event("cpu_op", name, 900, 50, **call), event("kernel", "strange", 0, us, **call)]


def test_a_call_that_cannot_be_named_is_told_and_promises_nothing(tmp_path: Path) -> None:
    path = trace(tmp_path, extra=True)
    known = advice_of(profiled(path, "sm_90a"), "Q4")
    events = json.loads(path.read_text())["traceEvents"]
    odd = advice_of(profiled(write_torch(tmp_path, *events, *unknown(20)), "sm_90a"), "Q4")
    assert odd["gain_us"] == known["gain_us"] == 3 + 7 + 4
    assert "; not counted: 20 us in 1 call of no layer that may be the model's work" in odd["text"]
    assert "not counted" not in known["text"]


def test_calls_that_cannot_be_named_alone_are_a_remark(tmp_path: Path) -> None:
    events = json.loads(trace(tmp_path, extra=False).read_text())["traceEvents"]
    more = [*unknown(20), *unknown(5, "aten::riddle")]
    more[3]["args"]["External id"] = more[2]["args"]["External id"] = 78
    advice = advice_of(profiled(write_torch(tmp_path, *events, *more), "sm_90a"), "Q4")
    assert (
        advice["text"] == "not counted: 25 us in 2 calls of no layer that may be the model's work"
    )
    assert (advice["gain_us"], advice["command"]) == (0, None)


def test_calls_on_other_sizes_are_told_though_they_gain_nothing(tmp_path: Path) -> None:
    call = node("stem_conv", "Conv", 5)
    call["args"]["input_type_shape"] = [{"float": [1, 3, 32, 32]}, {"float": [16, 3, 3, 3]}]
    report = profiled(write_onnxruntime(tmp_path, call))
    advice = advice_of(report, "Q4")
    assert advice["text"] == "stem_conv reads 1x3x32x32, where stem_conv reads 1x3x64x64"
    assert (advice["gain_us"], advice["command"]) == (0, None)


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_names_of_kernels_say_who_uses_no_tensor_cores(tmp_path: Path, precision: str) -> None:
    report = profiled(trace(tmp_path, extra=True), "sm_90a", precision)
    advice = advice_of(report, "Q6")
    assert "in the profile 1 of 1 layer use none" in advice["text"]
    if precision == "fp16":
        stem = report["layers"][0]
        assert advice["layers"] == ["stem_conv"]
        of_products = stem["profile_us"] - 3.0  # the change of layout is Q4's
        assert advice["gain_us"] == pytest.approx(of_products - stem["time_us"])


@pytest.mark.parametrize(
    ("precision", "has_some"), [("fp16", True), ("bf16", False), ("tf32", False)]
)
def test_a_chip_without_tensor_cores_for_a_precision_can_use_none(
    tmp_path: Path, precision: str, has_some: bool
) -> None:
    report = profiled(trace(tmp_path, extra=True), "sm_70", precision)
    assert ("Q6" in {each["question"] for each in report["advice"]}) == has_some


def test_kernels_that_use_them_need_no_advice(tmp_path: Path) -> None:
    call = {"External id": 1}
    names = ("sm80_xmma_fprop_tensor16x8x16", "ampere_sgemm_of_the_rest")
    kernels = [event("kernel", name, 0, 90, **call) for name in names]
    path = write_torch(tmp_path, event("cpu_op", "aten::conv2d", 0, 50, **call), *kernels)
    report = profiled(path, "sm_90a", "fp16")
    assert "Q6" not in {each["question"] for each in report["advice"]}


def test_all_of_it_is_measured_against_the_profile() -> None:
    report = profiled(DATA / "torch-cpu.json.gz")
    advice = advice_of(report, "joint")
    after_us = report["bounds"]["fused_sequential_us"]
    assert advice["gain_us"] == pytest.approx(report["profile"]["total_us"] - after_us)


def test_a_model_that_is_no_file_has_no_command() -> None:
    chain = "m (float[512, 512] x) => (float[512, 512] y) { a = Relu(x) b = Neg(a) y = Tanh(b) }"
    report = analyze(parse_model(f"{HEAD} {chain}"), Options("sm_90a"))
    assert report["advice"]
    assert not any(each["command"] for each in report["advice"])
    large = Options("sm_90a", constants={"x": np.zeros(17)})
    made = {**report, "model": "m.onnx"}
    assert not any(each["command"] for each in answers(made, large))


def test_a_kernel_that_moves_for_a_layer_that_moves_is_asked_for(tmp_path: Path) -> None:
    body = "m (float[64, 512] x) => (float[512, 64] y) { [turn] y = Transpose(x) }"
    call = {"External id": 1}
    kernel = event("kernel", "transpose_kernel", 0, 90, **call)
    path = write_torch(tmp_path, event("cpu_op", "aten::permute", 0, 50, **call), kernel)
    report = analyze(parse_model(f"{HEAD} {body}"), Options("sm_90a"), profile=path)
    assert report["profile"]["matched_us"] == 90
    assert "Q4" not in {each["question"] for each in report["advice"]}


@pytest.mark.parametrize(
    ("layers", "kernels", "said"),
    [
        ((True, True), 2, "by measured times"),
        ((False, False), 0, "by estimates"),
        (
            (True, True),
            0,
            "layers by measured times, kernels by estimates: measure all with --tune",
        ),
        (
            (True, False),
            2,
            "layers by measured times and estimates, kernels by measured times: measure all with "
            "--tune",
        ),
    ],
)
def test_a_gain_says_where_both_of_its_times_come_from(
    layers: tuple[bool, ...], kernels: int, said: str
) -> None:
    each = [
        {"time_us": 3.0, **({"measured_us": {"dlc": 3.0}} if known else {})} for known in layers
    ]
    view = {"time_us": 0.0}
    report = {"layers": [*each, view], "fused": {"kernels": 2, "measured": kernels}, "bounds": {}}
    assert Facts(report, LIBRARIES, {}, None, lambda _: 0.0).how_fused == said


@pytest.mark.parametrize(("kernels", "tunes"), [(0, False), (1, True)])
def test_a_command_measures_where_what_it_promises_was_measured(kernels: int, tunes: bool) -> None:
    report = {**made_up(a=layer(5.0)), "fused": {"kernels": 2, "measured": kernels}}
    report = {**report, "bounds": {**report["bounds"], "fusion_gain_us": 3.0}}
    advice = advice_of({"advice": answers(report)}, "Q5")
    assert advice["options"] == {"precision": "fp16", "tune": tunes}
    assert advice["command"].endswith("--tune") == tunes
