"""What kernels of a partition cost: the one objective of all searches."""

from collections.abc import Callable
from math import fsum

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.placement import Placement, is_dispensable
from dlc.dialects.graph.overlay import OverlayOp
from dlc.plan import NoPlan, Plan, Planner
from dlc.search._partition import Partition

STANDING = NoPlan("tensors that are stored as parts of one are read where they stand")
"""Of a kernel that would join them. It cannot: what it computes is a tensor with a buffer of its
own, and the parts that come later are laid over the buffer of those before.
"""


Ask = Callable[[Cluster], Plan | NoPlan]


class Prices:
    """Asks for the plan of the kernel that a cluster of a dataflow needs: one without stages, or
    whatever ``ask`` gives.
    """

    def __init__(self, flow: Dataflow, planner: Planner, ask: Ask | None = None):
        self._ask = ask or planner.whole
        self._free = Placement(flow).placeable()
        self._standing = {op for op in self._free if isinstance(op, OverlayOp)}

    def plan(self, cluster: Cluster) -> Plan | NoPlan | None:
        """Return the plan of the kernel that a cluster needs; ``None`` where it needs none."""
        kernel = self.kernel(cluster)
        if kernel is None:
            return None
        if not self._standing.isdisjoint(kernel.ops):
            return STANDING
        return self._ask(kernel)

    def kernel(self, cluster: Cluster) -> Cluster | None:
        """Return the ops of a cluster that need a kernel, if any do."""
        if not self.ends_in_place(cluster):
            return cluster
        return Cluster(cluster.flow, cluster.ops[:-1]) if cluster.ops[:-1] else None

    def ends_in_place(self, cluster: Cluster) -> bool:
        """Whether the last op is a concatenation that needs no kernel."""
        return cluster.ops[-1] in self._free and is_dispensable(cluster)

    def seconds(self, cluster: Cluster) -> float:
        """Return what the kernel of a cluster takes by the model; infinite where nothing makes one.

        What was measured plays no part: there is no measurement of most of the clusters that a
        search compares, and an estimate may be off by more than a fusion saves.
        """
        plan = self.plan(cluster)
        if plan is None:
            return 0.0
        return plan.estimate_s if isinstance(plan, Plan) else float("inf")


def cost(partition: Partition, planner: Planner) -> float:
    """Return the seconds that the kernels of a partition take one after the other, by the model.

    Concatenations that other kernels write in place take none. Infinite where a cluster has no
    kernel.
    """
    prices = Prices(partition.flow, planner)
    return fsum(prices.seconds(partition.clusters[n]) for n in partition.order())


def kernels(partition: Partition, planner: Planner) -> list[Cluster]:
    """Return the ops of each kernel of a partition, in an order in which they can run."""
    prices = Prices(partition.flow, planner)
    each = (prices.kernel(partition.clusters[n]) for n in partition.order())
    return [kernel for kernel in each if kernel is not None]
