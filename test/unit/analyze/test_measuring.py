"""What is measured for an analysis, in which order, and when it ends: with a fake device."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from fake_measurer import FakeMeasurer, stand_in
from layer_models import HEAD, with_weights
from onnx.parser import parse_model

from dlc.analyze import analyze
from dlc.compiler import Options, measuring
from dlc.compiler.outcome import Report
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.ir.tensor import shape
from dlc.tuning.trial import Discarded, Found, Timed

SIZES = {"small": 10_000, "large": 1_000_000, "middle": 100_000}
INPUTS = ", ".join(f"float[N, {size}] x{name}" for name, size in SIZES.items())
OUTPUTS = ", ".join(f"float[N, {size}] y{name}" for name, size in SIZES.items())
NODES = " ".join(f"[{name}] y{name} = Relu(x{name})" for name in SIZES)
THREE = f"m ({INPUTS}) => ({OUTPUTS}) {{ {NODES} }}"
Times = Callable[[GroupOp, str], Found]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))


def model(body: str = THREE, **weights: tuple[int, ...]) -> onnx.ModelProto:
    return with_weights(parse_model(f"{HEAD} {body}"), weights)


def asked(seconds: float | bool = True, batches: tuple[int, ...] = (1,), **more: Any) -> Report:
    return analyze(model(), Options("cpu", tune=seconds, **more), batches)


def in_time(*_: object) -> Found:
    return Timed(1e-6, 0.0, 9)


def columns(measurer: FakeMeasurer) -> list[int]:
    return [shape(group.outputs[0])[-1] for group, _ in measurer.timed]


def test_what_takes_longest_is_measured_first(monkeypatch: pytest.MonkeyPatch) -> None:
    measurer = stand_in(monkeypatch, in_time)
    report = asked()
    assert columns(measurer) == [1_000_000, 100_000, 10_000], "and our groups are these kernels"
    assert [layer["measured_us"]["dlc"] for layer in report["layers"]] == pytest.approx([1, 1, 1])


def test_ctrl_c_ends_all_measuring_but_not_the_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    def times(group: GroupOp, _: str) -> Found:
        if shape(group.outputs[0])[-1] == 100_000:
            raise KeyboardInterrupt
        return Timed(1e-6, 0.0, 9)

    measurer = stand_in(monkeypatch, times)
    report = asked(batches=(1, 2))
    assert columns(measurer) == [1_000_000, 100_000], "neither groups nor another batch size"
    first, second = report["batches"]
    assert [layer["name"] for layer in first["layers"] if "measured_us" in layer] == ["large"]
    assert first["fused"]["measured"] == 1, "what is known already counts"
    assert not any("measured_us" in layer for layer in second["layers"])


def test_time_that_is_over_ends_all_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first kernel takes all of it; our groups, and other batch sizes, get none."""

    def times(*_: object) -> Found:
        time.sleep(0.5)  # more than there is
        return Timed(1e-6, 0.0, 9)

    measurer = stand_in(monkeypatch, times)
    asked(0.3, batches=(1, 2))
    assert len(measurer.timed) <= 1


def test_a_fault_of_a_schedule_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer and the group that is the layer have it both, and the next batch size again."""
    names = set[str]()

    def times(group: GroupOp, _: str) -> Found:
        names.add(operation_text(group))
        return Discarded("computes something else", is_wrong=True)

    measurer = stand_in(monkeypatch, times)
    report = asked(batches=(1, 2))
    assert len(measurer.timed) > len(names), "it is met more than once"
    for each in report["batches"]:
        faults = [x for x in each["remarks"] if "computes something else; this is a fault" in x]
        assert len(faults) == len({*faults})
        assert faults
    assert "no measurements" in report["note"]


def test_times_that_vary_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, lambda *_: Timed(1e-6, 1e-6, 9))
    (remark,) = asked()["remarks"]
    assert remark.startswith("3 of 3 measured times vary by more than their median")


def test_of_our_own_schedules_one_of_each_kernel_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measurer = stand_in(monkeypatch, in_time)
    body = "m (float[64, 256] x) => (float[64, 256] y) { h = MatMul(x, w) y = MatMul(h, w) }"
    report = analyze(model(body, w=(256, 256)), Options("cpu", tune=True))
    assert len(measurer.timed) == 1, "both layers are one kernel"
    assert report["note"] == "1 of 1 different kernels were measured on this machine"


PRODUCT = "m (float[512, 512] x) => (float[512, 512] y) { y = MatMul(x, w) }"


@pytest.mark.usefixtures("gpu_here")
def test_other_precisions_are_looked_up_and_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[str] = []
    said: list[str] = []
    measurer = FakeMeasurer(in_time)

    def made(_: object, __: object, options: Options, *more: object) -> FakeMeasurer:
        asked_for.append(options.precision)
        return measurer

    monkeypatch.setattr(measuring, "measurer", made)
    options = Options("sm_90a", "fp32", tune=True, progress=said.append)
    analyze(model(PRODUCT, w=(512, 512)), options)
    assert {*asked_for} == {"fp32"}
    assert said.count("reading the model") == 1, "of another precision only that is told"
    assert said[-2:] == ["the same in tf32", "the same in fp16"]


@pytest.mark.usefixtures("gpu_here")
def test_times_of_other_precisions_come_from_the_same_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each kernel of fp16 and tf32 takes a second, as was measured: none gains anything."""
    product = model(PRODUCT, w=(512, 512))
    stand_in(monkeypatch, lambda *_: Timed(1.0, 0.0, 9))
    for precision in ("fp16", "tf32"):
        analyze(product, Options("sm_90a", precision, tune=True))
    options, known = Options("sm_90a", "fp32"), tmp_path / "cache" / "tuning.db"
    questions = [
        {each["question"] for each in analyze(product, options, times=times)["advice"]}
        for times in (None, known)
    ]
    assert "Q6" in questions[0]
    assert "Q6" not in questions[1]
