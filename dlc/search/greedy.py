"""DeepCuts' greedy search: merge the neighbouring pair that saves most, until none saves
anything.
"""

from heapq import heappop, heappush

from dlc.analysis.dataflow import Dataflow
from dlc.analysis.delta import cluster_s
from dlc.analysis.fusibility import NotFusibleError, strategy
from dlc.arch import Arch
from dlc.search._partition import Partition


def search(flow: Dataflow, arch: Arch) -> Partition:
    """Return the clusters found by merging producer and consumer, best saving first.

    Ops that a contraction would compute while it reads its operands come last: there they keep
    copies from being asynchronous, so they go with what precedes them if they can. Equal savings
    go to contractions first (their arithmetic hides what the others read), then to the earlier
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
        self.kinds = {n: strategy(c) for n, c in self.partition.clusters.items()}
        self.heap: list[tuple[bool, int, bool, int, int, tuple[int, int], float, str]] = []

    def run(self) -> Partition:
        for producer, consumer in self.partition.edges():
            self._propose(producer, consumer)
        while self.heap:
            *_, producer, consumer, versions, seconds, kind = heappop(self.heap)
            current = (self.version.get(producer), self.version.get(consumer))
            if current == versions and not self.partition.closes_cycle(producer, consumer):
                self._merge(producer, consumer, seconds, kind)
        return self.partition

    def _propose(self, producer: int, consumer: int) -> None:
        clusters = self.partition.clusters
        merged = clusters[producer].merged(clusters[consumer])
        try:
            kind = strategy(merged)
        except NotFusibleError:
            return
        seconds = cluster_s(merged, self.arch)
        gain_s = self.seconds[producer] + self.seconds[consumer] - seconds
        if gain_s > 0:
            versions = (self.version[producer], self.version[consumer])
            epilogue = self.kinds[producer] == kind == "contract"
            prologue = kind == "contract" and not epilogue
            rank = -round(gain_s / _EQUAL_S)
            order = (prologue, rank, not epilogue, producer, consumer, versions)
            heappush(self.heap, (*order, seconds, kind))

    def _merge(self, producer: int, consumer: int, seconds: float, kind: str) -> None:
        """Merge two clusters; ``seconds`` and ``kind`` are those of the two as one."""
        kept = self.partition.merge(producer, consumer)
        del self.version[max(producer, consumer)]
        self.version[kept] += 1
        self.seconds[kept] = seconds
        self.kinds[kept] = kind
        for other in sorted(self.partition.producers[kept]):
            self._propose(other, kept)
        for other in sorted(self.partition.consumers[kept]):
            self._propose(kept, other)
