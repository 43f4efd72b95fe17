"""A division of the ops of a block into clusters that can run one after the other."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from heapq import heappop, heappush

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.dialects.graph.computed import ComputedOp


class Partition:
    """Disjoint clusters, at first one per op, and an order in which they can run.

    Clusters are numbered; a merge keeps the smaller number. The order is a list of slots with at
    most one cluster each; a merge reorders only the slots between the two clusters (Pearce and
    Kelly, "A Dynamic Topological Sort Algorithm").
    """

    def __init__(self, flow: Dataflow, clusters: Iterable[Cluster] | None = None):
        """clusters: all ops, each once, so that none waits for itself; by default one per op."""
        parts = (Cluster(flow, (op,)) for op in flow.ops) if clusters is None else clusters
        self.flow = flow
        self.clusters: dict[int, Cluster] = {each.places[0]: each for each in parts}
        self.home: dict[ComputedOp, int] = {
            op: n for n, cluster in self.clusters.items() for op in cluster.ops
        }
        self.consumers = {n: self._linked(n, flow.consumers) for n in self.clusters}
        self.producers = {n: self._linked(n, flow.producers) for n in self.clusters}
        self._order: list[int | None] = [*self._running()]
        self._slot = {n: slot for slot, n in enumerate(self._order) if n is not None}

    def _linked(self, n: int, others: Callable[[ComputedOp], Sequence[ComputedOp]]) -> set[int]:
        return {self.home[each] for op in self.clusters[n].ops for each in others(op)} - {n}

    def _running(self) -> Iterator[int]:
        """Yield the clusters, each as soon as all before it have run, the smallest number first."""
        missing = {n: len(links) for n, links in self.producers.items()}
        ready = sorted(n for n, count in missing.items() if not count)
        while ready:
            n = heappop(ready)
            yield n
            for consumer in self.consumers[n]:
                missing[consumer] -= 1
                if not missing[consumer]:
                    heappush(ready, consumer)

    def copy(self) -> "Partition":
        """Return a partition that goes its own way; what it costs grows with clusters and edges."""
        other = object.__new__(Partition)
        other.flow = self.flow
        other.clusters, other.home = self.clusters.copy(), self.home.copy()
        other.consumers = {n: links.copy() for n, links in self.consumers.items()}
        other.producers = {n: links.copy() for n, links in self.producers.items()}
        other._slot, other._order = self._slot.copy(), self._order.copy()
        return other

    def division(self) -> frozenset[Cluster]:
        """Return the clusters without numbers or order: equal where ops are divided equally."""
        return frozenset(self.clusters.values())

    def order(self) -> list[int]:
        """Return the clusters in an order in which each runs after its producers."""
        return [n for n in self._order if n is not None]

    def edges(self) -> list[tuple[int, int]]:
        """Return every (producer, consumer) pair of clusters, in running order."""
        order = self.order()
        place = {n: i for i, n in enumerate(order)}
        return [(p, c) for p in order for c in sorted(self.consumers[p], key=place.__getitem__)]

    def closes_cycle(self, producer: int, consumer: int) -> bool:
        """Whether another cluster lies between the two, so that they cannot become one."""
        slots = self._slots(producer, consumer)
        if len(self.consumers[producer]) <= len(self.producers[consumer]):  # the shorter search
            return consumer in self._reached(self.consumers, producer, consumer, slots)
        return producer in self._reached(self.producers, consumer, producer, slots)

    def between(self, producer: int, consumer: int) -> list[int]:
        """Return the other clusters that lie on ways from one to the other, in running order."""
        slots = self._slots(producer, consumer)
        after = self._reached(self.consumers, producer, consumer, slots) - {consumer}
        before = self._reached(self.producers, consumer, producer, slots)
        return sorted(after & before, key=self._slot.__getitem__)

    def merge(self, producer: int, consumer: int) -> int:
        """Make two clusters one and return its number; ``closes_cycle`` must be false for them."""
        slots = self._slots(producer, consumer)
        later = self._reached(self.consumers, producer, consumer, slots)
        self._reorder(producer, consumer, later)
        keep, gone = sorted((producer, consumer))
        self.clusters[keep] = self.clusters[keep].merged(self.clusters.pop(gone))
        for op in self.clusters[keep].ops:
            self.home[op] = keep
        for links, back in (
            (self.consumers, self.producers),
            (self.producers, self.consumers),
        ):
            for other in links.pop(gone):
                back[other].discard(gone)
                if other != keep:
                    links[keep].add(other)
                    back[other].add(keep)
            links[keep].discard(gone)
        return keep

    def leads_to(self, first: int, last: int) -> bool:
        """Whether a way leads from one cluster to another one."""
        slots = self._slots(first, last)
        return last in self._reached(self.consumers, first, -1, slots)

    def detach(self, op: ComputedOp) -> int:
        """Make ``op``, which alone gives its cluster's results, a cluster of its own.

        Returns its number.
        """
        old = self.home[op]
        rest = [other for other in self.clusters[old].ops if other is not op]
        return self.split(old, rest)[1] if rest else old

    def split(self, old: int, first: Collection[ComputedOp]) -> tuple[int, int]:
        """Make two clusters of one: ``first``, which need none of its other ops, and then these.

        Returns their numbers.
        """
        ops, readers, slot = self.clusters.pop(old).ops, self.consumers.pop(old), self._slot[old]
        for producer in self.producers.pop(old):
            self.consumers[producer].discard(old)
        parts = [tuple(op for op in ops if (op in first) is wanted) for wanted in (True, False)]
        before, after = (self.flow.position[part[0]] for part in parts)
        for number, part in zip((before, after), parts, strict=True):
            self.clusters[number] = Cluster(self.flow, part)
            self.home |= dict.fromkeys(part, number)
            self.consumers[number], self.producers[number] = set(), set()
        for n in (before, after, *readers):
            self._link(n)
        self._order[slot : slot + 1] = [before, after]
        self._slot = {n: slot for slot, n in enumerate(self._order) if n is not None}
        return before, after

    def _link(self, n: int) -> None:
        """Find the producers of a cluster anew."""
        for producer in self.producers[n]:
            self.consumers.get(producer, set()).discard(n)
        ops = self.clusters[n].ops
        self.producers[n] = {self.home[p] for op in ops for p in self.flow.producers(op)} - {n}
        for producer in self.producers[n]:
            self.consumers[producer].add(n)

    def _slots(self, first: int, last: int) -> range:
        return range(self._slot[first], self._slot[last] + 1)

    def _reached(
        self, links: Mapping[int, Set[int]], start: int, skipped: int, slots: range
    ) -> set[int]:
        """Return the clusters in ``slots`` to which ``links`` lead from ``start`` by any way but
        the direct one to ``skipped``.
        """
        stack = [n for n in links[start] if n != skipped and self._slot[n] in slots]
        found = set(stack)
        while stack:
            for n in links[stack.pop()]:
                if n not in found and self._slot[n] in slots:
                    found.add(n)
                    stack.append(n)
        return found

    def _reorder(self, producer: int, consumer: int, later: set[int]) -> None:
        """Put the merged cluster after everything between the two that it may need, and before
        ``later``, what reads the producer.
        """
        slot = self._slot[consumer]
        moved = sorted(later, key=self._slot.__getitem__, reverse=True)
        for n in (producer, consumer, *later):
            self._order[self._slot.pop(n)] = None
        waiting = deque([*moved, min(producer, consumer)])
        while waiting:  # from the right; what stands there moves on until there are free slots
            standing = self._order[slot]
            if standing is not None:
                waiting.append(standing)
            n = waiting.popleft()
            self._order[slot], self._slot[n] = n, slot
            slot -= 1
