"""The table of what an analysis advises."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.errors import counted
from dlc.report.analyses.advice_text import gain_text
from dlc.report.charts.markup import element, text

_HEADS = ("question", "advice", "gain", "layers", "command")
_SHOWN = 3
"""Layers that are named."""


def advice_table(advice: Sequence[Mapping[str, Any]]) -> str:
    """Return the table, empty without any advice."""
    heads = element("tr", *(element("th", text(head)) for head in _HEADS))
    rows = [element("tr", *_cells(each), class_="advice") for each in advice]
    return element("table", heads, *rows) if rows else ""


def _cells(advice: Mapping[str, Any]) -> Iterator[str]:
    gain, layers, command = (advice.get(key) for key in ("gain_us", "layers", "command"))
    yield element("td", text(advice["question"]))
    yield element("td", element("b", text(advice["title"])), element("p", text(advice["text"])))
    yield element("td", text("" if gain is None else gain_text(gain)), class_="gain")
    yield element("td", text(_named(layers or ())))
    yield element("td", element("code", text(command)) if command else "")


def _named(layers: Sequence[str]) -> str:
    rest = [f"{counted(len(layers) - _SHOWN, 'other')}"] if len(layers) > _SHOWN else []
    return ", ".join([*layers[:_SHOWN], *rest])
