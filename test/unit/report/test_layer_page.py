"""The page of HTML that shows an analysis of layers."""

from collections import Counter
from itertools import pairwise
from math import log10
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import pytest
from layer_models import HEAD, analysis, with_weights
from onnx.parser import parse_model
from page_elements import number, of_class, parsed, part

from dlc.analyze import analyze
from dlc.compiler import Options
from dlc.report.analyses.bounds import all_bounds, shown_bounds
from dlc.report.analyses.layer_page import layer_page
from dlc.report.values import microseconds

STRANGE = "</title></style><script>alert(1)</script>\"'&amp;\x1b"
BRANCHES = """m (float[N, 16, 12, 12] x) => (float[N, 16, 12, 12] y) {
[start] a = Relu(x)
[long] b = Conv<pads = [1, 1, 1, 1]>(a, u)
[short] c = Conv(a, v)
[longer] d = Conv<pads = [1, 1, 1, 1]>(b, u)
[end] y = Add(c, d) }"""
WEIGHTS = {"u": (16, 16, 3, 3), "v": (16, 16, 1, 1)}
NAMES = ["start", "long", "short", "longer", "end"]
CRITICAL = ["start", "long", "longer", "end"]
BATCHES = (1, 4, 64)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return analysis(BRANCHES.replace("N", "1"), WEIGHTS)


@pytest.fixture(scope="module")
def swept() -> dict[str, Any]:
    model = with_weights(parse_model(f"{HEAD} {BRANCHES}"), WEIGHTS)
    return analyze(model, Options("sm_90a", "fp16"), BATCHES)


def profile_of(text: str) -> dict[str, Any]:
    """Return what a report says of a profile, all of it in one text."""
    unmatched = [{"name": text, "us": 3.0, "count": 1}]
    times = {"total_us": 1.0, "matched_us": 1.0}
    return {"kind": text, "source": text, **times, "unmatched": unmatched, "remarks": [text]}


def test_the_page_tells_what_the_profile_has_beside_the_layers(report: dict[str, Any]) -> None:
    known = profile_of("a remark") | {"remarks": ["of another batch"]}
    said = spoken(parsed(layer_page(with_other_times(report) | {"profile": known})))
    assert "in no layer: 3 us a remark" in said
    assert "of another batch" in said


