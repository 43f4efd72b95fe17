"""What was measured, and what came of it: the rows of the database."""

import math
from dataclasses import astuple, dataclass
from datetime import datetime

from dlc.errors import CompileError

DATE_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
"""Of UTC; texts of it are in the order of the times that they name."""

_LONGEST_TEXT = 10_000


@dataclass(frozen=True, order=True)
class Place:
    """What the time of a kernel depends on beside the kernel.

    chip: the target and the device's own name. driver: its version; empty on a CPU. compiler: what
    made machine code, with its version. version: of dlc, which wrote the kernel.
    """

    chip: str
    driver: str
    compiler: str
    version: str


@dataclass(frozen=True, order=True)
class Subject:
    """A kernel that was measured. group: the structural key of its group. schedule: its text."""

    place: Place
    group: str
    schedule: str


@dataclass(frozen=True, order=True)
class Measurement:
    """A measured time; of two of one subject the greater one counts, which is the later one.

    date: as ``DATE_FORMAT``. count: how many times the median is of. spread_s: half the distance
    between the quartiles. fault: why the schedule could not be built, with no times; else empty.
    title: what the group does, for people.
    """

    date: str
    count: int
    median_s: float
    spread_s: float
    fault: str
    title: str

    @property
    def is_noisy(self) -> bool:
        """Whether the times lie so far apart that their median says little: the quartiles by more
        than the median.
        """
        return 2 * self.spread_s > self.median_s


@dataclass(frozen=True, order=True)
class Row:
    """A subject with its measurement."""

    subject: Subject
    measurement: Measurement

    def check(self) -> None:
        """Raise CompileError for a row that no measuring can have given."""
        found = self.measurement
        texts = (*astuple(self.subject.place), self.subject.group, self.subject.schedule)
        for text in (*texts, found.fault, found.title):
            _check_text(text)
        if not (_is_seconds(found.median_s) and _is_seconds(found.spread_s)):
            raise CompileError(f"a measured time is {found.median_s!r}, spread {found.spread_s!r}")
        if type(found.count) is not int or not 0 <= found.count < 2**31:
            raise CompileError(f"the count of a measurement is {found.count!r}")
        if not bool(found.fault) == (found.count == 0) == (found.median_s == 0):
            raise CompileError("a measurement has either a time or a fault")
        check_date(found.date)


def _check_text(text: object) -> None:
    if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
        raise CompileError("a text of a measurement is none, or too long")
    if text.encode(errors="ignore").decode() != text:
        raise CompileError("a text of a measurement is no Unicode")


def _is_seconds(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value) and value >= 0


def check_date(text: object) -> None:
    """Raise CompileError for a text that is no date as ``DATE_FORMAT`` has it."""
    try:
        date = datetime.strptime(str(text), DATE_FORMAT)
    except ValueError:
        date = None
    if date is None or date.strftime(DATE_FORMAT) != text:
        raise CompileError(f"a date is {text!r}, should be like 2026-01-31T12:00:00Z")
