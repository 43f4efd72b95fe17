"""DeepCuts' greedy search: merge the neighbouring pair that saves most, until none saves
anything.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from heapq import heappop, heappush
from itertools import product

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.plan import INDISTINCT, Plan, Planner, Saving, saving
from dlc.search._borders import settle_borders
from dlc.search._effort import UNLIMITED, Effort
from dlc.search._partition import Partition
from dlc.search._price import Prices

MOST_PARTS = 8
"""So many clusters become one at a time."""


def search(flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
    """Return the clusters found by merging producer and consumer, best saving first.

    At last come chains of clusters that one kernel may take as a whole, though no two of them share
    one (attention), each compared with the best that was found without.

    Where an op can go one way or another and both take equally long, it goes where less is
    computed (again), then where fewer bytes are moved, then to the earlier ops. A pair with other
    clusters between is merged with all of them or not at all. It is scored again whenever one of
    its sides has grown. At the end ops at the borders of clusters settle. It runs to its end,
    whatever the effort.
    """
    del effort
    greedy = _Greedy(Partition(flow), planner, Prices(flow, planner))
    return settle_borders(greedy.run(), greedy.prices.plan)


def stitch(partition: Partition, planner: Planner) -> Partition:
    """Return a partition in which clusters have become stages of one kernel wherever that takes
    less time, best saving first (FusionStitching, after a search for kernels without stages).

    Clusters that could be one kernel without stages stay apart: whether they should be one was the
    question of the search, which may have gone by measured times, or been a lock.
    """
    prices = Prices(partition.flow, planner, planner.worthwhile)

    def has_stages(cluster: Cluster) -> bool:
        kernel = prices.kernel(cluster)
        return kernel is not None and not isinstance(planner.whole(kernel), Plan)

    return _Greedy(partition, planner, prices, has_stages).run()


Pair = tuple[int, int]
"""A producer and a consumer."""


@dataclass(frozen=True)
class _Merge:
    """Clusters as one: a pair and what lies between, in running order.

    versions: of the clusters when it was proposed. plan: of the one.
    """

    parts: tuple[int, ...]
    versions: tuple[int, ...]
    saving: Saving
    plan: Plan

    @property
    def rank(self) -> tuple[float, float, tuple[int, ...]]:
        """What is least for the best of merges that take equally long."""
        return -self.saving.operations, -self.saving.bytes, self.parts


def _always(cluster: Cluster) -> bool:
    del cluster
    return True


class _Greedy:
    def __init__(
        self,
        partition: Partition,
        planner: Planner,
        prices: Prices,
        may_merge: Callable[[Cluster], bool] = _always,
    ):
        """may_merge: whether the ops of clusters may be one."""
        self._may_merge = may_merge
        self.partition = partition
        self.planner = planner
        self.prices = prices
        clusters = self.partition.clusters.items()
        self.plans = {n: self.prices.plan(c) for n, c in clusters}
        self.version = dict.fromkeys(self.partition.clusters, 0)
        self.merges: dict[Pair, _Merge] = {}
        self.heap: list[tuple[float, Pair, tuple[int, ...]]] = []

    def run(self) -> Partition:
        for pair in self.partition.edges():
            self._propose(pair, pair)
        for n, plan in self.plans.items():
            if plan is None:
                self._propose_across(self.partition.producers[n], self.partition.consumers[n])
        self._merge_best_first()
        for first, last in self.planner.spans(self.partition.flow):
            pair = self.partition.home[first], self.partition.home[last]
            if pair[0] != pair[1]:
                self._propose(pair, self._with_between(pair))
        self._merge_best_first()
        return self.partition

    def _merge_best_first(self) -> None:
        """Merge what was proposed, and what follows from it, until nothing saves anything."""
        while self.heap:
            _, pair, versions = heappop(self.heap)
            best = self.merges.get(pair)
            if best is None or best.versions != versions or not self._is_new(best):
                continue
            if self._is_open(best):
                self._merge(min([best, *self._rivals(best)], key=lambda merge: merge.rank))
            else:
                self._propose(pair, self._with_between(pair))

    def _propose_across(self, before: Iterable[int], behind: Iterable[int]) -> None:
        """Note what it saves to merge the clusters around one that needs no kernel: two of them
        with that one may save, though neither of them alone does.
        """
        for pair in product(sorted(before), sorted(behind)):
            self._propose(pair, self._with_between(pair))

    def _propose(self, pair: Pair, parts: tuple[int, ...]) -> None:
        """Note what it saves to merge a pair with all that lies between."""
        self.merges.pop(pair, None)
        if len(parts) > MOST_PARTS:
            return
        clusters = [self.partition.clusters[n] for n in parts]
        together = reduce(Cluster.merged, clusters)
        if not self._may_merge(together):
            return
        plan = self.prices.plan(together)
        if isinstance(plan, Plan):
            apart = [self.plans[n] for n in parts]
            saved = saving([each for each in apart if each is not None], [plan])
            if saved.s > 0 or self._may_grow(together):
                versions = self._versions(parts)
                self.merges[pair] = _Merge(parts, versions, saved, plan)
                heappush(self.heap, (-saved.s, pair, versions))

    def _may_grow(self, cluster: Cluster) -> bool:
        """Whether a cluster that saves nothing yet, since the concatenation at its end needs no
        kernel anyway, could also be one: the kernel may save with more of what it reads.
        """
        return self.prices.ends_in_place(cluster) and isinstance(self.planner.whole(cluster), Plan)

    def _with_between(self, pair: Pair) -> tuple[int, ...]:
        producer, consumer = pair
        return producer, *self.partition.between(producer, consumer), consumer

    def _versions(self, parts: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.version.get(n, -1) for n in parts)

    def _is_new(self, merge: _Merge) -> bool:
        """Whether no cluster has grown since."""
        return merge.versions == self._versions(merge.parts)

    def _is_open(self, merge: _Merge) -> bool:
        """Whether the clusters can become one: nothing else lies between."""
        pair = merge.parts[0], merge.parts[-1]
        if len(merge.parts) > 2:
            return merge.parts == self._with_between(pair)
        return not self.partition.closes_cycle(*pair)

    def _rivals(self, best: _Merge) -> Iterator[_Merge]:
        """Yield merges with one cluster of ``best`` after which all take equally long."""
        for pair in self._neighbours(best.parts):
            merge = self.merges.get(pair)
            if merge and merge.rank < best.rank and self._is_new(merge):
                apart_s = sum(self._seconds(n) for n in {*merge.parts, *best.parts})
                lost_s = best.saving.s - merge.saving.s
                if lost_s <= (apart_s - best.saving.s) * INDISTINCT and self._is_open(merge):
                    yield merge

    def _seconds(self, n: int) -> float:
        plan = self.plans[n]
        if plan is None:
            return 0.0
        return plan.s if isinstance(plan, Plan) else float("inf")

    def _neighbours(self, parts: tuple[int, ...]) -> Iterator[Pair]:
        for n in parts:
            for producer in self.partition.producers[n]:
                yield producer, n
            for consumer in self.partition.consumers[n]:
                yield n, consumer

    def _merge(self, merge: _Merge) -> None:
        kept, *rest = merge.parts
        for n in rest:
            kept = self.partition.merge(kept, n)
        for n in merge.parts:
            self.version[n] += 1
        self.plans[kept] = merge.plan
        for other in sorted(self.partition.producers[kept]):
            self._propose((other, kept), (other, kept))
            if self.plans[other] is None:
                self._propose_across(self.partition.producers[other], [kept])
        for other in sorted(self.partition.consumers[kept]):
            self._propose((kept, other), (kept, other))
            if self.plans[other] is None:
                self._propose_across([kept], self.partition.consumers[other])
