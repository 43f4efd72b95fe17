"""The cheapest of all partitions of a few ops: what a search is held against."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from math import inf

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.plan import Planner
from dlc.search._price import Prices

Part = frozenset[int]
"""The places of the ops of a cluster."""


def least_cost(flow: Dataflow, planner: Planner) -> float:
    """Return the seconds of the best division into clusters that have kernels and can run one
    after the other, found by looking at every one.
    """
    prices = Prices(flow, planner)

    @lru_cache(None)
    def seconds(part: Part) -> float:
        return prices.seconds(Cluster(flow, tuple(flow.ops[n] for n in sorted(part))))

    best = inf
    for division in _divisions(range(len(flow.ops))):
        total = sum(map(seconds, division))
        if total < best and _can_run(flow, division):
            best = total
    return best


def _divisions(places: Sequence[int]) -> Iterator[list[Part]]:
    if not places:
        yield []
        return
    first, *rest = places
    for chosen in range(1 << len(rest)):
        part = frozenset([first, *(n for i, n in enumerate(rest) if chosen >> i & 1)])
        for others in _divisions([n for n in rest if n not in part]):
            yield [part, *others]


def _can_run(flow: Dataflow, division: Sequence[Part]) -> bool:
    home = {n: number for number, part in enumerate(division) for n in part}
    needed: dict[int, set[int]] = {number: set() for number in range(len(division))}
    for n, op in enumerate(flow.ops):
        needed[home[n]] |= {home[flow.position[p]] for p in flow.producers(op)} - {home[n]}
    try:
        TopologicalSorter(needed).prepare()
    except CycleError:
        return False
    return True
