"""One way to make a kernel, with what is known of its time."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from dlc.model.upper_bound import UpperBound
from dlc.strategies import Rated, Schedule


@dataclass(frozen=True)
class Candidate:
    """A schedule of a cluster.

    estimate_s: what it probably takes, by the model. measured_s: what it took, where it was
    measured. ask: asks the model for more. late_s: what it takes more between other launches than
    alone; part of both times.
    """

    schedule: Schedule
    estimate_s: float
    ask: Callable[[], Rated] = field(repr=False, compare=False)
    measured_s: float | None = None
    late_s: float = 0.0

    def informed(self, alone_s: float | None) -> "Candidate":
        """Return it with what it took alone, ``None`` where that was not measured."""
        return replace(self, measured_s=None if alone_s is None else alone_s + self.late_s)

    @property
    def text(self) -> str:
        """The schedule as the IR has it."""
        return str(self.schedule.attribute())

    @cached_property
    def rated(self) -> Rated:
        """What the model says."""
        return replace(self.ask(), latency_s=lambda: self.estimate_s)

    @property
    def bound(self) -> UpperBound:
        """The least time that the schedule can take."""
        return self.rated.bound

    @property
    def s(self) -> float:
        """The best that is known of its time, in seconds."""
        return self.estimate_s if self.measured_s is None else self.measured_s
