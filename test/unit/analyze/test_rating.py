"""What layers take alone, and what one call computes of several: needs, times and counts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_measurer import stand_in
from layer_models import HEAD, with_weights
from onnx import ModelProto
from onnx.parser import parse_model

from dlc import registry, search
from dlc.analyze import analyze
from dlc.analyze.layer import read_layers
from dlc.analyze.levels import as_written, by_layer
from dlc.analyze.measuring import Measuring
from dlc.analyze.rating import Rating, rate
from dlc.compiler import Options
from dlc.compiler.options import DEFAULT_SEARCH
from dlc.compiler.outcome import Report
from dlc.compiler.targets import parse_chip
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.frontends.onnx.importer import import_model
from dlc.tuning.exchange import export_text, read_rows
from dlc.tuning.trial import Discarded, Found, Timed

pytestmark = pytest.mark.usefixtures("gpu_here")

PADS = "<pads = [1, 1, 1, 1]>"
BRANCHES = f"""m (float[8, 64, 28, 28] x, float[8, 64, 28, 28] z) => (float[8, 64, 28, 28] y) {{
 [before] u = Erf(x) [beside] v = Abs(z)
 [left] a = Conv{PADS}(u, w) [left_relu] b = Relu(a)
 [right] c = Conv{PADS}(v, k) [right_relu] d = Relu(c)
 [both] e = Max(b, d) [after] y = Erf(e)
}}"""
WEIGHTS = {"w": (64, 64, 3, 3), "k": (64, 64, 3, 3)}


def branches() -> ModelProto:
    return with_weights(parse_model(f"{HEAD} {BRANCHES}"), WEIGHTS)


def rated(*libraries: str) -> Rating:
    target, context = parse_chip("sm_90a"), registry.new_context(WeightStore())
    module = import_model(branches(), {}, context)
    layers = read_layers(as_written(module, "fp16", context)).each
    apart = by_layer(module, target, "fp16", context)
    return rate(apart, layers, Measuring(target, Options(libraries=libraries)), context)


def test_a_part_needs_the_parts_of_what_its_layers_need() -> None:
    rating = rated("cudnn")
    assert rating.layers.needs == {
        "before": set(),
        "beside": set(),
        "left": {"before"},
        "left_relu": {"left"},
        "right": {"beside"},
        "right_relu": {"right"},
        "both": {"left_relu", "right_relu"},
        "after": {"both"},
    }
    assert {name: {*needs} for name, needs in rating.joined.needs.items()} == {
        "before": set(),
        "beside": set(),
        "left": {"before"},
        "right": {"beside"},
        "both": {"left", "right"},
        "after": {"both"},
    }
    assert rating.joined.ways.keys() == rating.joined.needs.keys()
    order = [*rating.joined.needs]
    for name, needs in rating.joined.needs.items():
        assert all(order.index(need) < order.index(name) for need in needs)


def test_of_parts_side_by_side_the_longest_way_counts() -> None:
    joined = rated("cudnn").joined
    times = joined.times(lambda ways: ways.best)
    best = {name: ways.best for name, ways in joined.ways.items()}
    assert times.sequential_s == pytest.approx(sum(best.values()))
    ways = (best["before"] + best["left"], best["beside"] + best["right"])
    assert times.parallel_s == pytest.approx(max(ways) + best["both"] + best["after"])


def test_without_libraries_nothing_is_joined() -> None:
    assert not rated().joined.ways


def measured(monkeypatch: pytest.MonkeyPatch, joined_us: float, alone_us: float) -> Report:
    """Return an analysis for which a call of a convolution with what follows takes one time, and
    any other call another one; our kernels take 1 us.
    """

    def times(group: GroupOp, schedule: str) -> Found:
        if "library" not in schedule:
            return Timed(1e-6, 0.0, 9)
        names = [op.name for op in group.body.block.ops]
        is_joined = "graph.relu" in names and "graph.conv" in " ".join(names)
        return Timed(1e-6 * (joined_us if is_joined else alone_us), 0.0, 9)

    stand_in(monkeypatch, times)
    options = Options("sm_90a", "fp16", libraries=("cudnn",), tune=True)
    return analyze(branches(), options)


def test_a_part_takes_what_its_call_was_measured_to_take(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = measured(monkeypatch, joined_us=3.0, alone_us=20.0)["bounds"]
    saved_us = bounds["library_sequential_us"] - bounds["joined_sequential_us"]
    turning_us = 1  # before a joined call; one of a convolution alone may have channels first
    assert saved_us == pytest.approx(2 * (20 + 20 - (turning_us + 3)))


def test_a_part_is_never_slower_than_its_layers_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = measured(monkeypatch, joined_us=500.0, alone_us=20.0)["bounds"]
    for kind in ("sequential_us", "parallel_us"):
        assert bounds[f"joined_{kind}"] == pytest.approx(bounds[f"library_{kind}"])


def test_a_part_that_waits_for_more_is_no_longer_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of ``left`` and ``both`` saves 1 us, but begins when the long way beside has ended."""

    def times(group: GroupOp, schedule: str) -> Found:
        names = {op.name for op in group.body.block.ops}
        if names & {"graph.abs", "graph.erf"} or names == {"graph.conv"}:
            return Timed(20e-6, 0.0, 9)
        is_joined = {"graph.conv", "graph.add"} <= names
        return Timed(39e-6 if is_joined else 20e-6 if "library" in schedule else 1e-9, 0.0, 9)

    stand_in(monkeypatch, times)
    body = f"""m (float[8, 64, 28, 28] x, float[8, 64, 28, 28] z) => (float[8, 64, 28, 28] y) {{
 [a] a = Conv{PADS}(z, k) [b] b = Abs(a) [c] c = Erf(b)
 [left] d = Conv{PADS}(x, w) [both] e = Add(d, c) [last] y = Abs(e)
}}"""
    model = with_weights(parse_model(f"{HEAD} {body}"), WEIGHTS)
    options = Options("sm_90a", "fp16", libraries=("cudnn",), tune=True)
    bounds = analyze(model, options)["bounds"]
    assert bounds["joined_sequential_us"] < bounds["library_sequential_us"]
    assert bounds["joined_parallel_us"] == bounds["library_parallel_us"] == pytest.approx(100, 1e-3)


