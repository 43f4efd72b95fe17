"""Collage's exact search: the cheapest way to cover all ops, by dynamic programming over the sets
of ops that have run.
"""

from math import inf, isfinite

from dlc.analysis.dataflow import Dataflow
from dlc.plan import Planner
from dlc.search import greedy
from dlc.search._cover import covers
from dlc.search._growth import Kernels, grow
from dlc.search._op_sets import OpSets
from dlc.search._partition import Partition
from dlc.search._price import Prices, cost

WIDTH = 256
"""So many states are kept of those with equally many ops that wait for the same one."""


def search(flow: Dataflow, planner: Planner, deadline: float = inf) -> Partition:
    """Return the cheapest division of the ops into clusters that it knows.

    It knows the clusters that ``greedy`` finds, chains that one kernel may take as a whole, and
    what grows from each op (``dlc.search._growth``): of up to 9 ops that is all there is. Of these
    clusters the division is the cheapest, unless more than ``WIDTH`` states come together. After
    ``deadline`` no more clusters grow.
    """
    start = greedy.search(flow, planner, deadline)
    sets = OpSets(flow)
    kernels = Kernels(sets, Prices(flow, planner))
    known = [sets.of(cluster.ops) for cluster in start.clusters.values()]
    known += [1 << place for place in range(len(sets.order))]
    known += [sets.convex(sets.of(ends)) for ends in planner.spans(flow)]
    for place in range(len(sets.order)):
        known += grow(place, kernels, deadline)
    values = {ops: kernels.seconds(ops) for ops in known}
    ways = covers(sets, {ops: s for ops, s in values.items() if isfinite(s)}, WIDTH)
    found = [Partition(flow, map(sets.cluster, way.clusters())) for way in ways]
    return min([start, *found], key=lambda partition: cost(partition, planner))
