"""What came of tuning: times for plans to choose by, and a summary for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dlc.errors import counted
from dlc.tuning.measurement import Measurement
from dlc.tuning.refusals import Refusals
from dlc.tuning.trial import Discarded

_MOST_DISCARDED = 20


@dataclass
class Tuned:
    """times: by key of the groups and schedule; a ``Measurements`` for plans.

    kinds: how many groups there are that differ. measured, remembered: how many times are new, and
    from the database. timed: how many kinds have times; model_s, best_s: what the model's choices
    and the best measured ones take, over all groups of these kinds. stopped: why before everything
    was measured. divided: what was measured before to divide ops into groups, a text. remarks: what
    must be told beside faults of schedules.
    """

    times: dict[str, Mapping[str, Measurement]] = field(
        default_factory=dict[str, Mapping[str, Measurement]]
    )
    kinds: int = 0
    measured: int = 0
    remembered: int = 0
    timed: int = 0
    model_s: float = 0.0
    best_s: float = 0.0
    stopped: str = ""
    divided: str = ""
    remarks: list[str] = field(default_factory=list[str])
    _unbuilt: Refusals = field(default_factory=Refusals)
    _wrong: Refusals = field(default_factory=Refusals)

    @property
    def discarded(self) -> list[str]:
        """The first schedules that could not be built, a line for each reason of a group."""
        return self._unbuilt.texts()[:_MOST_DISCARDED]

    @property
    def faults(self) -> list[str]:
        """What must be told, a line each."""
        end = "this is a fault of dlc, please report it; another schedule is taken"
        return [*(f"{text}; {end}" for text in self._wrong.texts()), *self.remarks]

    def measured_s(self, key: str, schedule: str) -> float | None:
        """Return the seconds of one launch, ``None`` where there are none."""
        found = self.times.get(key, {}).get(schedule)
        return found.median_s if found and not found.fault else None

    def is_refused(self, key: str, schedule: str) -> bool:
        """Return whether it was tried, and could not be built or run."""
        found = self.times.get(key, {}).get(schedule)
        return found is not None and bool(found.fault)

    def measurement(self, key: str, schedule: str) -> Measurement | None:
        """Return the measurement of a schedule, if there is one with a time."""
        found = self.times.get(key, {}).get(schedule)
        return found if found and not found.fault else None

    def discard(self, what: str, schedule: str, found: Discarded) -> None:
        """Note a schedule of the group ``what`` that cannot be taken."""
        if found.is_wrong:
            self._wrong.add(what, schedule, found.reason)
        elif found.is_passing:  # of all calls of a library that is not here
            reason = f"{found.reason}; its calls were not measured"
            self.remarks += [] if reason in self.remarks else [reason]
        else:
            self._unbuilt.add(what, schedule, found.reason)

    def warn_of_noise(self) -> None:
        """Note that some times say little, where some do."""
        found = [time for times in self.times.values() for time in times.values()]
        if noisy := sum(time.is_noisy for time in found):
            self.remarks.append(
                f"{noisy} of {counted(len(found), 'measured time')} vary by more than their median,"
                " as on a machine that does something else: dlc-db prune --noisy forgets them, and"
                " the next --tune measures them again"
            )

    def text(self) -> str:
        """Return a line for the user."""
        kinds = f"{counted(self.kinds, 'kind')} of groups: {self.measured} measured"
        parts = [f"tuned {kinds if self.kinds else 'nothing'}"]
        if self.remembered:
            parts.append(f"{self.remembered} from the database")
        if self.stopped:
            parts.append(self.stopped)
        line = ", ".join(parts)
        if self.model_s:
            won = 100 * (1 - self.best_s / self.model_s)
            times = f"{1e3 * self.model_s:.3g} ms -> {1e3 * self.best_s:.3g} ms"
            which = f"{self.timed} of the kinds, " if self.timed < self.kinds else ""
            line += f"; {which}one after the other {times}, {won:.0f} % won"
        return f"{line}; {self.divided}" if self.divided else line

    def data(self) -> dict[str, object]:
        """Return the summary as plain data."""
        return {
            "text": self.text(),
            "kinds": self.kinds,
            "measured": self.measured,
            "remembered": self.remembered,
            "timed": self.timed,
            "model_us": 1e6 * self.model_s,
            "best_us": 1e6 * self.best_s,
            "stopped": self.stopped,
            "discarded": self.discarded,
            "faults": self.faults,
        }