def test_kernels_that_are_equal_are_counted_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    head = "m (float[64, 256] x) => (float[64, 256] y)"
    body = f"{head} {{ h = MatMul(x, w) i = MatMul(h, w) y = Erf(i) }}"
    model = with_weights(parse_model(f"{HEAD} {body}"), {"w": (256, 256)})
    stand_in(monkeypatch, lambda *_: Timed(1e-6, 0.0, 9))
    analyze(model, Options("sm_90a", tune=True))
    known, some = tmp_path / "cache" / "tuning.db", tmp_path / "some.jsonl"
    rows = read_rows(known)
    note = analyze(model, Options("sm_90a"), times=known)["note"]
    assert note.startswith("2 of 2 different kernels were measured on sm_90a")
    some.write_text(export_text([row for row in rows if "erf" in row.measurement.title]))
    assert 0 < len(read_rows(some)) < len(rows)
    note = analyze(model, Options("sm_90a"), times=some)["note"]
    assert note.startswith("1 of 2 different kernels were measured on sm_90a")


def test_layers_are_divided_by_the_search_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_for: list[str] = []
    found = search.by_name
    monkeypatch.setattr(search, "by_name", lambda name: asked_for.append(name) or found(name))
    for name, wanted in ((None, DEFAULT_SEARCH), ("dp", "dp")):
        asked_for.clear()
        analyze(branches(), Options("sm_90a", search=name))
        assert {*asked_for} == {wanted}


def noted(monkeypatch: pytest.MonkeyPatch, times: Callable[[GroupOp, str], Found]) -> Report:
    stand_in(monkeypatch, times)
    return analyze(branches(), Options("sm_90a", "fp16", libraries=("cudnn",), tune=True))


def test_a_call_that_is_refused_sets_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def times(group: GroupOp, schedule: str) -> Found:
        return Discarded("no") if "library" in schedule else Timed(20e-6, 0.0, 9)

    report = noted(monkeypatch, times)
    for layer in report["layers"]:
        assert layer["library_us"]["by"] == "dlc"
        assert layer["library_us"]["us"] == pytest.approx(layer["time_us"])


def test_a_kernel_counts_as_measured_with_ours_and_a_call_of_each_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in(monkeypatch, lambda *_: Timed(1e-6, 0.0, 9))
    own = analyze(branches(), Options("sm_90a", "fp16", tune=True))
    assert "the other times" not in own["note"]
    options = Options("sm_90a", "fp16", libraries=("cudnn",), tune=0.0)
    assert "the other times come from the model" in analyze(branches(), options)["note"]


def test_our_groups_without_a_time_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def times(group: GroupOp, schedule: str) -> Found:
        names = [op.name for op in group.body.block.ops]
        is_group = "library" not in schedule and {"graph.conv", "graph.relu"} <= {*names}
        return Discarded("no") if is_group else Timed(1e-6, 0.0, 9)

    stand_in(monkeypatch, times)
    report = analyze(branches(), Options("sm_90a", "fp16", tune=True))
    fused = report["fused"]
    assert fused["measured"] < fused["kernels"]
    assert f"and {fused['measured']} of {fused['kernels']} of our fused ones" in report["note"]


def test_a_library_that_is_missing_hides_no_times_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def times(_: GroupOp, schedule: str) -> Found:
        if '"cudnn"' in schedule:
            return Discarded("cudnn cannot be opened", is_passing=True)
        return Timed(5e-6, 0.0, 9)

    stand_in(monkeypatch, times)
    body = "m (float[64, 256] x) => (float[64, 256] y) { y = MatMul(x, w) }"
    model = with_weights(parse_model(f"{HEAD} {body}"), {"w": (256, 256)})
    options = Options("sm_90a", "fp32", libraries=("cublaslt", "cudnn"), tune=True)
    (layer,) = analyze(model, options)["layers"]
    assert {*layer["measured_us"]} == {"dlc", "cublaslt"}
