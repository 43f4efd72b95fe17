"""The roofline chart: what each row does in a second, by how much it does with a byte.

S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model",
Communications of the ACM 52(4), 2009.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import atan2, degrees, floor, hypot, log10
from typing import Any

from dlc.report.charts.axes import LEFT, Axes
from dlc.report.charts.markup import chart, element, label, line, text
from dlc.report.charts.row import Row

_WIDTH, _HEIGHT = 860, 420
_GIGA = 1e9
_DECADES_BELOW = 8
"""Of the axis of operations in a second at most, below the highest roof."""
_AT_END = {"class_": "small", "text_anchor": "end"}
_NAMED, _NEAR, _LETTER, _NAME_HEIGHT, _NAME_LETTERS = 12, 12, 6.6, 13, 32
"""Rows that may have their names beside them; pixels between points of which both may, of a letter
and of a name; letters of a name.
"""


def roofline(rows: Sequence[Row], colors: Mapping[str, str], chip: Mapping[str, Any] | None) -> str:
    """Return the chart, empty where nothing is known of operations and times. chip: its memory's
    and its units' rates, as a report has them; an old one has none.
    """
    shown = [row for row in rows if row.flops and row.bytes and row.us]
    if not shown or chip is None:
        return ""
    axes = _axes(shown, chip)
    longest = max(row.us for row in shown)
    points = [_point(row, axes, colors[row.kind], longest) for row in shown]
    grid = axes.grid("flop per byte", "GFLOP/s")
    units = _unit_names(axes, chip["flops_per_s"])
    roofs = _roofs(axes, chip["bytes_per_s"], [*chip["flops_per_s"].values()])
    above = [label(axes.right - 2, y, name, **_AT_END) for y, name in units]
    names = _names(shown, axes, units)
    return chart(_WIDTH, _HEIGHT, *grid, *roofs, *above, *points, *names)


def _names(rows: Sequence[Row], axes: Axes, units: Sequence[tuple[float, str]]) -> Iterator[str]:
    """Yield the names of rows, those that take longest first, beside their points, where they meet
    no other name and hide no point. Of points that are nearly one, one has its name.
    """
    end = axes.right - 2
    taken = [(end - _LETTER * len(name), end, y) for y, name in units]
    points = {(axes.x(_intensity(row)), axes.y(_rate(row))) for row in rows}
    taken += [(x - 3, x + 3, y + 5) for x, y in points]
    named: list[tuple[float, float]] = []
    for row in sorted(rows, key=lambda row: -row.us):
        name = row.name if len(row.name) <= _NAME_LETTERS else f"…{row.name[1 - _NAME_LETTERS :]}"
        x, y = axes.x(_intensity(row)), axes.y(_rate(row))
        if any(hypot(x - a, y - b) < _NEAR for a, b in named):
            continue
        place = next((p for p in _beside(x, y, name) if _is_free(p, taken, axes)), None)
        if place and len(named) < _NAMED:
            named.append((x, y))
            taken.append(place)
            yield label(place[0], place[2], name, class_="small")


_Place = tuple[float, float, float]
"""Of a name: its left, its right, the line below it."""


def _beside(x: float, y: float, name: str) -> Iterator[_Place]:
    """Yield the places of a name at the corners of a point."""
    width = _LETTER * len(name)
    for line_y in (y + 16, y - 8):
        yield x + 9, x + 9 + width, line_y
        yield x - 9 - width, x - 9, line_y


def _is_free(place: _Place, taken: Sequence[_Place], axes: Axes) -> bool:
    left, right, y = place
    inside = left > LEFT and right < axes.right and y < axes.bottom
    return inside and all(left > b or right < a or abs(y - c) > _NAME_HEIGHT for a, b, c in taken)


def _intensity(row: Row) -> float:
    return row.flops / row.bytes


def _rate(row: Row) -> float:
    """Return GFLOP/s."""
    return row.flops / (1e-6 * row.us) / _GIGA


def _point(row: Row, axes: Axes, color: str, longest: float) -> str:
    tip = f"{row.tip}, {_rate(row):.4g} GFLOP/s, {_intensity(row):.3g} flop/byte"
    radius = 3 + 6 * (row.us / longest) ** 0.5
    place = {"cx": axes.x(_intensity(row)), "cy": axes.y(_rate(row)), "r": radius}
    return element("circle", element("title", text(tip)), **place, fill=color, class_="point")


def _axes(rows: Sequence[Row], chip: Mapping[str, Any]) -> Axes:
    """Return axes of whole decades, as wide as the rows and the roofs need."""
    peak = max(chip["flops_per_s"].values())
    intensities = [*map(_intensity, rows), peak / chip["bytes_per_s"]]
    top = floor(log10(peak / _GIGA)) + 1
    slowest = floor(log10(min(map(_rate, rows))))
    bottom = max(min(slowest, top - 2), top - _DECADES_BELOW)
    first, last = floor(log10(min(intensities))), floor(log10(max(intensities))) + 1
    return Axes(_WIDTH, _HEIGHT, (10.0**first, 10.0**last), (10.0**bottom, 10.0**top))


def _roofs(axes: Axes, memory: float, peaks: Sequence[float]) -> Iterator[str]:
    """Yield the roof of the memory, up to the fastest unit's, and that of each unit."""
    top, low = max(peaks), max(axes.across[0], _GIGA * axes.up[0] / memory)
    x, y = axes.x(low), axes.y(low * memory / _GIGA)
    ridge_x, ridge_y = axes.x(top / memory), axes.y(top / _GIGA)
    yield line(x, y, ridge_x, ridge_y, class_="roof")
    angle = degrees(atan2(ridge_y - y, ridge_x - x))
    turned = f"rotate({angle:.1f} {x:.1f} {y:.1f})"
    rate = f"memory {memory / 1e12:.3g} TB/s"
    yield label(x + 8, y - 6, rate, class_="small", transform=turned)
    for peak in peaks:
        height = axes.y(peak / _GIGA)
        yield line(axes.x(peak / memory), height, axes.right, height, class_="roof")


def _unit_names(axes: Axes, units: Mapping[str, float]) -> list[tuple[float, str]]:
    """Return heights above roofs, and the names of units there: of several that would meet."""
    found: list[tuple[float, str]] = []
    for unit, peak in sorted(units.items(), key=lambda each: -each[1]):
        y, name = axes.y(peak / _GIGA) - 5, f"{unit} {peak / 1e12:.4g} TFLOP/s"
        if found and y - found[-1][0] < _NAME_HEIGHT:
            found[-1] = (found[-1][0], f"{found[-1][1]}, {name}")
        else:
            found.append((y, name))
    return found