def with_other_times(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report with times of libraries, and of a profile that lacks the first layer."""
    layers = [
        {
            **layer,
            "library_us": {"us": 2.0 + place, "by": "cudnn", "measured": True},
            **({"profile_us": 7.0 * place, "profile_kernels": ["k<int>"]} if place else {}),
        }
        for place, layer in enumerate(report["layers"])
    ]
    return {**report, "layers": layers}


def spoken(element: Element) -> str:
    return "".join(element.itertext())


def widths(elements: list[Element]) -> list[float]:
    return [number(each, "width") for each in elements]


def test_each_layer_is_a_row_a_point_and_a_part(report: dict[str, Any]) -> None:
    root = parsed(layer_page(report))
    assert [each.text for each in of_class(root, "name")] == NAMES
    assert len(of_class(root, "dot")) == len(of_class(root, "time")) == len(NAMES)
    assert len(of_class(root, "bar")) == len(of_class(root, "point")) == len(NAMES)
    titles = [spoken(each).partition(":")[0] for each in root.iter("summary")]
    assert titles == NAMES


def test_the_critical_path_is_marked_and_nothing_else(report: dict[str, Any]) -> None:
    assert report["critical_path"] == CRITICAL
    root = parsed(layer_page(report))
    assert [each.text for each in of_class(root, "name", "critical")] == CRITICAL
    assert len(of_class(root, "dot", "critical")) == len(CRITICAL)
    assert len(of_class(root, "bar", "critical")) == len(CRITICAL)
    assert len(of_class(root, "arc", "critical")) == len(CRITICAL) - 1
    assert len(of_class(root, "arc")) == sum(len(layer["needs"]) for layer in report["layers"]) == 5


def test_bars_are_as_long_as_times(report: dict[str, Any]) -> None:
    full = with_other_times(report)
    root = parsed(layer_page(full))
    times = of_class(root, "time")
    scale = number(times[0], "width") / full["layers"][0]["time_us"]
    assert scale > 1
    estimates = [layer["time_us"] for layer in full["layers"]]
    assert widths(times) == pytest.approx([us * scale for us in estimates], abs=0.01)
    others = [us for x in full["layers"] for us in (x["library_us"]["us"], x.get("profile_us"))]
    known = [us * scale for us in others if us is not None]
    assert widths(of_class(root, "other")) == pytest.approx(known, abs=0.02, rel=1e-3)
    for layer, bar, bound in zip(full["layers"], times, of_class(root, "bound"), strict=True):
        x = number(bound, "x1") - number(bar, "x")
        assert x == pytest.approx(layer["bound_us"] * scale, abs=0.02)


def test_a_measured_layer_says_what_was_estimated_too(report: dict[str, Any]) -> None:
    first, *others = report["layers"]
    measured = {**first, "time_us": 5.0, "measured_us": {"dlc": 5.0}}
    root = parsed(layer_page({**report, "layers": [measured, *others]}))
    said = [spoken(row) for row in root.iter("tr") if spoken(row).startswith("estimate")]
    assert said == [f"estimate{microseconds(first['estimate_us'])}"]


def test_bounds_are_as_long_as_times(report: dict[str, Any]) -> None:
    new = {"library_sequential_us": 77.0, "advised_parallel_us": 55.0, "joined_parallel_us": 33.0}
    full = {**report, "bounds": {**report["bounds"], **new}}
    bars = of_class(parsed(layer_page(full)), "total")
    times = [us for _, us in all_bounds(full["bounds"])]
    assert len(times) == 8 + len(new), "a gain is no bound"
    assert widths(bars) == pytest.approx([us * 440 / max(times) for us in times], abs=0.01)
    said = [spoken(bar) for bar in bars]
    assert "libraries by layer, fastest algorithms, one after the other: 77 us" in said
    name = "libraries, with what one call computes of several layers"
    assert f"{name}, each as soon as its inputs are there: 33 us" in said


def test_points_of_the_roofline_are_at_the_best_known_times(report: dict[str, Any]) -> None:
    plain, full = (
        of_class(parsed(layer_page(each)), "point") for each in (report, with_other_times(report))
    )
    first, *_ = report["layers"]
    assert f"{first['flops'] / 1e3 / first['estimate_us']:.4g} GFLOP/s" in spoken(plain[0])
    assert f"{first['flops'] / 1e3 / 2.0:.4g} GFLOP/s" in spoken(full[0]), "of the library"
    second = report["layers"][1]
    assert f"{second['flops'] / 1e3 / 7.0:.4g} GFLOP/s" in spoken(full[1]), "of the profile"


def test_a_layer_without_one_of_the_times_says_so(report: dict[str, Any]) -> None:
    root = parsed(layer_page(with_other_times(report)))
    (drawn,) = [each for each in part(root, "Layers") if each.tag == "svg"]
    labels = [each.text or "" for each in of_class(drawn, "small") if each.tag == "text"]
    assert labels[0].endswith(" us / 2 us / –")
    assert labels[1].endswith(" us / 3 us / 7 us")


def test_a_sweep_has_a_point_of_each_bound_and_batch_size(swept: dict[str, Any]) -> None:
    root = parsed(layer_page(swept))
    (beside,) = of_class(root, "beside")
    whole, each = beside
    curves = len([*shown_bounds(swept["bounds"])])
    for chart in (whole, each):
        assert len(of_class(chart, "size")) == curves * len(BATCHES)
        assert len(of_class(chart, "curve")) == curves
    times = [one["bounds"]["sequential_us"] for one in swept["batches"]]
    check_logarithmic(of_class(whole, "size")[: len(BATCHES)], times)
    check_logarithmic(
        of_class(each, "size")[: len(BATCHES)],
        [us / size for us, size in zip(times, BATCHES, strict=True)],
    )


def check_logarithmic(points: list[Element], times: list[float]) -> None:
    """Differences of places are those of logarithms, times one factor for each axis."""
    for attribute, values in (("cx", [*map(float, BATCHES)]), ("cy", times)):
        places = [number(point, attribute) for point in points]
        steps = [b - a for a, b in pairwise(places)]
        logarithms = [log10(b / a) for a, b in pairwise(values)]
        factor = (places[-1] - places[0]) / log10(values[-1] / values[0])
        assert abs(factor) > 1
        assert steps == pytest.approx([factor * each for each in logarithms], abs=0.02)


def test_each_batch_size_has_a_part_of_its_own(swept: dict[str, Any]) -> None:
    root = parsed(layer_page(swept))
    assert [each.text for each in root.iter("h1")][1:] == [f"batch {size}" for size in BATCHES]
    assert len(of_class(root, "name")) == len(BATCHES) * len(NAMES)


def test_links_lead_to_places_of_the_page(swept: dict[str, Any]) -> None:
    twice = {**swept, "batches": [*swept["batches"], swept["batches"][0]]}
    root = parsed(layer_page(twice))
    ids = Counter(each.attrib["id"] for each in root.iter() if "id" in each.attrib)
    links = {each.attrib["href"].removeprefix("#") for each in root.iter("a")}
    assert links == {*ids}
    assert set(ids.values()) == {1}


def test_names_of_a_model_are_text_and_nothing_is_fetched(report: dict[str, Any]) -> None:
    full = with_other_times(report)
    first, *rest = full["layers"]
    first = {**first, "name": STRANGE, "op_type": STRANGE, "profile_kernels": [STRANGE]}
    second = {**rest[0], "needs": [STRANGE]}
    advice = {"question": STRANGE, "title": STRANGE, "text": STRANGE, "gain_us": 1.0}
    hostile = {
        **full,
        "model": STRANGE,
        "note": STRANGE,
        "layers": [first, second, {**rest[1], "needs": []}, *rest[2:]],
        "critical_path": [STRANGE],
        "advice": [{**advice, "layers": [STRANGE], "command": STRANGE}],
        "profile": profile_of(STRANGE),
    }
    root = parsed(layer_page(hostile))
    assert not {each.tag for each in root.iter()} & {"script", "link", "img", "iframe", "object"}
    assert not {name for each in root.iter() for name in each.attrib if name.startswith("on")}
    assert not {"src", "srcset"} & {name for each in root.iter() for name in each.attrib}
    assert STRANGE.replace("\x1b", "\\x1b") in {each.text for each in of_class(root, "advice")[0]}
    assert all(each.attrib["href"].startswith("#") for each in root.iter("a"))
    assert "url(" not in layer_page(report)
    assert "@import" not in layer_page(report)


def test_advice_is_a_table(report: dict[str, Any]) -> None:
    said = {"question": "Q3", "title": "Fuse", "text": "Two layers in one.", "gain_us": 12.5}
    some = [
        {**said, "layers": NAMES, "command": "dlc-compile --search dp"},
        {**said, "gain_us": 1.5, "layers": [], "command": None},
    ]
    assert "<code>" not in layer_page(report)
    first, second = of_class(parsed(layer_page({**report, "advice": some})), "advice")
    assert [spoken(cell) for cell in first] == [
        "Q3",
        "FuseTwo layers in one.",
        "12.5 us",
        "start, long, short, 2 others",
        "dlc-compile --search dp",
    ]
    assert [spoken(cell) for cell in second][2:] == ["1.5 us", "", ""]


def test_a_large_model_has_a_small_page(report: dict[str, Any]) -> None:
    """As many layers and edges as a DenseNet of 500 layers, each with all times."""
    template = with_other_times(report)["layers"][1]
    names = [f"/features/denseblock/denselayer{place}/conv/Conv" for place in range(500)]
    layers = [
        {**template, "name": name, "needs": names[max(0, place - 16) : place]}
        for place, name in enumerate(names)
    ]
    made = layer_page({**report, "layers": layers, "critical_path": names})
    assert len(of_class(parsed(made), "name")) == 500
    assert len(made) < 3_000_000


def test_a_model_that_needs_no_kernel_has_a_page() -> None:
    body = "m (float[6] x, int64[2] s) => (float[2, 3] y) { y = Reshape(x, s) }"
    model = parse_model(f"{HEAD} {body}")
    options = Options("cpu", constants={"s": np.array([2, 3])})
    root = parsed(layer_page(analyze(model, options)))
    assert len(of_class(root, "total")) == 8
    assert not of_class(root, "point")
