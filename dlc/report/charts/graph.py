"""The chart of which row reads what which other one wrote, and what each takes."""

from collections.abc import Iterator, Mapping, Sequence

from dlc.report.charts.colors import OTHER_TIMES
from dlc.report.charts.lanes import Lanes, critical_edges, lanes_of
from dlc.report.charts.markup import box, chart, element, label, line, text
from dlc.report.charts.row import Row
from dlc.report.values import microseconds

_LANE, _ALL_LANES = 13, 200
"""Pixels of a lane, and at most of all."""
_BARS, _SAID, _LETTER, _BOLD = 260, 70, 6.4, 7.6
"""Pixels of the longest bar, of a time, of a letter, and of a bold one."""
_NAME_LETTERS, _LETTERS = 48, 84
"""Of a name that is shown, and of a name with its title."""
_ROW, _BAR, _THIN = 18, 12, 5
"""Heights of a row, of its bar, and of each bar of several."""


def graph(rows: Sequence[Row], colors: Mapping[str, str]) -> str:
    """Return the chart. colors: of the kinds. The other times of a row, at most as many as
    ``OTHER_TIMES``, are bars below its own one.
    """
    return _Graph(rows, colors, lanes_of(rows)).drawn()


def other_names(rows: Sequence[Row]) -> list[str]:
    """Return the names of the other times of rows, in the order of their bars."""
    return [*dict.fromkeys(name for row in rows for name in row.other_us)]


class _Graph:
    def __init__(self, rows: Sequence[Row], colors: Mapping[str, str], lanes: Lanes):
        self._rows, self._colors, self._lanes = rows, colors, lanes
        self._critical = critical_edges(rows)
        self._others = other_names(rows)
        bars = 1 + len(self._others)
        self._bar = _BAR if bars == 1 else _THIN
        self._height = max(_ROW, bars * self._bar + 6)
        self._lane = min(_LANE, _ALL_LANES / lanes.count)
        self._dots = 10 + self._lane * (lanes.count - 1)
        self._left = self._dots + max(map(_text_width, rows), default=0.0) + 36
        times = [us for row in rows for us in (row.us, *row.other_us.values())]
        self._scale = _BARS / (max(times, default=0.0) or 1.0)

    def drawn(self) -> str:
        edges = [self._edge(maker, row) for row in self._rows for maker in row.reads]
        rows = [part for row in self._rows for part in self._row(row)]
        height = self._height * len(self._rows) + 4
        said = _SAID * (1 + len(self._others))
        return chart(self._left + _BARS + said, height, *edges, *rows)

    def _x(self, lane: int) -> float:
        return self._dots - self._lane * lane

    def _y(self, row: int) -> float:
        return self._height * (row + 0.5)

    def _edge(self, maker: int, reader: Row) -> str:
        """Return the line between two rows: to its lane, along it, and to the reader."""
        lanes, end = self._lanes, reader.number
        x = self._x(lanes.rows[maker])
        between = self._x(lanes.edges[maker, end])
        path = [f"M{x:.4g} {self._y(maker):g}"]
        if end > maker + 1:
            path += [self._bend(x, between, maker), f"V{self._y(end - 1):g}"]
            x = between
        path.append(self._bend(x, self._x(lanes.rows[end]), end - 1))
        marked = " critical" if self._critical.get(maker) == end else ""
        return element("path", d="".join(path), class_=f"arc{marked}")

    def _bend(self, start: float, end: float, row: int) -> str:
        """Return the way from one lane to another one, from a row to the next one."""
        low = self._y(row + 1)
        if start == end:
            return f"V{low:g}"
        middle = (self._y(row) + low) / 2
        return f"C{start:.4g} {middle:g} {end:.4g} {middle:g} {end:.4g} {low:g}"

    def _row(self, row: Row) -> Iterator[str]:
        """Yield what a row has: a dot, its name and title, bars of its times with its bound."""
        y = self._y(row.number)
        marked = " critical" if row.is_critical else ""
        place = {"cx": self._x(self._lanes.rows[row.number]), "cy": y, "r": 4}
        yield element("circle", **place, fill=self._colors[row.kind], class_=f"dot{marked}")
        name, title = _short(row)
        parts = (
            element("tspan", text(name), class_=f"name{marked}"),
            element("tspan", text(title), dx=8, class_="small"),
        )
        said = element("text", *parts, x=self._dots + 12, y=y + 4)
        yield element("a", element("title", text(row.tip)), said, href=f"#{row.anchor}")
        yield from self._bars(row, y)

    def _bars(self, row: Row, y: float) -> Iterator[str]:
        top = y - self._bar * (1 + len(self._others)) / 2
        own = {"fill": self._colors[row.kind], "class_": "time"}
        yield box(self._left, top, row.us * self._scale, self._bar, row.tip, **own)
        for place, name in enumerate(self._others):
            if (us := row.other_us.get(name)) is not None:
                at, tip = top + self._bar * (place + 1), f"{row.name} {name}: {microseconds(us)}"
                look = {"fill": OTHER_TIMES[place], "class_": "other"}
                yield box(self._left, at, us * self._scale, self._bar, tip, **look)
        if row.bound_us:
            x = self._left + min(row.bound_us * self._scale, _BARS)
            half = self._height / 2 - 1
            yield line(x, y - half, x, y + half, class_="bound")
        longest = max(row.us, *row.other_us.values(), 0.0) * self._scale
        others = (row.other_us.get(name) for name in self._others)
        said = " / ".join("–" if us is None else microseconds(us) for us in (row.us, *others))
        yield label(self._left + longest + 6, y + 4, said, class_="small")


def _short(row: Row) -> tuple[str, str]:
    """Return what is shown of a name, whose end says most, and of a title."""
    name = row.name
    if len(name) > _NAME_LETTERS:
        name = f"…{name[1 - _NAME_LETTERS :]}"
    most = _LETTERS - len(name)
    return name, row.title if len(row.title) <= most else f"{row.title[: most - 1]}…"


def _text_width(row: Row) -> float:
    """Return the pixels of a name and a title, about."""
    name, title = _short(row)
    return (_BOLD if row.is_critical else _LETTER) * len(name) + _LETTER * len(title)
