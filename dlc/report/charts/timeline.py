"""The chart of when each row runs: as early as those before it allow."""

from collections.abc import Mapping, Sequence

from dlc.report.charts.markup import box, chart, label, line
from dlc.report.charts.row import Row
from dlc.report.values import microseconds

_WIDTH, _LANE, _TICKS = 1000, 20, 8


def time_line(rows: Sequence[Row], colors: Mapping[str, str]) -> str:
    """Return the chart: a lane for each row that runs beside others."""
    starts = starts_of(rows)
    ends = [start + row.us for start, row in zip(starts, rows, strict=True)]
    total = max(ends, default=0.0)
    if not total:
        return ""
    lanes = _lanes(starts, ends)
    scale, height = _WIDTH / total, _LANE * (max(lanes) + 1)
    bars = [
        box(start * scale, lane * _LANE + 2, row.us * scale, _LANE - 4, row.tip, **look)
        for row, start, lane in zip(rows, starts, lanes, strict=True)
        for look in [{"fill": colors[row.kind], "class_": _look(row)}]
    ]
    ticks = [total * number / _TICKS for number in range(_TICKS + 1)]
    axis = [
        part
        for at in ticks
        for part in (
            line(at * scale, 0, at * scale, height, class_="grid"),
            label(at * scale, height + 14, microseconds(at), class_="small"),
        )
    ]
    return chart(_WIDTH + 60, height + 20, *axis, *bars)


def _look(row: Row) -> str:
    return "bar critical" if row.is_critical else "bar"


def starts_of(rows: Sequence[Row]) -> list[float]:
    """Return when each row begins, in microseconds: when those that it comes after have ended."""
    starts: list[float] = []
    ends: list[float] = []
    for row in rows:
        starts.append(max((ends[number] for number in row.after), default=0.0))
        ends.append(starts[-1] + row.us)
    return starts


def _lanes(starts: Sequence[float], ends: Sequence[float]) -> list[int]:
    """Return the first lane that is free when each row begins."""
    free: list[float] = []
    found = []
    for start, end in zip(starts, ends, strict=True):
        lane = next((n for n, until in enumerate(free) if until <= start), len(free))
        free[lane : lane + 1] = [end]
        found.append(lane)
    return found
