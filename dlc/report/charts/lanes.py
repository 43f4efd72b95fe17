"""Lanes beside a list of rows, in which lines lead from rows to those that read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dlc.report.charts.row import Row


@dataclass(frozen=True)
class Lanes:
    """rows: the lane that each row stands in. edges: the lane in which a maker's result passes the
    rows on its way to a reader, for each pair of them. count: how many lanes there are.
    """

    rows: Sequence[int]
    edges: Mapping[tuple[int, int], int]
    count: int


@dataclass(frozen=True)
class _Span:
    """What keeps a lane from a first to a last row: rows that follow each other, or results."""

    first: int
    last: int
    rows: Sequence[int] = ()
    edges: Sequence[tuple[int, int]] = ()


def lanes_of(rows: Sequence[Row]) -> Lanes:
    """Return lanes, 0 the nearest to the rows, in which no result passes over another row.

    A row stands below one that it reads, where no other reader does. Those of the critical path
    stand below each other, in lane 0.
    """
    readers = _readers(rows)
    following = _following(rows, readers)
    chains = [_chain_span(chain, readers) for chain in _chains(len(rows), following)]
    buses = [_bus(maker, readers[maker], following[maker]) for maker in following]
    spans = sorted([*chains, *buses], key=lambda span: (not _is_critical(span, rows), span.first))
    places = _place(spans)
    return Lanes(
        [lane for _, lane in sorted((r, n) for s, n in places for r in s.rows)],
        {edge: lane for span, lane in places for edge in span.edges},
        1 + max((lane for _, lane in places), default=0),
    )


def critical_edges(rows: Sequence[Row]) -> dict[int, int]:
    """Return the row that follows another one on the critical path, by that other one."""
    critical = [row for row in rows if row.is_critical]
    pairs = pairwise(critical)
    return {one.number: other.number for one, other in pairs if one.number in other.reads}


def _readers(rows: Sequence[Row]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in rows:
        for maker in row.reads:
            found.setdefault(maker, []).append(row.number)
    return found


def _following(rows: Sequence[Row], readers: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return the reader that stands below a maker, by maker."""
    found = critical_edges(rows)
    taken = {*found.values()}
    for maker, others in sorted(readers.items()):
        if maker not in found and others[0] not in taken:
            found[maker] = others[0]
            taken.add(others[0])
    return found


def _chains(count: int, following: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield the rows that stand below each other."""
    for row in sorted({*range(count)} - {*following.values()}):
        chain = [row]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        yield chain


def _chain_span(chain: Sequence[int], readers: Mapping[int, Sequence[int]]) -> _Span:
    """Return the lane of rows; the result of the last one uses it on its way to its readers."""
    end = chain[-1]
    others = readers.get(end, ())
    edges = [*pairwise(chain), *((end, reader) for reader in others)]
    return _Span(chain[0], max([end, *(reader - 1 for reader in others)]), chain, edges)


def _bus(maker: int, readers: Sequence[int], below: int) -> _Span:
    """Return the lane of a result on its way to those readers that do not stand below its row."""
    others = [reader for reader in readers if reader != below]
    return _Span(maker + 1, max(others, default=0) - 1, (), [(maker, reader) for reader in others])


def _is_critical(span: _Span, rows: Sequence[Row]) -> bool:
    return any(rows[row].is_critical for row in span.rows)


def _place(spans: Sequence[_Span]) -> list[tuple[_Span, int]]:
    """Give each span the first lane that is free from its first to its last row."""
    lanes: list[list[_Span]] = []
    found = []
    for span in spans:
        free = (n for n, lane in enumerate(lanes) if not any(_meet(span, x) for x in lane))
        lane = next(free, len(lanes))
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append(span)
        found.append((span, lane))
    return found


def _meet(one: _Span, other: _Span) -> bool:
    return one.first <= other.last and other.first <= one.last
