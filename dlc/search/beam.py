"""FusionStitching's search: candidate patterns of each op, and a beam that chooses among them."""

from collections.abc import Iterable, Sequence
from itertools import islice
from math import isfinite
from time import monotonic

from dlc.analysis.dataflow import Dataflow
from dlc.plan import Planner
from dlc.search import greedy
from dlc.search._cover import covers
from dlc.search._delta import Delta
from dlc.search._effort import UNLIMITED, Effort
from dlc.search._growth import Kernels
from dlc.search._op_sets import OpSet, OpSets, members
from dlc.search._partition import Partition
from dlc.search._price import Prices, cost

TOP = 3
"""So many patterns of each op are kept."""

WIDTH = 3
"""So many plans are followed at a time."""

NEAR = 8
"""A pattern is tried together with those of so many ops that come next."""


def search(flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
    """Return the best of the plans that a beam finds, or what ``greedy`` finds where that is
    cheaper.

    Patterns of an op begin with it. They are put together from those of its readers, and at last
    from those of ops near by (remote fusion). A guess (``Delta``) explores: it says which patterns
    an op keeps, of those with a kernel, and which plans the beam follows. At the end the plans are
    compared by what they cost. After the deadline no op gets more patterns.
    """
    start = greedy.search(flow, planner, effort)
    sets, prices = OpSets(flow), Prices(flow, planner)
    patterns = _Patterns(Kernels(sets, prices), Delta(sets, prices, planner.chip))
    spans = [sets.convex(sets.of(ends)) for ends in planner.spans(flow)]
    values = patterns.values(spans, effort.deadline)
    ways = covers(sets, values, WIDTH, alike=WIDTH)
    found = [Partition(flow, map(sets.cluster, way.clusters())) for way in ways]
    return min([start, *found], key=lambda partition: cost(partition, planner))


class _Patterns:
    def __init__(self, kernels: Kernels, delta: Delta):
        self._kernels, self._delta = kernels, delta
        self._sets = kernels.sets
        self._of: list[list[OpSet]] = [[1 << place] for place in range(len(self._sets.order))]

    def values(self, others: Iterable[OpSet], deadline: float) -> dict[OpSet, float]:
        """Return all patterns, and others that have a kernel, with what they cost more than their
        ops alone by the guess.
        """
        places = range(len(self._of))
        for place in reversed(places):
            if monotonic() < deadline:
                readers = list(members(self._sets.consumers[place]))
                self._of[place] = self._best([1 << place, *self._reduced(1 << place, readers)])
        found = {ops for place in places for ops in self._of_or_alone(place)} | {*others}
        for place in places:
            if monotonic() < deadline:
                found |= {*self._remote(place)}
        return {
            ops: -self._delta.saved_s(ops)
            for ops in sorted(found)
            if isfinite(self._kernels.seconds(ops))
        }

    def _reduced(self, producer: OpSet, readers: Sequence[int]) -> list[OpSet]:
        """Return the best patterns of a producer with patterns of its readers, or none of them
        (PatternReduction).
        """
        if not readers:
            return [producer]
        if len(readers) == 1:
            return self._best(producer | ops for ops in (0, *self._of_or_alone(readers[0])))
        middle = len(readers) // 2
        halves = [self._reduced(producer, part) for part in (readers[:middle], readers[middle:])]
        return self._best(one | other for one in halves[0] for other in halves[1])

    def _remote(self, place: int) -> list[OpSet]:
        """Return the best patterns of an op with that of one op near by, and with those of more."""
        near = range(place + 1, min(place + 1 + NEAR, len(self._of)))
        others = [ops for other in near for ops in self._of_or_alone(other)]
        own = self._of_or_alone(place)
        pairs = self._best(one | ops for one in own for ops in others)
        return pairs + self._best(ops for one in own for ops in self._reduced(one, near))

    def _of_or_alone(self, place: int) -> list[OpSet]:
        return [1 << place, *self._of[place]]

    def _best(self, found: Iterable[OpSet]) -> list[OpSet]:
        """Return the best of some patterns, with what lies between, that have a kernel."""
        whole = sorted({self._sets.convex(ops) for ops in found})
        narrow = [ops for ops in whole if self._kernels.is_narrow(ops)]
        narrow.sort(key=self._delta.saved_s, reverse=True)
        return list(islice((ops for ops in narrow if isfinite(self._kernels.seconds(ops))), TOP))
