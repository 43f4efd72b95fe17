"""Measured times out of a file, of any machine that has the chip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dlc.errors import CompileError
from dlc.tuning.exchange import read_rows
from dlc.tuning.measurement import Measurement, Row


@dataclass(frozen=True)
class Recorded:
    """The newest measurement of each schedule on one device; a ``Measurements`` for plans.

    chip: the target and the name of the device. times: by key of the groups and schedule.
    """

    chip: str
    times: Mapping[str, Mapping[str, Measurement]]

    def measured_s(self, key: str, schedule: str) -> float | None:
        """Return the seconds of one launch, ``None`` where there are none."""
        found = self.times.get(key, {}).get(schedule)
        return found.median_s if found and not found.fault else None

    def is_refused(self, key: str, schedule: str) -> bool:
        """Return whether it was tried, and could not be built or run."""
        found = self.times.get(key, {}).get(schedule)
        return found is not None and bool(found.fault)


def read_recorded(path: Path, target: str) -> Recorded:
    """Return what a database, or an export of one, knows of the device of a target that was
    measured last. Drivers, compilers and versions of dlc do not matter.

    Raises CompileError for a file that has nothing of the target or cannot be read.
    """
    try:
        rows = read_rows(path)
    except OSError as error:
        raise CompileError(f"cannot read the times: {error.strerror}", at=str(path)) from error
    own = [row for row in rows if row.subject.place.chip.split(" ")[0] == target]
    if not own:
        raise CompileError(f"nothing in it was measured on {target}", at=str(path))
    chip = max(own, key=lambda row: row.measurement.date).subject.place.chip
    return Recorded(chip, _newest([row for row in own if row.subject.place.chip == chip]))


def _newest(rows: Sequence[Row]) -> dict[str, dict[str, Measurement]]:
    found: dict[str, dict[str, Measurement]] = {}
    for row in sorted(rows, key=lambda row: row.measurement):
        found.setdefault(row.subject.group, {})[row.subject.schedule] = row.measurement
    return found
