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
        return min(self._times(), default=inf) if not self.unknown() else inf

    def seconds(self) -> tuple[float, float] | None:
        """Return what all groups take by the model's choice and by the best measured one; ``None``
        where the model's choice has no time.
        """
        first_s = self._time(self.plan.best)
        if first_s is None:
            return None
        return len(self.groups) * first_s, len(self.groups) * min(self._times())

    def _times(self) -> list[float]:
        times = map(self._time, self.plan.candidates)
        return [each for each in times if each is not None]

    def _time(self, candidate: Candidate) -> float | None:
        """Return what a schedule takes, as a plan has it; ``None`` where that was not measured."""
        found = self.known.get(candidate.text)
        return None if found is None or found.fault else candidate.informed(found.median_s).s
