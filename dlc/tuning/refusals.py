"""Schedules that cannot be taken, said once where many have one reason."""

from dataclasses import dataclass, field

from dlc.errors import counted


@dataclass
class Refusals:
    """By group and reason: the first schedule, and how many there are. All algorithms of a call
    may fail for the reason for which the first one does.
    """

    _first: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    _counts: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def add(self, what: str, schedule: str, reason: str) -> None:
        """Note a schedule of the group ``what``."""
        self._first.setdefault((what, reason), schedule)
        self._counts[what, reason] = self._counts.get((what, reason), 0) + 1

    def texts(self) -> list[str]:
        """Return a line for each reason of a group."""
        return [
            f"{what} with {schedule}{_others(self._counts[what, reason] - 1)}: {reason}"
            for (what, reason), schedule in self._first.items()
        ]


def _others(count: int) -> str:
    return f" and {counted(count, 'other schedule')}" if count else ""
