"""A call of a library has its images in the layout that is faster for it."""

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
 [conv] a = Conv<pads = [1, 1, 1, 1]>(x, w) [relu] y = Relu(a)
}"""
LIBRARY_US, OWN_US = 50.0, 1.0


def has_channels_first(group: GroupOp) -> bool:
    (conv,) = (op for op in group.body.block.ops if op.name == "graph.conv")
    return "channels_last" not in str(conv)


def is_convolution(group: GroupOp) -> bool:
    return any(op.name == "graph.conv" for op in group.body.block.ops)


def measured(
    monkeypatch: pytest.MonkeyPatch, first_us: float, *libraries: str
) -> tuple[Report, FakeMeasurer]:
    """Return an analysis for which calls of convolutions with channels first take ``first_us``."""

    def times(group: GroupOp, schedule: str) -> Found:
        if "library" not in schedule:
            return Timed(1e-6 * OWN_US, 0.0, 9)
        is_first = is_convolution(group) and has_channels_first(group)
        return Timed(1e-6 * (first_us if is_first else LIBRARY_US), 0.0, 9)

    measurer = stand_in(monkeypatch, times)
    model = with_weights(parse_model(f"{HEAD} {BODY}"), {"w": (64, 64, 3, 3)})
    return analyze(model, Options("sm_90a", "fp16", libraries=libraries, tune=True)), measurer


def test_the_faster_layout_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = measured(monkeypatch, 5.0, "cudnn")
    conv, relu = report["layers"]
    converting_us = OWN_US  # the input, to fp16
    assert conv["library_us"] == {
        "us": pytest.approx(5.0 + converting_us),
        "by": "cudnn",
        "measured": True,
        "layout": "as in the file",
    }
    assert "layout" not in relu["library_us"]
    library_us = report["bounds"]["library_sequential_us"]
    assert library_us == pytest.approx(5.0 + converting_us + relu["library_us"]["us"])


def test_a_slower_layout_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = measured(monkeypatch, 500.0, "cudnn")
    conv, _ = report["layers"]
    assert "layout" not in conv["library_us"]
    assert conv["libraries_us"]["cudnn"] < 500


def test_our_kernels_stay_in_their_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = (measured(monkeypatch, us, "cudnn")[0] for us in (5.0, 500.0))
    for key in ("time_us", "estimate_us"):
        assert [x[key] for x in fast["layers"]] == [x[key] for x in slow["layers"]]


def test_without_libraries_there_is_one_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    _, measurer = measured(monkeypatch, 5.0)
    convolutions = [group for group, _ in measurer.timed if is_convolution(group)]
    assert convolutions
    assert not any(map(has_channels_first, convolutions))
