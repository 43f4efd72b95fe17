"""Two logarithmic axes of a chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from dlc.report.charts.markup import label, line

LEFT, _RIGHT, _ABOVE, _BELOW = 70, 20, 20, 40
"""Pixels around what the axes span."""
_FEW_DECADES = 2.5
"""An axis of no more has lines between powers of ten, too."""


@dataclass(frozen=True)
class Axes:
    """width, height: in pixels, of the chart. across, up: the least and the largest value of each
    axis. A value below the least one is shown there. marks: values of the horizontal axis that have
    lines; without them round ones do.
    """

    width: float
    height: float
    across: tuple[float, float]
    up: tuple[float, float]
    marks: Sequence[float] = ()

    @property
    def right(self) -> float:
        """Where the horizontal axis ends, in pixels."""
        return self.width - _RIGHT

    @property
    def bottom(self) -> float:
        """Where the vertical axis begins, in pixels."""
        return self.height - _BELOW

    def x(self, value: float) -> float:
        """Return where a value of the horizontal axis is, in pixels."""
        return LEFT + _share(value, self.across) * (self.right - LEFT)

    def y(self, value: float) -> float:
        """Return where a value of the vertical axis is, in pixels."""
        return self.bottom - _share(value, self.up) * (self.bottom - _ABOVE)

    def grid(self, across: str, up: str) -> Iterator[str]:
        """Yield lines at round values with their labels. across, up: what the axes show."""
        for value in self.marks or round_values(*self.across):
            x = self.x(value)
            yield line(x, _ABOVE, x, self.bottom, class_="grid")
            yield label(x, self.bottom + 18, _said(value), class_="small", text_anchor="middle")
        for value in round_values(*self.up):
            y = self.y(value)
            yield line(LEFT, y, self.right, y, class_="grid")
            yield label(LEFT - 6, y + 4, _said(value), class_="small", text_anchor="end")
        middle = (LEFT + self.right) / 2
        yield label(middle, self.height - 4, across, class_="small", text_anchor="middle")
        yield label(LEFT, _ABOVE - 8, up, class_="small")


def _said(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return log10(max(value, low) / low) / log10(high / low)


def round_values(low: float, high: float) -> list[float]:
    """Return the powers of ten from low to high; where they are few, twice and five times these,
    too.
    """
    steps = (1, 2, 5) if log10(high / low) <= _FEW_DECADES else (1,)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    found = [step * 10.0**power for power in powers for step in steps]
    return [value for value in found if low * 0.999 <= value <= high * 1.001]
