"""Sets of ops of a dataflow as integers: bit ``i`` is the op at place ``i`` of an order."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.dialects.graph.computed import ComputedOp
from dlc.search._partition import Partition

OpSet = int

Division = frozenset[OpSet]
"""Disjoint sets of all ops; equal where ops are divided equally."""

MOST_READERS = 8
"""The readers of a tensor are neighbours of each other where they are not more than this."""

MOST_KEPT = 20_000
"""Of so many sets answers are kept: searches find the same ones on many ways, one soon after the
other. Those of a model with 1,340 ops take 10 MB.
"""


def members(ops: OpSet) -> Iterator[int]:
    """Yield the places of a set, the first one first."""
    while ops:
        lowest = ops & -ops
        yield lowest.bit_length() - 1
        ops ^= lowest


def first(ops: OpSet) -> int:
    """Return the first place of a set that is not empty."""
    return (ops & -ops).bit_length() - 1


class OpSets:
    """What fusion asks about sets of ops.

    order: the ops, each after those that it reads and right before the first that reads it, so that
    few are ready and wait at a time. producers, consumers, ancestors, descendants: of the op at a
    place, those that it reads, that read it, and from and to which a way leads. neighbours: what it
    reads, what reads it, and what reads the same.
    """

    def __init__(self, flow: Dataflow):
        self.flow = flow
        self.order = _right_before_readers(flow)
        self.place = {op: place for place, op in enumerate(self.order)}
        self.producers = [self.of(flow.producers(op)) for op in self.order]
        self.consumers = [self.of(flow.consumers(op)) for op in self.order]
        self._convex, self._needs = map(lru_cache(MOST_KEPT), (self._with_between, self._before))
        places = range(len(self.order))
        self.ancestors = _reached(self.producers, places)
        self.descendants = _reached(self.consumers, reversed(places))
        self.neighbours = [
            near | self.consumers[place] | self.producers[place]
            for place, near in enumerate(self._readers_of_the_same())
        ]

    @property
    def all(self) -> OpSet:
        """All ops."""
        return (1 << len(self.order)) - 1

    def of(self, ops: Iterable[ComputedOp]) -> OpSet:
        """Return the set of some ops."""
        return sum(1 << self.place[op] for op in ops)

    def cluster(self, ops: OpSet) -> Cluster:
        """Return the cluster of a set."""
        found = sorted((self.order[n] for n in members(ops)), key=self.flow.position.__getitem__)
        return Cluster(self.flow, tuple(found))

    def division(self, partition: Partition) -> Division:
        """Return the sets of the clusters of a partition."""
        return frozenset(self.of(each.ops) for each in partition.clusters.values())

    def partition(self, division: Division) -> Partition:
        """Return the partition with the clusters of sets that can run one after the other."""
        return Partition(self.flow, map(self.cluster, sorted(division)))

    def convex(self, ops: OpSet) -> OpSet:
        """Return a set with all that lies on ways between its ops."""
        return self._convex(ops)

    def needs(self, ops: OpSet) -> OpSet:
        """Return what must run before a convex set can."""
        return self._needs(ops)

    def _with_between(self, ops: OpSet) -> OpSet:
        before = after = 0
        for n in members(ops):
            before |= self.ancestors[n]
            after |= self.descendants[n]
        return ops | before & after

    def _before(self, ops: OpSet) -> OpSet:
        before = 0
        for n in members(ops):
            before |= self.ancestors[n]
        return before & ~ops

    def _readers_of_the_same(self) -> list[OpSet]:
        """Return for each op those that read a tensor that it reads."""
        origins = [dict.fromkeys(map(self.flow.origin, op.operands)) for op in self.order]
        readers: dict[SSAValue, OpSet] = {}
        for place, values in enumerate(origins):
            for value in values:
                readers[value] = readers.get(value, 0) | 1 << place
        few = {value: ops for value, ops in readers.items() if ops.bit_count() <= MOST_READERS}
        return [_union(few.get(value, 0) for value in values) for values in origins]


def _union(sets: Iterable[OpSet]) -> OpSet:
    found = 0
    for each in sets:
        found |= each
    return found


def _reached(links: list[OpSet], places: Iterable[int]) -> list[OpSet]:
    """Return what links lead to from each place; those of a place lead to places before it."""
    found = [0] * len(links)
    for place in places:
        found[place] = _union(found[n] | 1 << n for n in members(links[place]))
    return found


def _right_before_readers(flow: Dataflow) -> list[ComputedOp]:
    order: list[ComputedOp] = []
    for op in reversed(flow.ops):
        readers = set(flow.consumers(op))
        at = next((n for n, other in enumerate(order) if other in readers), 0)
        order.insert(at, op)
    return order
