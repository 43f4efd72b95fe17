"""A part of a page that opens at a click."""

from collections.abc import Iterable

from dlc.report.charts.markup import element, text


def folded(title: str, anchor: str, facts: Iterable[tuple[str, str]], *more: str) -> str:
    """Return a part of a page that opens at a click on its title: a table of what is said of
    something, without those of which nothing is said. more: markup below it.
    """
    rows = [_row(what, said) for what, said in facts if said]
    table = element("table", *rows, id=anchor)
    return element("details", element("summary", text(title)), table, *more)


def _row(what: str, said: str) -> str:
    return element("tr", element("th", text(what)), element("td", text(said)))
