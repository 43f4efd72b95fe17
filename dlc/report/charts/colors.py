"""What the colours of a page stand for."""

from collections.abc import Mapping, Sequence

from dlc.report.charts.markup import element, text
from dlc.report.charts.row import Row

COLORS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#9c755f", "#edc948", "#2f4b7c")
_LIGHT = ("#a0cbe8", "#ffbe7d", "#8cd17d", "#d4a6c8", "#b6dcd9", "#d7b5a6", "#f7e8a4", "#9aa7c0")
CURVE_COLORS = COLORS + _LIGHT
"""Of curves, of which there may be more than kinds."""
OTHER_TIMES = ("#5f5f5f", "#bdbdbd")
"""Of a row's other times."""
_OTHER = "#a7a7a7"


def kind_colors(rows: Sequence[Row]) -> dict[str, str]:
    """Return the colours of the kinds of rows, those that take longest together first; kinds for
    which no colour is left share one.
    """
    us = dict.fromkeys((row.kind for row in rows), 0.0)
    for row in rows:
        us[row.kind] += row.us
    return {
        kind: COLORS[place] if place < len(COLORS) else _OTHER
        for place, kind in enumerate(sorted(us, key=us.__getitem__, reverse=True))
    }


def legend(colors: Mapping[str, str]) -> str:
    """Return what says which colour is whose."""
    named = {color: name for name, color in colors.items() if color != _OTHER}
    rest = [name for name, color in colors.items() if color == _OTHER]
    others = {_OTHER: rest[0] if len(rest) == 1 else f"{len(rest)} other kinds"} if rest else {}
    return element("p", *(key(name, color) for color, name in (named | others).items()))


def key(name: str, color: str) -> str:
    """Return a patch of a colour, and what it stands for."""
    patch = element("span", class_="key", style=f"background: {color}")
    return element("span", patch, text(name), class_="named") + " "
