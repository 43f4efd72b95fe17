"""The chart of how times change with the size of the batch."""

from collections.abc import Mapping, Sequence

from dlc.report.charts.axes import Axes
from dlc.report.charts.markup import chart, element, text

Curves = Mapping[str, Sequence[tuple[float, float]]]
"""Microseconds at each batch size, by what takes them."""

_WIDTH, _HEIGHT = 540, 340
_AROUND = 1.25
"""Factor between what is shown and the ends of the axes."""


def sweep(curves: Curves, colors: Mapping[str, str], up: str) -> str:
    """Return the chart, both axes logarithmic. up: what the vertical axis shows."""
    sizes = [size for curve in curves.values() for size, _ in curve]
    times = [us for curve in curves.values() for _, us in curve if us > 0]
    if not times:
        return ""
    axes = Axes(_WIDTH, _HEIGHT, _ends(sizes), _ends(times), sorted({*sizes}))
    drawn = [part for name, curve in curves.items() for part in _curve(name, curve, axes, colors)]
    return chart(_WIDTH, _HEIGHT, *axes.grid("batch size", up), *drawn)


def per_item(curves: Curves) -> Curves:
    """Return what each item of a batch takes."""
    return {name: [(size, us / size) for size, us in curve] for name, curve in curves.items()}


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values) / _AROUND, max(values) * _AROUND


def _curve(
    name: str, curve: Sequence[tuple[float, float]], axes: Axes, colors: Mapping[str, str]
) -> list[str]:
    """Return a line and its points."""
    color = colors[name]
    places = [(axes.x(size), axes.y(us)) for size, us in curve]
    way = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
    points = [
        element(
            "circle",
            element("title", text(f"{name}, batch {size}: {us:.4g} us")),
            **{"cx": x, "cy": y, "r": 3.5, "fill": color, "class_": "size"},
        )
        for (x, y), (size, us) in zip(places, curve, strict=True)
    ]
    return [element("polyline", points=way, stroke=color, class_="curve"), *points]
