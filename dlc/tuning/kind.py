"""Groups that compute the same, with what was measured of them."""

from dataclasses import dataclass
from math import inf

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.dialects.fused_group import GroupOp
from dlc.plan import Candidate, Plan, structure
from dlc.tuning.measurement import Measurement


def cluster_of(group: GroupOp) -> Cluster:
    """Return the ops of a group as a cluster."""
    flow = Dataflow(group.body.block)
    return Cluster(flow, tuple(flow.ops))


def key_of(group: GroupOp) -> str:
    """Return what is the same for all groups that compute the same (``Structure.key``)."""
    return structure(cluster_of(group)).key


@dataclass
class Kind:
    """Groups that compute the same. known: what was measured of them, by schedule. failed: the
    schedules that cannot be taken, for reasons that are not kept. is_wanted: whether the time of
    the only schedule matters, too.
    """

    plan: Plan
    groups: list[GroupOp]
    known: dict[str, Measurement]
    failed: set[str]
    is_wanted: bool = False

    @property
    def estimate_s(self) -> float:
        """What all of them take by the model."""
        return len(self.groups) * self.plan.best.estimate_s

    def unknown(self) -> list[Candidate]:
        """Return the schedules to measure; none where there is no choice."""
        candidates = self.plan.candidates
        if len(candidates) == 1 and not self.is_wanted:
            return []
        done = self.known.keys() | self.failed
        return [each for each in candidates if each.text not in done]

    @property
    def best_s(self) -> float:
        """The time of the best schedule, once all are measured; until then infinite."""
        times = [each.median_s for each in self.known.values() if not each.fault]
        return min(times, default=inf) if not self.unknown() else inf

    def seconds(self) -> tuple[float, float] | None:
        """Return what all groups take by the model's choice and by the best measured one; ``None``
        where the model's choice has no time.
        """
        times = [self.known[x.text].median_s for x in self.plan.candidates if x.text in self.known]
        first = self.known.get(self.plan.best.text)
        if first is None or first.fault:
            return None
        return len(self.groups) * first.median_s, len(self.groups) * min(filter(None, times))
