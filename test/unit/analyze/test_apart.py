"""A call of a product alone, and what is computed with it behind, where that is faster."""

import pytest
from fake_measurer import FakeMeasurer, stand_in
from layer_models import HEAD, with_weights
from onnx.parser import parse_model

from dlc.analyze import analyze
from dlc.compiler import Options
from dlc.compiler.outcome import Report
from dlc.dialects.fused_group import GroupOp
from dlc.tuning.trial import Found, Timed

pytestmark = pytest.mark.usefixtures("gpu_here")

BODY = """m (float[8, 64, 28, 28] x) => (float[8, 64, 28, 28] y) {
 [conv] a = Conv<pads = [1, 1, 1, 1]>(x, w, b) [relu] y = Relu(a)
}"""
WEIGHTS = {"w": (64, 64, 3, 3), "b": (64,)}
TOGETHER_US, OWN_US = 50.0, 2.0


def measured(
    monkeypatch: pytest.MonkeyPatch, alone_us: float, *libraries: str
) -> tuple[Report, FakeMeasurer]:
    """Return an analysis for which a call of a convolution alone takes ``alone_us``."""

    def times(group: GroupOp, schedule: str) -> Found:
        if "library" not in schedule:
            return Timed(1e-6 * OWN_US, 0.0, 9)
        return Timed(1e-6 * (alone_us if names(group) == {"graph.conv"} else TOGETHER_US), 0.0, 9)

    measurer = stand_in(monkeypatch, times)
    model = with_weights(parse_model(f"{HEAD} {BODY}"), WEIGHTS)
    return analyze(model, Options("sm_90a", "fp32", libraries=libraries, tune=True)), measurer


def names(group: GroupOp) -> set[str]:
    return {op.name for op in group.body.block.ops if op.operands and op.results}


def test_a_product_alone_counts_where_it_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = measured(monkeypatch, 5.0, "cudnn")
    conv, relu = report["layers"]
    assert conv["library_us"]["us"] == pytest.approx(5.0 + OWN_US), "the bias by our kernel"
    assert conv["library_us"]["products"] == "alone"
    assert conv["library_us"]["measured"]
    apart_us = 5.0 + OWN_US + relu["library_us"]["us"]
    assert report["bounds"]["joined_sequential_us"] == pytest.approx(apart_us)


def test_our_kernel_and_the_algorithms_of_the_call_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    conv, _ = measured(monkeypatch, 5.0, "cudnn")[0]["layers"]
    assert conv["time_us"] == pytest.approx(2 * OWN_US), "a change of layout, and the convolution"
    assert conv["measured_us"]["cudnn"] == pytest.approx([TOGETHER_US] * 8)


def test_a_product_alone_does_not_count_where_it_is_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    conv, _ = measured(monkeypatch, TOGETHER_US, "cudnn")[0]["layers"]
    assert conv["library_us"]["us"] == pytest.approx(TOGETHER_US)
    assert "products" not in conv["library_us"]


def test_without_libraries_no_product_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    _, measurer = measured(monkeypatch, 5.0)
    assert {"graph.conv"} not in [names(group) for group, _ in measurer.timed]
