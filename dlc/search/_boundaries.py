"""Why the clusters of a partition are not fewer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from dlc.analysis.dataflow import Cluster
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.overlay import OverlayOp
from dlc.plan import NoPlan, Plan, Planner, saving
from dlc.search._partition import Partition
from dlc.search._price import STANDING

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
        """Return why each reader of a cluster is another cluster, in the order of their names:
        first of what it gives, then of concatenations in which that stands, by reasons.
        """
        direct = self._named(self.partition.consumers[producer])
        found = [f"{self.names[c]}: {self._reason(producer, c)}" for c in direct]
        behind: dict[str, list[str]] = {}
        for reader in self._named(self._behind(producer) - {*direct}):
            behind.setdefault(self._reason_through(producer, reader), []).append(self.names[reader])
        for reason, names in behind.items():
            found.append(f"{', '.join(names)} through a concatenation: {reason}")
        return found

    def _named(self, numbers: Iterable[int]) -> list[int]:
        return sorted((n for n in numbers if n in self.place), key=self.place.__getitem__)

    def _behind(self, producer: int) -> set[int]:
        """Return the clusters that read concatenations without a kernel of what a cluster gives."""
        waiting = [c for c in self.partition.consumers[producer] if c not in self.place]
        found: set[int] = set()
        while waiting:
            readers = self.partition.consumers[waiting.pop()] - found
            found |= readers
            waiting += readers - self.place.keys()
        return found

    def _reason_through(self, producer: int, consumer: int) -> str:
        between = self.partition.between(producer, consumer)
        if not self.place.keys().isdisjoint(between):
            return _BETWEEN
        plan = self.planner.whole(self._together([producer, *between, consumer]))
        if isinstance(plan, NoPlan):
            return plan.reason
        standing = (isinstance(op, OverlayOp) for n in between for op in self._ops(n))
        return STANDING.reason if any(standing) else self._loss((producer, consumer), plan)

    def _ops(self, number: int) -> Sequence[ComputedOp]:
        return self.partition.clusters[number].ops

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
