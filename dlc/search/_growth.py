"""Clusters that one kernel can compute, grown op by op."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from math import inf, isfinite
from time import monotonic

from dlc.analysis.dataflow import Cluster
from dlc.search._op_sets import OpSet, OpSets, first, members
from dlc.search._price import Prices

TRIED, LEAST_TRIED, MOST_TRIED = 8_000, 24, 256
"""So many clusters of a dataflow are tried, the same number from each op; at least and at most so
many from one. From an op of 9, 256 are all that there are.
"""

NEAR = 8
"""An op is tried together with so many that come next, whether they have to do with it or not."""

MOST_BETWEEN = 16
"""So many ops may have to run between the first op of a cluster and its last one."""


class Kernels:
    """The seconds of sets of ops, asked once; infinite where no kernel computes one."""

    def __init__(self, sets: OpSets, prices: Prices):
        self.sets = sets
        self._prices = prices
        self._seconds: dict[OpSet, float] = {}

    def seconds(self, ops: OpSet) -> float:
        """Return what the kernel of a set takes."""
        found = self._seconds.get(ops)
        if found is None:
            found = self._seconds[ops] = self._prices.seconds(self.sets.cluster(ops))
        return found

    def kernel(self, ops: OpSet) -> Cluster | None:
        """Return the ops of a set that need a kernel, if any do."""
        return self._prices.kernel(self.sets.cluster(ops))

    def is_narrow(self, ops: OpSet) -> bool:
        """Whether few ops have to run between the first op of a set and its last one."""
        between = self.sets.needs(ops) >> first(ops)
        return between.bit_count() <= MOST_BETWEEN


@dataclass(frozen=True, order=True)
class _Grown:
    """A set that may grow; the least one grows first.

    strangers: how often it grew, or grows now, by ops that only stand near by. refused: so many of
    the last sets on the way here have no kernel. s: what the last that has one takes more than its
    ops alone. apart_s: what the ops alone take. is_near: whether it grows by ops near by.
    """

    strangers: int
    refused: int
    s: float
    ops: OpSet
    apart_s: float = field(compare=False)
    is_near: bool = field(default=False, compare=False)


def grow(start: int, kernels: Kernels, deadline: float = inf) -> Iterator[OpSet]:
    """Yield sets that one kernel computes, whose first op is that at place ``start``.

    Ops are added one by one, with all that lies between: those that read the set, that it reads, or
    that read the same, and at last others near by. What saves most grows first. A set that no
    kernel computes grows, too, since with more ops one may; it comes after all others.
    """
    return _Growth(start, kernels).run(deadline)


class _Growth:
    def __init__(self, start: int, kernels: Kernels):
        self._start = start
        self._kernels = kernels
        self._sets = kernels.sets
        count = len(self._sets.order)
        self._left = min(MOST_TRIED, max(LEAST_TRIED, TRIED // count))
        self._later = self._sets.all & -1 << (start + 1)
        self._near = self._later & (1 << (start + 1 + NEAR)) - 1
        self._seen: set[OpSet] = set()
        self._heap: list[_Grown] = []

    def run(self, deadline: float) -> Iterator[OpSet]:
        yield from self._try(1 << self._start, _Grown(0, 0, 0.0, 0, 0.0))
        while self._heap and self._left > 0 and monotonic() < deadline:
            grown = heappop(self._heap)
            around = self._near if grown.is_near else self._around(grown.ops)
            for place in members(around & ~grown.ops):
                yield from self._try(grown.ops | 1 << place, grown)
            if not grown.is_near:
                heappush(self._heap, replace(grown, strangers=grown.strangers + 1, is_near=True))

    def _around(self, ops: OpSet) -> OpSet:
        found = 0
        for place in members(ops):
            found |= self._sets.neighbours[place]
        return found & self._later

    def _try(self, ops: OpSet, before: _Grown) -> Iterator[OpSet]:
        """Yield a set, with all that lies between its ops, if it is new and has a kernel."""
        ops = self._sets.convex(ops)
        if ops in self._seen or self._left <= 0 or not self._kernels.is_narrow(ops):
            return
        self._seen.add(ops)
        self._left -= 1
        added = members(ops & ~before.ops)
        apart_s = before.apart_s + sum(self._kernels.seconds(1 << place) for place in added)
        own_s = self._kernels.seconds(ops)
        if isfinite(own_s):
            yield ops
            grown = _Grown(before.strangers, 0, own_s - apart_s, ops, apart_s)
        else:
            grown = _Grown(before.strangers, before.refused + 1, before.s, ops, apart_s)
        heappush(self._heap, grown)
