"""The chart of what stands in the arena of intermediate values while a model runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from dlc.report.charts.markup import box, chart, label, line
from dlc.report.values import size

_WIDTH, _HEIGHT, _TICKS = 1000, 260, 4


def memory(buffers: Sequence[Mapping[str, Any]], steps: int, bytes: int) -> str:
    """Return the chart: steps to the right, addresses upwards. bytes: of the arena."""
    if not buffers:
        return ""
    across, up = _WIDTH / (steps + 1), _HEIGHT / bytes
    boxes = [
        box(
            buffer["first"] * across,
            _HEIGHT - (buffer["offset"] + buffer["bytes"]) * up,
            (buffer["last"] - buffer["first"] + 1) * across,
            buffer["bytes"] * up,
            f"{size(buffer['bytes'])} at {buffer['offset']}, "
            f"steps {buffer['first']} to {buffer['last']}",
            class_="buffer",
        )
        for buffer in buffers
    ]
    levels = [bytes * number / _TICKS for number in range(_TICKS + 1)]
    axis = [
        part
        for at in levels
        for part in (
            line(0, _HEIGHT - at * up, _WIDTH, _HEIGHT - at * up, class_="grid"),
            label(_WIDTH + 6, max(10, _HEIGHT - at * up + 4), size(at), class_="small"),
        )
    ]
    return chart(_WIDTH + 90, _HEIGHT + 4, *axis, *boxes)
