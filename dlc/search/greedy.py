"""DeepCuts' greedy search: merge the neighbouring pair that saves most, until none saves
anything.
"""

from heapq import heappop, heappush

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.delta import cluster_s
from dlc.analysis.epilogue import NotFusibleError
from dlc.arch import Arch
from dlc.search._partition import Partition
from dlc.strategies import accepting


def search(flow: Dataflow, arch: Arch) -> Partition:
    """Return the clusters found by merging producer and consumer, best saving first.

    Ops that an anchor (a contraction) would compute while it reads its operands come last: there
    they keep copies from being asynchronous, so they go with what precedes them if they can. Equal
    savings go to anchors first (their arithmetic hides what the others read), then to the earlier
    op, so the result depends on the program only. A pair is scored again whenever one of its
    sides has grown.
    """
    return _Greedy(flow, arch).run()


_EQUAL_S = 1e-9
"""Savings that differ by less than this are equal: no model is that exact."""


class _Greedy:
    def __init__(self, flow: Dataflow, arch: Arch):
        self.partition = Partition(flow)
        self.arch = arch
        self.seconds = {n: cluster_s(c, arch) for n, c in self.partition.clusters.items()}
        self.version = dict.fromkeys(self.partition.clusters, 0)
        self.anchored = {n: _has_anchor(c) for n, c in self.partition.clusters.items()}
        self.heap: list[tuple[bool, int, bool, int, int, tuple[int, int], float, bool]] = []

    def run(self) -> Partition:
        for producer, consumer in self.partition.edges():
            self._propose(producer, consumer)
        while self.heap:
            *_, producer, consumer, versions, seconds, anchored = heappop(self.heap)
            current = (self.version.get(producer), self.version.get(consumer))
            if current == versions and not self.partition.closes_cycle(producer, consumer):
                self._merge(producer, consumer, seconds, anchored)
        return self.partition

    def _propose(self, producer: int, consumer: int) -> None:
        clusters = self.partition.clusters
        merged = clusters[producer].merged(clusters[consumer])
        try:
            anchored = _has_anchor(merged)
        except NotFusibleError:
            return
        seconds = cluster_s(merged, self.arch)
        gain_s = self.seconds[producer] + self.seconds[consumer] - seconds
        if gain_s > 0:
            versions = (self.version[producer], self.version[consumer])
            epilogue = anchored and self.anchored[producer]
            prologue = anchored and not epilogue
            rank = -round(gain_s / _EQUAL_S)
            order = (prologue, rank, not epilogue, producer, consumer, versions)
            heappush(self.heap, (*order, seconds, anchored))

    def _merge(self, producer: int, consumer: int, seconds: float, anchored: bool) -> None:
        """Merge two clusters; ``seconds`` and ``anchored`` are those of the two as one."""
        kept = self.partition.merge(producer, consumer)
        del self.version[max(producer, consumer)]
        self.version[kept] += 1
        self.seconds[kept] = seconds
        self.anchored[kept] = anchored
        for other in sorted(self.partition.producers[kept]):
            self._propose(other, kept)
        for other in sorted(self.partition.consumers[kept]):
            self._propose(kept, other)


def _has_anchor(cluster: Cluster) -> bool:
    """Return whether one op does most of a cluster's work; raises NotFusibleError where no kernel
    can hold it.
    """
    return accepting(cluster)[0].has_anchor
