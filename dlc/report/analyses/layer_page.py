"""An analysis of a model's layers as one page of HTML, which needs no network."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import PurePath
from typing import Any

from dlc.errors import counted
from dlc.report.analyses.advice_table import advice_table
from dlc.report.analyses.bounds import all_bounds, shown_bounds
from dlc.report.analyses.chip_name import chip_name
from dlc.report.analyses.gradients import without_rule
from dlc.report.analyses.layer_details import layer_details
from dlc.report.analyses.layer_rows import at_best_known, layer_rows
from dlc.report.analyses.profile_text import profile_lines
from dlc.report.charts.bars import bars
from dlc.report.charts.colors import CURVE_COLORS, OTHER_TIMES, key, kind_colors, legend
from dlc.report.charts.graph import graph, other_names
from dlc.report.charts.markup import document, element, section, text
from dlc.report.charts.roofline import roofline
from dlc.report.charts.row import Row
from dlc.report.charts.style import STYLE
from dlc.report.charts.sweep import per_item, sweep
from dlc.report.charts.timeline import time_line
from dlc.report.values import size

_BOUNDS = "What the whole model takes: each bar is another way to run its layers."
_ADVICE = "What may make the model faster, and by how much."
_GRAPH = (
    "Each row is a layer, in the order of the file. A line goes from what writes a value to what "
    "reads it; the red way is the critical path, which takes longest. The bar in colour is what "
    "our plan takes for the layer alone, the black line what any kernel takes at least on this "
    "chip. A click leads to what is known of the layer."
)
_ROOFLINE = (
    "Each point is a layer: the larger, the longer it takes. The sloping roof is the memory, a "
    "level one a unit of the chip. What a cache holds may be above the sloping roof."
)
_TIME_LINE = "Each layer begins when those that it reads have ended. Red edges: the critical path."
_SWEEP = "Each curve is one of the bounds of the whole model; at the right for one item of a batch."


def layer_page(report: Mapping[str, Any]) -> str:
    """Return the page of a report of ``analyze`` (docs/analyze.md lists its keys)."""
    each = report.get("batches", [report])
    name = PurePath(report["model"] or "model").name
    title = f"{name}: {chip_name(report)}, precision {report['precision']}"
    parts = [part for place, one in enumerate(each) for part in _batch(one, f"batch-{place}")]
    return document(title, STYLE, element("p", text(f"({report['note']})")), *_sizes(each), *parts)


def _sizes(each: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what compares several batch sizes, with links to the part of each."""
    if len(each) < 2:
        return
    names = [text(f"batch {one['batch']}") for one in each]
    links = [element("a", name, href=f"#batch-{place}") for place, name in enumerate(names)]
    yield element("p", " ".join(links))
    curves: dict[str, list[tuple[float, float]]] = {}
    for one in each:
        for name, us in shown_bounds(one["bounds"]):
            curves.setdefault(name, []).append((one["batch"], us))
    colors = dict(zip(curves, cycle(CURVE_COLORS), strict=False))
    keys = [element("div", key(name, color)) for name, color in colors.items()]
    drawn = sweep(curves, colors, "us"), sweep(per_item(curves), colors, "us per item")
    beside = element("div", *drawn, class_="beside")
    yield section("Batch sizes", _SWEEP, "".join([*keys, beside]))


def _batch(report: Mapping[str, Any], anchor: str) -> Iterator[str]:
    """Yield the part of one batch size. anchor: its own; begins those of its layers."""
    rows = layer_rows(report, anchor)
    colors = kind_colors(rows)
    if report["batch"] is not None:
        yield element("h1", text(f"batch {report['batch']}"), id=anchor)
    yield element("p", text(_facts(report)))
    said = "".join(element("p", text(line)) for line in without_rule(report["layers"]))
    yield section("Bounds", _BOUNDS, bars(all_bounds(report["bounds"])) + said)
    yield section("Advice", _ADVICE, advice_table(report.get("advice", ())))
    drawn = _others(rows) + legend(colors) + graph(rows, colors) if rows else ""
    yield section("Layers", _GRAPH, drawn)
    points = [*map(at_best_known, rows)]
    chart = roofline(points, colors, report["rates"])
    yield section("Roofline", f"{_ROOFLINE} {_whose(rows)}", chart)
    yield section("Time line", _TIME_LINE, time_line(rows, colors))
    each = zip(report["layers"], rows, strict=True)
    yield section("Each layer", "", "".join(layer_details(*pair) for pair in each))


def _facts(report: Mapping[str, Any]) -> str:
    totals, profile = report["totals"], report.get("profile")
    found = (
        f"{counted(totals['layers'], 'layer')}, {totals['macs'] / 1e9:.3g} G multiply-adds, "
        f"{totals['weights'] / 1e6:.3g} M weights; layers move "
        f"{size(totals['bytes_read'] + totals['bytes_written'])}, the whole model at least "
        f"{size(totals['bytes_once'])}"
    )
    if not profile:
        return found
    return "; ".join([found, *(line.strip() for line in profile_lines(report) if line)])


def _others(rows: Sequence[Row]) -> str:
    """Return what the bars below that of our plan are."""
    names = zip(other_names(rows), OTHER_TIMES, strict=False)
    keys = [key(name, color) for name, color in names]
    return element("p", "Below that of our plan: ", *keys) if keys else ""


def _whose(rows: Sequence[Row]) -> str:
    """Return where the times of the points come from."""
    names = other_names(rows)
    if not names:
        return "Times are those of our plan."
    return f"Times are the first known one of: {', '.join(reversed(names))}, our plan."
