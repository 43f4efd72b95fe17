"""What to do with a cluster."""

from dataclasses import dataclass, replace

from dlc.core.measurements import Measurements
from dlc.plan.candidate import Candidate
from dlc.plan.structure import Structure

INDISTINCT = 0.05
"""Ways that differ by a smaller part of their time are equal: the model is off by more between
measured kernels of different strategies (on average 0.94 for ``map``, 1.05 for ``contract``, 1.08
for ``row``).
"""


@dataclass(frozen=True)
class Plan:
    """The best schedules of a cluster, at least one, in the order in which they should be tried.

    bytes, operations: what the kernel moves and computes, whatever its schedule.
    """

    structure: Structure
    candidates: tuple[Candidate, ...]
    bytes: int
    operations: float

    @property
    def key(self) -> str:
        """Under which measurements of the cluster are kept."""
        return self.structure.key

    @property
    def best(self) -> Candidate:
        """The schedule to take."""
        return self.candidates[0]

    @property
    def runners_up(self) -> tuple[Candidate, ...]:
        """The others."""
        return self.candidates[1:]

    @property
    def s(self) -> float:
        """What the cluster costs: the best that is known of its time, in seconds."""
        return self.best.s

    @property
    def estimate_s(self) -> float:
        """What the cluster costs by the model alone."""
        return min(each.estimate_s for each in self.candidates)

    def informed(self, measurements: Measurements) -> "Plan":
        """Return the plan with what was measured of its schedules.

        Measured schedules stand before the others, by their times: an estimate that is better than
        a measurement is no reason to believe it. What was refused is none, if there is another.
        """
        known = [
            each.informed(measurements.measured_s(self.key, each.text))
            for each in self.candidates
            if not measurements.is_refused(self.key, each.text)
        ]
        known.sort(key=lambda each: (each.measured_s is None, each.measured_s or 0.0))
        return replace(self, candidates=tuple(known)) if known else self


@dataclass(frozen=True)
class NoPlan:
    """Nothing can make a kernel of a cluster, and why."""

    reason: str
