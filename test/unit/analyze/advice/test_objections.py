"""Profiles whose times are not compared with those of the model."""

from pathlib import Path
from typing import Any

import pytest
from advised import advice_of
from layer_models import HEAD
from onnx import ModelProto
from onnx.parser import parse_model
from profile_files import DATA, event, node, profiled, write_onnxruntime, write_torch

from dlc.analyze import analyze
from dlc.compiler import Options
from dlc.compiler.outcome import Report

MODEL = """m (float[n, 64] x) => (float[m, 64] y) {
 [a] a = Relu(x) [b] b = Exp(a) [c] c = Sigmoid(b) [d] d = Tanh(c) [e] y = Sqrt(d)
}"""
KINDS = {"a": "Relu", "b": "Exp", "c": "Sigmoid", "d": "Tanh", "e": "Sqrt"}


def is_not_compared(report: Report) -> bool:
    """Whether advice takes no time from the profile."""
    if {"Q1", "Q4"} & {each["question"] for each in report["advice"]}:
        return False
    return advice_of(report, "joint")["gain_us"] < report["bounds"]["sequential_us"]


def chain() -> ModelProto:
    """Return a model of five layers of an open batch."""
    return parse_model(f"{HEAD} {MODEL}")


def profile_of(folder: Path, sizes: dict[str, list[int]]) -> Path:
    """Write a profile of the model whose calls read these sizes; return the file."""
    calls: list[Any] = []
    for name, read in sizes.items():
        call = node(name, KINDS[name], 500, 1000 * len(calls))
        call["args"]["input_type_shape"] = [{"float": read}]
        calls.append(call)
    return write_onnxruntime(folder, *calls)


def at_batch(batch: int, profile: Path) -> Report:
    return analyze(chain(), Options("cpu"), [batch], profile=profile)


def test_a_profile_of_another_batch_size_is_not_compared(tmp_path: Path) -> None:
    path = profile_of(tmp_path, {name: [8, 64] for name in KINDS})
    report = at_batch(1, path)
    assert report["profile"]["remarks"] == [
        "the profile is of batch 8, this is batch 1: give batch 8"
    ]
    assert is_not_compared(report)
    same = at_batch(8, path)
    assert not same["profile"]["remarks"]
    assert advice_of(same, "Q1")


@pytest.mark.parametrize("others", [2, 3])
def test_most_calls_say_which_batch_size_it_is(tmp_path: Path, others: int) -> None:
    names = [*KINDS]
    sizes = {name: [8 if n < others else 1, 64] for n, name in enumerate(names)}
    report = at_batch(1, profile_of(tmp_path, sizes))
    assert is_not_compared(report) == (others == 3)


def test_calls_on_sizes_that_differ_elsewhere_are_of_no_other_batch_size(tmp_path: Path) -> None:
    report = at_batch(1, profile_of(tmp_path, {name: [8, 32] for name in KINDS}))
    assert not report["profile"]["remarks"]


def test_only_three_calls_on_other_sizes_are_told(tmp_path: Path) -> None:
    report = at_batch(1, profile_of(tmp_path, {name: [1, 32] for name in KINDS}))
    text = advice_of(report, "Q4")["text"]
    assert text.count(" reads ") == 2 * 3
    assert text.endswith("c reads 1x64 and 2 others")


@pytest.mark.parametrize(("us", "of_another"), [(499, False), (501, True)])
def test_a_profile_of_another_model_is_not_compared(
    tmp_path: Path, us: float, of_another: bool
) -> None:
    """That is one with less than half of its time in layers."""
    path = write_onnxruntime(tmp_path, node("a", "Relu", 500), node("q", "LSTM", us, 1000))
    report = at_batch(1, path)
    assert is_not_compared(report) == of_another
    told = any("is it the profile of another one?" in x for x in report["profile"]["remarks"])
    assert told == of_another


def test_a_trace_of_training_is_told_apart(tmp_path: Path) -> None:
    calls = [event("cpu_op", "aten::relu", 0, 5), event("cpu_op", "ReluBackward0", 10, 50)]
    report = profiled(write_torch(tmp_path, *calls))
    (remark,) = [x for x in report["profile"]["remarks"] if "training" in x]
    assert "eval()" in remark
    assert not any("another one" in x for x in report["profile"]["remarks"])
    assert is_not_compared(report)


def test_a_profile_of_another_kind_of_chip_is_not_compared(tmp_path: Path) -> None:
    call = {"External id": 1}
    kernel = event("kernel", "ampere_sgemm_conv2d", 0, 90, **call)
    of_gpu = write_torch(tmp_path, event("cpu_op", "aten::conv2d", 0, 50, **call), kernel)
    for path, target in ((DATA / "onnxruntime-none.json.gz", "sm_90a"), (of_gpu, "cpu")):
        report = profiled(path, target)
        (remark,) = report["profile"]["remarks"]
        assert "is not compared with this chip" in remark
        assert is_not_compared(report)
