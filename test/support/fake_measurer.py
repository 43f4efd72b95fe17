"""Stand-ins for what measures: times that a test chooses."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from dlc.compiler import measuring
from dlc.dialects.fused_group import GroupOp
from dlc.strategies import Schedule
from dlc.tuning.budget import Budget
from dlc.tuning.measurement import Place
from dlc.tuning.trial import Found

PLACE = Place("sm_90a test", "1", "cc", "v")


@dataclass
class FakeMeasurer:
    """Gives each schedule what ``time`` says; notes which were started and which timed."""

    time: Callable[[GroupOp, str], Found]
    place: Place = PLACE
    ahead: int = 1
    started: list[GroupOp] = field(default_factory=list[GroupOp])
    timed: list[tuple[GroupOp, str]] = field(default_factory=list[tuple[GroupOp, str]])

    def place_of(self, schedule: Schedule) -> Place:
        """Return the same for all."""
        return self.place

    def start(
        self, group: GroupOp, schedules: Sequence[Schedule], budget: Budget
    ) -> Iterator[Found]:
        """Note the group; the iterator ends where the budget does."""
        self.started.append(group)
        return self._results(group, schedules, budget)

    def _results(
        self, group: GroupOp, schedules: Sequence[Schedule], budget: Budget
    ) -> Iterator[Found]:
        for schedule in schedules:
            if budget.is_spent:
                return
            text = str(schedule.attribute())
            self.timed.append((group, text))
            yield self.time(group, text)


def stand_in(
    monkeypatch: pytest.MonkeyPatch, time: Callable[[GroupOp, str], Found]
) -> FakeMeasurer:
    """Let a stand-in measure what compiles and analyses measure here; return it."""
    found = FakeMeasurer(time, ahead=0)
    monkeypatch.setattr(measuring, "measurer", lambda *_: found)
    return found
