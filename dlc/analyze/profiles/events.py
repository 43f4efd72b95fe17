"""Events of a trace in JSON, checked where they are read.

The format: "Trace Event Format" of Chrome; times are in microseconds.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlc.errors import CompileError


@dataclass(frozen=True)
class Event:
    """Something that took time. start, us: in microseconds. track: the process and thread."""

    name: str
    category: str
    start: float
    us: float
    track: tuple[str, str]
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def end(self) -> float:
        """When it was over."""
        return self.start + self.us

    def contains(self, other: "Event") -> bool:
        """Whether another event began while this one ran, and ended with it at the latest."""
        return self.start <= other.start < self.end and other.end <= self.end


def trace_events(data: Any) -> Sequence[Any]:
    """Return the entries of a trace, checked or not; none where it is no trace."""
    found = data.get("traceEvents") if isinstance(data, Mapping) else data
    return found if isinstance(found, list) else []


def timed(entries: Sequence[Any], categories: Sequence[str]) -> Iterator[Event]:
    """Yield what took time in some categories, in the order of the file.

    Raises CompileError for an event without a name, or with a time that is none.
    """
    for number, entry in enumerate(entries):
        if isinstance(entry, Mapping) and entry.get("cat") in categories and "dur" in entry:
            yield _event(entry, f"event {number}")


def _event(entry: Mapping[str, Any], at: str) -> Event:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise CompileError(f"{at} has no name")
    details = entry.get("args")
    return Event(
        name,
        entry["cat"],
        number_of(entry.get("ts"), f"{at} ({name}): ts", least=None),
        number_of(entry["dur"], f"{at} ({name}): dur"),
        (str(entry.get("pid")), str(entry.get("tid"))),
        details if isinstance(details, Mapping) else {},
    )


_MOST = 1e15
"""Microseconds, some 30 years: sums of more would be no numbers."""


def number_of(value: Any, what: str, least: float | None = 0.0) -> float:
    """Return a time. Raises CompileError where it is no finite number, or one below ``least``."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= _MOST or (least is not None and value < least):
        allowed = "a number" if least is None else f"a number of {least:.0f} or more"
        shown = textwrap.shorten(repr(value), 40)
        raise CompileError(f"{what} is {shown}, which is no time: not {allowed}")
    return float(value)
