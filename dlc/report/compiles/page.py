"""The report of a compile as one page of HTML, which needs no network."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.errors import counted
from dlc.report.charts.colors import kind_colors, legend
from dlc.report.charts.graph import graph
from dlc.report.charts.markup import document, element, section, text
from dlc.report.charts.memory import memory
from dlc.report.charts.roofline import roofline
from dlc.report.charts.row import Row
from dlc.report.charts.style import STYLE
from dlc.report.charts.timeline import time_line
from dlc.report.compiles.details import details
from dlc.report.compiles.run_rows import launches_of
from dlc.report.values import by_group, library_lines, microseconds, size

_GRAPH = (
    "Each row is a launch, from the first to the last one. A line goes from what writes a value to "
    "what reads it. The bar is the time of the launch, the black line what it takes at least on "
    "this chip. A click leads to what was decided for its group."
)
_ROOFLINE = (
    "Each point is a launch: the larger, the longer it takes. The sloping roof is the memory, a "
    "level one a unit of the chip. What a cache holds may be above the sloping roof."
)
_TIME_LINE = "Each launch begins when those that it comes after have ended."
_MEMORY = "Each box is an intermediate value: the steps that it is kept for, and its addresses."


def page(report: Mapping[str, Any], seconds: Sequence[float] | None = None) -> str:
    """Return the page of a report (docs/artifact.md lists its keys).

    seconds: what each step of the only variant was measured to take, copies included.
    """
    title = f"dlc: {report['target']}, {report['precision']}"
    called = [element("p", text(line)) for line in library_lines(report)]
    parts = [part for v in report["variants"] for part in _variant(report, v, seconds)]
    return document(title, STYLE, *called, *parts)


def _variant(
    report: Mapping[str, Any], variant: Mapping[str, Any], seconds: Sequence[float] | None
) -> Iterator[str]:
    steps = launches_of(variant, seconds)
    colors = kind_colors(steps)
    yield element("p", text(_facts(report, variant, steps, seconds is not None)))
    yield legend(colors)
    yield section("Launches", _GRAPH, graph(steps, colors))
    yield section("Roofline", _ROOFLINE, roofline(steps, colors, variant.get("chip")))
    yield section("Time line", _TIME_LINE, time_line(steps, colors))
    kept = memory(variant.get("buffers", ()), len(steps), variant["workspace_bytes"])
    yield section("Memory", _MEMORY, kept)
    yield element("h2", "Groups")
    for name, kernels in by_group(variant["kernels"]).items():
        yield details(name, kernels, variant["target"])


def _facts(
    report: Mapping[str, Any],
    variant: Mapping[str, Any],
    steps: Sequence[Row],
    is_measured: bool,
) -> str:
    how = "measured" if is_measured else "by estimates and what tuning measured"
    return (
        f"{variant['target']}: {counted(variant['launches'], 'launch')} of "
        f"{counted(len(variant['kernels']), 'kernel')}, together "
        f"{microseconds(sum(step.us for step in steps))} {how}; weights "
        f"{size(report['weights_bytes'])}, intermediate values {size(variant['workspace_bytes'])}"
    )
