"""Divisions of all ops into clusters that can run one after the other, the best ones of them."""

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from dlc.search._op_sets import OpSet, OpSets, first, members


class Way(NamedTuple):
    """Clusters that have run. value: their sum, the less the better. last: the last one of them."""

    value: float
    done: OpSet
    last: OpSet = 0
    before: "Way | None" = None

    def clusters(self) -> Iterator[OpSet]:
        """Yield the clusters, the last one first."""
        way = self
        while way.before is not None:
            yield way.last
            way = way.before


def covers(sets: OpSets, values: Mapping[OpSet, float], width: int, alike: int = 1) -> list[Way]:
    """Return ways through all ops with clusters that have a value, the best one first.

    The ops that have run, a set that needs no other op, are the state. Of the ways to one state the
    best ``alike`` stay (dominance). States are looked at in the order of their first op that has
    not run and of how many have. Of those with the same of both, the best ``width`` stay. So the
    best way is exact where no more come together: before an op that every way leads through, all
    states are one.

    Next runs a cluster with the first op that has not run. Where all of these wait for another one,
    a cluster with the first op that they wait for is next. No order of the same clusters is looked
    at twice.
    """
    return _Covers(sets, values, width, alike).run()


class _Waiting(NamedTuple):
    ops: OpSet
    needs: OpSet
    value: float


class _Covers:
    def __init__(self, sets: OpSets, values: Mapping[OpSet, float], width: int, alike: int):
        self._all = sets.all
        self._width, self._alike = width, alike
        self._with: list[list[_Waiting]] = [[] for _ in sets.order]
        for ops in sorted(values):
            waiting = _Waiting(ops, sets.needs(ops), values[ops])
            for place in members(ops):
                self._with[place].append(waiting)
        self._found: dict[tuple[int, int], list[Way]] = {}
        self._heap: list[tuple[int, int]] = []

    def run(self) -> list[Way]:
        self._add(Way(0.0, 0))
        while self._heap:
            ways = self._best(self._found.pop(heappop(self._heap)))
            if ways[0].done == self._all:
                return ways
            for way in ways:
                for each in self._next(way.done):
                    self._add(Way(way.value + each.value, way.done | each.ops, each.ops, way))
        return []

    def _add(self, way: Way) -> None:
        key = first(~way.done), way.done.bit_count()
        if key not in self._found:
            self._found[key] = []
            heappush(self._heap, key)
        self._found[key].append(way)

    def _best(self, ways: list[Way]) -> list[Way]:
        ways.sort(key=lambda way: (way.value, way.done))
        kept: list[Way] = []
        count: dict[OpSet, int] = {}
        for way in ways:
            count[way.done] = count.get(way.done, 0) + 1
            if count[way.done] <= self._alike and len(kept) < self._width:
                kept.append(way)
        return kept

    def _next(self, done: OpSet) -> Iterator[_Waiting]:
        """Yield the clusters that may run next."""
        start = first(~done)
        awaited = [start]
        for place in awaited:
            for each in self._with[place]:
                if each.ops & done or (place != start and each.ops >> start & 1):
                    continue
                missing = each.needs & ~done
                if not missing:
                    yield each
                elif first(missing) not in awaited:
                    awaited.append(first(missing))
