"""What comes of trying a schedule, and who tries it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from dlc.dialects.fused_group import GroupOp
from dlc.strategies import Schedule
from dlc.tuning.budget import Budget
from dlc.tuning.measurement import Place


@dataclass(frozen=True)
class Timed:
    """The seconds of one run: their median, half the distance between the quartiles, how many."""

    median_s: float
    spread_s: float
    count: int


@dataclass(frozen=True)
class Discarded:
    """Why a schedule cannot be taken. is_wrong: it can be built, but its kernels do not run, or
    compute something else than those of another schedule: a fault of dlc. is_passing: nothing of it
    is remembered, since a library is missing, which may come.
    """

    reason: str
    is_wrong: bool = False
    is_passing: bool = False


Found = Timed | Discarded


class Measurer(Protocol):
    """Builds groups with schedules and times them on one device.

    ahead: how many groups may be built while another one is timed.
    """

    ahead: int

    def place_of(self, schedule: Schedule) -> Place:
        """Return what the time of a schedule is good for: that of a call, for one library file."""
        ...

    def start(
        self, group: GroupOp, schedules: Sequence[Schedule], budget: Budget
    ) -> Iterator[Found]:
        """Begin to build; the iterator times the schedules, in order, as far as the budget goes."""
        ...
