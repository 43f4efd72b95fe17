"""The chart of when each step runs: as early as those before it allow."""

from collections.abc import Mapping, Sequence

from dlc.report.markup import box, chart, label, line
from dlc.report.run import Step
from dlc.report.values import microseconds

_WIDTH, _LANE, _TICKS = 1000, 20, 8


def time_line(steps: Sequence[Step], colors: Mapping[str, str]) -> str:
    """Return the chart: a lane for each step that runs beside others."""
    starts = starts_of(steps)
    ends = [start + step.us for start, step in zip(starts, steps, strict=True)]
    total = max(ends, default=0.0)
    if not total:
        return ""
    lanes = _lanes(starts, ends)
    scale, height = _WIDTH / total, _LANE * (max(lanes) + 1)
    bars = [
        box(start * scale, lane * _LANE + 2, step.us * scale, _LANE - 4, step.tip, **look)
        for step, start, lane in zip(steps, starts, lanes, strict=True)
        for look in [{"fill": colors[step.strategy], "class_": "bar"}]
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


def starts_of(steps: Sequence[Step]) -> list[float]:
    """Return when each step begins, in microseconds: when those that it comes after have ended."""
    starts: list[float] = []
    ends: list[float] = []
    for step in steps:
        starts.append(max((ends[number] for number in step.after), default=0.0))
        ends.append(starts[-1] + step.us)
    return starts


def _lanes(starts: Sequence[float], ends: Sequence[float]) -> list[int]:
    """Return the first lane that is free when each step begins."""
    free: list[float] = []
    found = []
    for start, end in zip(starts, ends, strict=True):
        lane = next((n for n, until in enumerate(free) if until <= start), len(free))
        free[lane : lane + 1] = [end]
        found.append(lane)
    return found
