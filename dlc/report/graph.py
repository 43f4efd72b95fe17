"""The chart of which step reads what which other one wrote, and what each takes."""

from collections.abc import Iterator, Mapping, Sequence
from math import log2

from dlc.report.markup import box, chart, element, label, line, text
from dlc.report.run import Step
from dlc.report.values import microseconds

_ROW = 18
_ARCS, _NAMES, _BARS = 150, 560, 260
"""Widths in pixels."""
_LETTERS = 84
"""Of a title that is shown."""


def graph(steps: Sequence[Step], colors: Mapping[str, str], variant: str) -> str:
    """Return the chart. colors: of the strategies. variant: begins the anchors of its groups."""
    longest = max((step.us for step in steps), default=0.0) or 1.0
    arcs = [_arc(maker, step.number) for step in steps for maker in step.reads]
    rows = [part for step in steps for part in _row(step, colors[step.strategy], longest, variant)]
    return chart(_ARCS + _NAMES + _BARS + 80, _ROW * len(steps) + 4, *arcs, *rows)


def _middle(step: int) -> float:
    return _ROW * (step + 0.5)


def _arc(maker: int, reader: int) -> str:
    """Return the edge between two steps: the further they are apart, the wider its bow."""
    start, end = _middle(maker), _middle(reader)
    bow = _ARCS - 12 - min(_ARCS - 16, 14 * log2(1 + reader - maker))
    path = (
        f"M{_ARCS - 8} {start:.0f} C{bow:.0f} {start:.0f} {bow:.0f} {end:.0f} {_ARCS - 8} {end:.0f}"
    )
    return element("path", d=path, class_="arc")


def _row(step: Step, color: str, longest: float, variant: str) -> Iterator[str]:
    """Yield what one step has: a dot, its name and nodes, a bar of its time with its bound."""
    y = _middle(step.number)
    short = step.title if len(step.title) <= _LETTERS else step.title[: _LETTERS - 1] + "…"
    yield element("circle", cx=_ARCS - 6, cy=y, r=4, fill=color)
    name = label(_ARCS + 4, y + 4, f"{step.group}  {short}")
    yield element("a", element("title", text(step.tip)), name, href=f"#{variant}-{step.group}")
    left, scale = _ARCS + _NAMES, _BARS / longest
    yield box(left, y - 6, step.us * scale, 12, step.tip, fill=color)
    if step.bound_us:
        at = left + min(step.bound_us * scale, _BARS)
        yield line(at, y - 8, at, y + 8, class_="bound")
    yield label(left + step.us * scale + 6, y + 4, microseconds(step.us), class_="small")
