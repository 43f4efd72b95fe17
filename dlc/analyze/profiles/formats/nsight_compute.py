"""What ``ncu --csv`` prints.

Its own lines begin with ``==``. The details page has a row for each kernel and metric, with the
unit in a column. The raw page has a row for each kernel and a column for each metric, with the
units in a row of their own below the names.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.analyze.profiles.events import number_of
from dlc.analyze.profiles.formats import Format
from dlc.analyze.profiles.operators import of_kernel
from dlc.analyze.profiles.profile import Kernel, Profile, Row
from dlc.errors import CompileError

_NAME, _METRIC, _UNIT, _VALUE = "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"
_TIMES = ("gpu__time_duration.sum", "Duration")
"""The metric, and what the details page calls it in its section of the speed of light."""
_MICROSECONDS = {
    **{"ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3},
    **{"s": 1e6, "second": 1e6},
}
_ADVICE = "record it with ncu --csv --metrics gpu__time_duration.sum"
_SLOWER = (
    "Nsight Compute empties the caches before each kernel and keeps the clock low, unless ncu is "
    "told --cache-control none --clock-control none: kernels may take longer here than in a run"
)
Line = Mapping[str, str]


def _fits(content: Any) -> bool:
    return isinstance(content, str) and any(f'"{_NAME}"' in line for line in _table(content)[:1])


def _read(source: str, content: Any) -> Profile:
    try:
        lines = list(csv.DictReader(_table(content), restval=""))
    except csv.Error as error:
        raise CompileError(f"is no table: {error}") from None
    times = _long(lines) if lines and _METRIC in lines[0] else _wide(lines)
    rows = [Row(name, of_kernel(name), us, (Kernel(name, us),)) for name, us in times]
    found = re.fullmatch(r"(\d+)\.(\d+)", lines[-1].get("CC", "")) if lines else None
    capability = (int(found[1]), int(found[2])) if found else None
    return Profile(
        source,
        "nsight-compute",
        rows,
        remarks=(_SLOWER,),
        capability=capability,
        of_one_run=False,
    )


def _table(text: str) -> list[str]:
    """Return the lines of the table, from that with its heads on."""
    lines = text.splitlines()
    heads = next((n for n, line in enumerate(lines) if f'"{_NAME}"' in line), len(lines))
    return [line for line in lines[heads:] if not line.startswith("==")]


def _long(lines: Sequence[Line]) -> Iterator[tuple[str, float]]:
    kernels: dict[str, tuple[str, float]] = {}
    for line in lines:
        name = _name(line)
        if line[_METRIC] in _TIMES:
            us = _microseconds(line.get(_VALUE, ""), line.get(_UNIT, ""), name)
            kernels.setdefault(f"{line.get('ID')} {line.get('Process ID')}", (name, us))
    if not kernels:
        raise CompileError(f"has no time of any kernel ({_TIMES[0]}); {_ADVICE}")
    yield from kernels.values()


def _wide(lines: Sequence[Line]) -> Iterator[tuple[str, float]]:
    if not lines or _TIMES[0] not in lines[0]:
        raise CompileError(f"has no column {_TIMES[0]}; {_ADVICE}")
    units, *kernels = lines
    if units.get(_NAME):
        raise CompileError("has no row of units below the names of its columns")
    for line in kernels:
        name = _name(line)
        yield name, _microseconds(line[_TIMES[0]], units[_TIMES[0]], name)


def _name(line: Line) -> str:
    if not line.get(_NAME):
        raise CompileError(f"has a row without a kernel name: {','.join(map(str, line.values()))}")
    return line[_NAME]


def _microseconds(value: str, unit: str, kernel: str) -> float:
    if unit not in _MICROSECONDS:
        raise CompileError(f"kernel {kernel}: {unit!r} is no unit of time that Nsight Compute has")
    try:
        number = float(value.replace(",", ""))  # between thousands
    except ValueError:
        raise CompileError(f"kernel {kernel}: {value!r} is no time; is the file whole?") from None
    return _MICROSECONDS[unit] * number_of(number, f"kernel {kernel}: the time")


FORMAT = Format("Nsight Compute (--csv)", _fits, _read)
