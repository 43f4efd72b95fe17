"""A division of the ops of a block into clusters that can run one after the other."""

from collections.abc import Iterable

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.dialects.graph._structure import ComputedOp


class Partition:
    """Disjoint clusters, at first one per op, and an order in which they can run.

    Clusters are numbered; a merge keeps the smaller number. The order is a list of slots with at
    most one cluster each; a merge reorders only the slots between the two clusters (Pearce and
    Kelly, "A Dynamic Topological Sort Algorithm").
    """

    def __init__(self, flow: Dataflow):
        self.flow = flow
        self.clusters: dict[int, Cluster] = {
            n: Cluster(flow, (op,)) for n, op in enumerate(flow.ops)
        }
        self.home: dict[ComputedOp, int] = dict(flow.position)
        self.consumers: dict[int, set[int]] = {
            n: {flow.position[c] for c in flow.consumers(op)} for n, op in enumerate(flow.ops)
        }
        self.producers: dict[int, set[int]] = {
            n: {flow.position[p] for p in flow.producers(op)} for n, op in enumerate(flow.ops)
        }
        self._slot = {n: n for n in self.clusters}
        self._order: list[int | None] = list(self.clusters)

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
        return consumer in self._reached(self.consumers[producer] - {consumer}, consumer)

    def merge(self, producer: int, consumer: int) -> int:
        """Make two clusters one and return its number; ``closes_cycle`` must be false for them."""
        later = self._reached(self.consumers[producer] - {consumer}, consumer)
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

    def detach(self, op: ComputedOp) -> int:
        """Make ``op``, which alone gives its cluster's results, a cluster of its own.

        Returns its number.
        """
        old, new = self.home[op], self.flow.position[op]
        if new == old:
            return new
        rest = tuple(other for other in self.clusters[old].ops if other is not op)
        self.clusters |= {old: Cluster(self.flow, rest), new: Cluster(self.flow, (op,))}
        self.home[op] = new
        readers = self.consumers.pop(old)
        self.consumers |= {old: set(), new: set()}
        for n in (old, new, *readers):
            self._link(n)
        self._order.insert(self._slot[old] + 1, new)
        self._slot = {n: slot for slot, n in enumerate(self._order) if n is not None}
        return new

    def _link(self, n: int) -> None:
        """Find the producers of a cluster anew."""
        for producer in self.producers.get(n, ()):
            self.consumers[producer].discard(n)
        ops = self.clusters[n].ops
        self.producers[n] = {self.home[p] for op in ops for p in self.flow.producers(op)} - {n}
        for producer in self.producers[n]:
            self.consumers[producer].add(n)

    def _reached(self, start: Iterable[int], end: int) -> set[int]:
        """Return the clusters reachable from ``start`` that run no later than ``end``."""
        limit = self._slot[end]
        stack = [n for n in start if self._slot[n] <= limit]
        found = set(stack)
        while stack:
            for n in self.consumers[stack.pop()]:
                if n not in found and self._slot[n] <= limit:
                    found.add(n)
                    stack.append(n)
        return found

    def _reorder(self, producer: int, consumer: int, later: set[int]) -> None:
        """Put the merged cluster after everything between the two that it may need, and before
        ``later``, what reads the producer.
        """
        first, last = self._slot[producer], self._slot[consumer]
        between = [n for n in self._order[first + 1 : last] if n is not None]
        merged = min(producer, consumer)
        order = [n for n in between if n not in later]
        order += [merged, *(n for n in between if n in later)]
        del self._slot[max(producer, consumer)]
        self._order[first : last + 1] = [*order, *[None] * (last + 1 - first - len(order))]
        for slot, n in enumerate(order, first):
            self._slot[n] = slot
