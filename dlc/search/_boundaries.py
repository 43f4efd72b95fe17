"""Why the clusters of a partition are not fewer."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from dlc.analysis.dataflow import Cluster
from dlc.plan import NoPlan, Plan, Planner, saving
from dlc.search._partition import Partition

_BETWEEN = "another group lies between"
_UNFOUND = "would be faster, but the search did not merge them"


class Boundaries:
    """Says why clusters are not one kernel.

    names: of the clusters that have kernels, in running order; those in between that have none are
    concatenations, which other kernels write in place.
    """

    def __init__(self, partition: Partition, planner: Planner, names: Mapping[int, str]):
        self.partition = partition
        self.planner = planner
        self.names = names
        self.place = {n: i for i, n in enumerate(names)}
        self.chains = list(_open_chains(partition, planner))

    def of(self, producer: int) -> list[str]:
        """Return why each reader of a cluster is another cluster, in the order of their names."""
        found = (c for c in self.partition.consumers[producer] if c in self.place)
        readers = sorted(found, key=self.place.__getitem__)
        return [f"{self.names[c]}: {self._reason(producer, c)}" for c in readers]

    def _reason(self, producer: int, consumer: int) -> str:
        pair = producer, consumer
        plan = self.planner.whole(self._together(pair))
        if isinstance(plan, Plan):
            loss = f"one kernel {self._loss(pair, plan)}"
            return _BETWEEN if self.partition.closes_cycle(*pair) else loss
        if chain := next((each for each in self.chains if {*pair} <= {*each}), None):
            return self._of_chain(chain)
        lost_s = self.planner.lost_in_stages_s(self._together(pair))
        if lost_s is None:
            return plan.reason
        loss = f"in stages ({plan.reason}), one kernel {_text(lost_s, 'at least ')}"
        return _BETWEEN if self.partition.closes_cycle(*pair) else loss

    def _of_chain(self, chain: Sequence[int]) -> str:
        """Return why clusters are not one kernel of which no two could be one."""
        names = ", ".join(self.names[n] for n in chain if n in self.names)
        plan = self.planner.whole(self._together(chain))
        if isinstance(plan, NoPlan):
            return f"{names} as one kernel: {plan.reason}"
        return f"{names} as one kernel {self._loss(chain, plan)}"

    def _loss(self, parts: Sequence[int], plan: Plan) -> str:
        apart = [self.planner.plan(self.partition.clusters[n]) for n in parts]
        return _text(-saving(apart, [plan]).s)

    def _together(self, parts: Sequence[int]) -> Cluster:
        return reduce(Cluster.merged, (self.partition.clusters[n] for n in parts))


def _text(lost_s: float, how: str = "") -> str:
    return f"would take {how}{lost_s * 1e6:.3g} us more" if lost_s >= 0 else _UNFOUND


def _open_chains(partition: Partition, planner: Planner) -> Iterator[tuple[int, ...]]:
    """Yield the clusters of chains that one kernel may take as a whole, but does not."""
    for ends in planner.spans(partition.flow):
        first, last = (partition.home[op] for op in ends)
        if first != last:
            yield first, *partition.between(first, last), last
