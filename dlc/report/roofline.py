"""The roofline chart: what each step does in a second, by how much it does with a byte.

S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model",
Communications of the ACM 52(4), 2009.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10
from typing import Any

from dlc.report.markup import chart, element, label, line, text
from dlc.report.run import Step

_WIDTH, _HEIGHT, _LEFT, _BELOW = 860, 420, 70, 40
_DECADES_BELOW = 4
"""Of the axis of operations in a second, below the highest roof."""
_NAMED, _NAME_WIDTH, _NAME_HEIGHT = 12, 36, 12
"""Steps that may have their names beside them, those that take longest; pixels of a name."""


def roofline(
    steps: Sequence[Step], colors: Mapping[str, str], chip: Mapping[str, Any] | None
) -> str:
    """Return the chart, empty where nothing is known of operations and times. chip: its memory's
    and its units' rates, as a report has them; an old one has none.
    """
    shown = [step for step in steps if step.flops and step.bytes and step.us]
    if not shown or chip is None:
        return ""
    axes = _Axes(shown, chip)
    longest = max(step.us for step in shown)
    points = [_point(step, axes, colors[step.strategy], longest) for step in shown]
    names = [label(x, y, step.group, class_="small") for step, x, y in _named(shown, axes)]
    return chart(_WIDTH, _HEIGHT, *axes.grid(), *axes.roofs(), *points, *names)


def _named(steps: Sequence[Step], axes: "_Axes") -> Iterator[tuple[Step, float, float]]:
    """Yield the steps that take longest, with the places of their names, which do not meet."""
    taken: list[tuple[float, float]] = []
    for step in sorted(steps, key=lambda step: -step.us)[:_NAMED]:
        x, y = axes.x(_intensity(step)) + 9, axes.y(_rate(step)) + 16
        if all(abs(x - a) > _NAME_WIDTH or abs(y - b) > _NAME_HEIGHT for a, b in taken):
            taken.append((x, y))
            yield step, x, y


def _intensity(step: Step) -> float:
    return step.flops / step.bytes


def _rate(step: Step) -> float:
    return step.flops / (1e-6 * step.us)


def _point(step: Step, axes: "_Axes", color: str, longest: float) -> str:
    tip = f"{step.tip}, {_rate(step) / 1e9:.4g} GFLOP/s, {_intensity(step):.3g} flop/byte"
    radius = 3 + 6 * (step.us / longest) ** 0.5
    place = {"cx": axes.x(_intensity(step)), "cy": axes.y(_rate(step)), "r": radius}
    return element("circle", element("title", text(tip)), **place, fill=color, class_="point")


class _Axes:
    """Both logarithmic, as wide as the steps and the roofs need."""

    def __init__(self, steps: Sequence[Step], chip: Mapping[str, Any]):
        self._memory: float = chip["bytes_per_s"]
        self._units: Mapping[str, float] = chip["flops_per_s"]
        top = max(self._units.values())
        intensities = [*map(_intensity, steps), top / self._memory]
        self._first = floor(log10(min(intensities)))
        self._last = floor(log10(max(intensities))) + 1
        self._top = floor(log10(top)) + 1
        slowest = floor(log10(min(map(_rate, steps))))
        self._bottom = max(min(slowest, self._top - 2), self._top - 2 * _DECADES_BELOW)

    def x(self, intensity: float) -> float:
        """Return where an intensity is, in pixels."""
        share = (log10(intensity) - self._first) / (self._last - self._first)
        return _LEFT + share * (_WIDTH - _LEFT - 10)

    def y(self, rate: float) -> float:
        """Return where a rate is, in pixels."""
        share = (max(log10(rate), self._bottom) - self._bottom) / (self._top - self._bottom)
        return (_HEIGHT - _BELOW) - share * (_HEIGHT - _BELOW - 10)

    def grid(self) -> Iterator[str]:
        """Yield the lines of each power of ten, with their labels."""
        for power in range(self._first, self._last + 1):
            x = self.x(10.0**power)
            yield line(x, 10, x, _HEIGHT - _BELOW, class_="grid")
            yield label(x - 8, _HEIGHT - 22, f"{10.0**power:g}", class_="small")
        for power in range(self._bottom, self._top + 1):
            y = self.y(10.0**power)
            yield line(_LEFT, y, _WIDTH - 10, y, class_="grid")
            yield label(4, y + 4, f"{10.0 ** (power - 9):g}", class_="small")
        yield label(_WIDTH / 2, _HEIGHT - 4, "flop per byte", class_="small")
        yield label(_LEFT + 4, 22, "GFLOP/s", class_="small")

    def roofs(self) -> Iterator[str]:
        """Yield the roof of the memory, up to the fastest unit's, and that of each unit."""
        top, low = max(self._units.values()), 10.0**self._first
        ridge = top / self._memory
        start = (self.x(low), self.y(low * self._memory))
        yield line(*start, self.x(ridge), self.y(top), class_="roof")
        rate = f"memory {self._memory / 1e12:.3g} TB/s"
        yield label(start[0] + 6, start[1] - 6, rate, class_="small")
        for unit, peak in self._units.items():
            y = self.y(peak)
            yield line(self.x(peak / self._memory), y, _WIDTH - 10, y, class_="roof")
            name = f"{unit} {peak / 1e12:.4g} TFLOP/s"
            yield label(_WIDTH - 12, y - 5, name, class_="small", text_anchor="end")
