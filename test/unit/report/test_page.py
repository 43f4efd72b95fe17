"""The page of HTML that shows a report."""

from collections import Counter
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc.compiler.outcome import Report
from dlc.report.charts.row import Row
from dlc.report.charts.timeline import starts_of
from dlc.report.compiles.page import page
from dlc.report.compiles.run_rows import launches_of

CHANNELS = 24
STRANGE = "</script><b>&"


def branches() -> onnx.ModelProto:
    """Return two convolutions of one tensor, side by side, whose sum is pooled and multiplied."""
    random = np.random.default_rng(0)
    shape = [1, CHANNELS, 12, 12]
    weights = {
        "u": random.standard_normal((CHANNELS, CHANNELS, 3, 3)),
        "v": random.standard_normal((CHANNELS, CHANNELS, 1, 1)),
    }
    nodes = [
        helper.make_node("Conv", ["x", "u"], ["a"], STRANGE, pads=[1] * 4),
        helper.make_node("Conv", ["x", "v"], ["b"], "beside"),
        helper.make_node("MaxPool", ["a"], ["c"], "pool", kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("Add", ["c", "b"], ["d"], "sum"),
        helper.make_node("Softmax", ["d"], ["y"], "softmax", axis=3),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in "xy"]
    stored = [numpy_helper.from_array(w.astype(np.float32), n) for n, w in weights.items()]
    graph = helper.make_graph(nodes, "branches", ends[:1], ends[1:], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


@pytest.fixture(scope="module", params=["cpu", "sm_90a", "sm_80,sm_90a"])
def report(request: pytest.FixtureRequest) -> Report:
    return dlc.compile(branches(), target=request.param, verify=False).report


class Elements(HTMLParser):
    """Counts elements, and fails for one that is not closed where it should be."""

    def __init__(self, markup: str):
        super().__init__()
        self.open: list[str] = []
        self.count = Counter[str]()
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(markup)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_each_launch_each_edge_and_each_value_is_on_the_page(report: Report) -> None:
    found = Elements(page(report))
    variants = report["variants"]
    launches = [step for v in variants for step in v["steps"] if "kernel" in step]
    classes = Counter(value for name, value in found.attributes if name == "class")
    assert found.count["a"] == len(launches) >= 3 * len(variants)
    assert classes["arc"] == sum(len(step["reads"]) for step in launches) >= 2 * len(variants)
    assert classes["buffer"] == sum(len(v["buffers"]) for v in variants) >= len(variants)
    assert classes["bar"] == len(launches)
    assert found.count["details"] == len(
        {(v["target"], s["group"]) for v in variants for s in v["steps"] if "kernel" in s}
    )


def test_links_lead_to_places_of_the_page(report: Report) -> None:
    attributes = Elements(page(report)).attributes
    ids = Counter(value for name, value in attributes if name == "id")
    links = {str(value).removeprefix("#") for name, value in attributes if name == "href"}
    assert links == {*ids}
    assert set(ids.values()) == {1}


def test_names_of_the_model_are_text_and_no_markup(report: Report) -> None:
    found = Elements(page(report))
    assert not found.count.keys() & {"b", "script", "link", "img", "iframe"}
    assert any(STRANGE in text for text in found.texts)


def test_nothing_is_fetched(report: Report) -> None:
    assert not {name for name, _ in Elements(page(report)).attributes} & {"src", "srcset", "onload"}
    assert "//" not in page(report).replace(STRANGE, "")


def test_what_tuning_measured_replaces_the_estimate(report: Report) -> None:
    variant = report["variants"][0]
    kernel = {**variant["kernels"][0], "measured": {"time_us": 1234.5}}
    tuned = {**variant, "kernels": [kernel, *variant["kernels"][1:]]}
    assert launches_of(tuned)[0].us == 1234.5
    assert launches_of(variant)[0].us == variant["steps"][0]["estimate_us"] > 0


def test_times_of_a_profile_replace_both(report: Report) -> None:
    variant = report["variants"][0]
    seconds = [1e-6 * (number + 1) for number in range(len(variant["steps"]))]
    launches = [step for step in variant["steps"] if "kernel" in step]
    assert [s.us for s in launches_of(variant, seconds)] == pytest.approx(
        [*range(1, 1 + len(launches))]
    )
    assert "measured" in page({**report, "variants": [variant]}, seconds)


def test_values_that_are_kept_at_the_same_time_stand_apart(report: Report) -> None:
    for variant in report["variants"]:
        for one, other in combinations(variant["buffers"], 2):
            if one["first"] <= other["last"] and other["first"] <= one["last"]:
                low, high = sorted((one, other), key=lambda x: x["offset"])
                assert low["offset"] + low["bytes"] <= high["offset"]
        ends = [x["offset"] + x["bytes"] for x in variant["buffers"]]
        assert variant["workspace_bytes"] - 256 < max(ends) <= variant["workspace_bytes"]


def test_a_launch_reads_what_it_comes_after(report: Report) -> None:
    for variant in report["variants"]:
        steps = [step for step in variant["steps"] if "kernel" in step]
        before: list[set[int]] = []
        for step in steps:
            before.append({*step["after"]}.union(*(before[n] for n in step["after"])))
            assert {*step["reads"]} <= before[-1]
        assert steps[-1]["reads"]


def test_an_old_report_has_a_page(report: Report) -> None:
    """It says nothing of the chip, of buffers and of what reads what."""
    new = {"reads", "after", "estimate_us"}
    variants = [
        {
            **{key: x for key, x in variant.items() if key not in ("chip", "buffers")},
            "steps": [{k: x for k, x in s.items() if k not in new} for s in variant["steps"]],
        }
        for variant in report["variants"]
    ]
    found = Elements(page({**report, "variants": variants}))
    assert found.count["details"] == Elements(page(report)).count["details"]


def step(number: int, us: float, *after: int, **keys: Any) -> Row:
    return Row(number, f"g{number}", "", "map", us, 0.0, 0.0, 0.0, after, after, **keys)


def test_steps_begin_when_those_before_have_ended() -> None:
    diamond = [step(0, 2.0), step(1, 5.0, 0), step(2, 1.0, 0), step(3, 1.0, 1, 2)]
    assert starts_of(diamond) == [0.0, 2.0, 2.0, 7.0]


def test_a_model_of_views_alone_has_a_page(tmp_path: Path) -> None:
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
        for n, s in (("x", [6]), ("y", [2, 3]))
    ]
    size = numpy_helper.from_array(np.array([2, 3]), "size")
    node = helper.make_node("Reshape", ["x", "size"], ["y"])
    model = helper.make_model(helper.make_graph([node], "views", ends[:1], ends[1:], [size]))
    compiled = dlc.compile(model, target="cpu", verify=False)
    assert Elements(compiled.explain("html")).count["details"] == 0
    with pytest.raises(ValueError, match="emit is 'json'; give text or html"):
        compiled.explain("json")  # pyright: ignore[reportArgumentType]  (wrong on purpose)
