"""Collage's exact search: the cheapest way to cover all ops, by dynamic programming over the sets
of ops that have run.
"""

from dataclasses import dataclass
from math import isfinite

from dlc.analysis.dataflow import Dataflow
from dlc.plan import Planner
from dlc.search import greedy
from dlc.search._cover import covers
from dlc.search._effort import UNLIMITED, Effort
from dlc.search._growth import Kernels, grow
from dlc.search._op_sets import OpSet, OpSets
from dlc.search._partition import Partition
from dlc.search._price import Prices, cost

WIDTH = 256
"""So many states are kept of those with equally many ops that wait for the same one."""


def search(flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
    """Return the cheapest division of the ops into clusters that it knows.

    It knows the clusters that ``greedy`` finds, chains that one kernel may take as a whole, and
    what grows from each op (``dlc.search._growth``): of up to 9 ops that is all there is. Of these
    clusters the division is the cheapest, unless more than ``WIDTH`` states come together. After
    the deadline no more clusters grow.
    """
    return cheapest(flow, planner, effort).best


@dataclass(frozen=True)
class Cheapest:
    """What ``dp`` finds. start: the division of ``greedy``. best: the cheapest. known: sets of ops
    that have a kernel.
    """

    start: Partition
    best: Partition
    known: list[OpSet]
    kernels: Kernels


def cheapest(flow: Dataflow, planner: Planner, effort: Effort) -> Cheapest:
    """Search, and return with the cheapest division what it is made of."""
    start = greedy.search(flow, planner, effort)
    sets = OpSets(flow)
    kernels = Kernels(sets, Prices(flow, planner))
    known = [sets.of(cluster.ops) for cluster in start.clusters.values()]
    known += [1 << place for place in range(len(sets.order))]
    known += [sets.convex(sets.of(ends)) for ends in planner.spans(flow)]
    for place in range(len(sets.order)):
        known += grow(place, kernels, effort.deadline)
    values = {ops: s for ops in known if isfinite(s := kernels.seconds(ops))}
    ways = covers(sets, values, WIDTH)
    found = [Partition(flow, map(sets.cluster, way.clusters())) for way in ways]
    best = min([start, *found], key=lambda partition: cost(partition, planner))
    return Cheapest(start, best, list(values), kernels)
