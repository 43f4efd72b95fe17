"""A chart of bars, one for each of some times."""

from collections.abc import Iterable

from dlc.report.charts.markup import box, chart, label
from dlc.report.values import microseconds

_ROW, _BAR, _LETTER, _WIDTH = 22, 14, 6.6, 440


def bars(times: Iterable[tuple[str, float]]) -> str:
    """Return the chart. times: names, and microseconds."""
    each = [*times]
    longest = max((us for _, us in each), default=0.0) or 1.0
    left = 8 + max((_LETTER * len(name) for name, _ in each), default=0.0)
    parts = [
        part
        for place, (name, us) in enumerate(each)
        for y, width in [(_ROW * place, us * _WIDTH / longest)]
        for part in (
            label(left - 8, y + 15, name, text_anchor="end"),
            box(left, y + 4, width, _BAR, f"{name}: {microseconds(us)}", class_="total"),
            label(left + width + 6, y + 15, microseconds(us), class_="small"),
        )
    ]
    return chart(left + _WIDTH + 80, _ROW * len(each) + 4, *parts) if each else ""
