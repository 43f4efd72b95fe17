"""Measurements as text, one JSON object per line, for other machines."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dlc.errors import CompileError
from dlc.tuning.database import Database
from dlc.tuning.measurement import Measurement, Place, Row, Subject

_HEAD = {"dlc_tuning": 1}
_SQLITE = b"SQLite format 3\0"
_MOST_BYTES = 256 << 20
"""Of a file that is read: some 500 000 measurements."""
_PLACE, _SUBJECT, _VALUE = (
    tuple(name for name in kind.__dataclass_fields__ if name != "place")
    for kind in (Place, Subject, Measurement)
)


def export_text(rows: Iterable[Row]) -> str:
    """Return measurements as text; equal sets of rows give equal texts."""
    lines = [_HEAD, *(_data(row) for row in sorted(rows))]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _data(row: Row) -> dict[str, Any]:
    subject = asdict(row.subject)
    return {**subject.pop("place"), **subject, **asdict(row.measurement)}


def is_export(path: Path) -> bool:
    """Whether a file begins as an export does. Raises OSError."""
    with path.open("rb") as file:
        return file.readline().rstrip() == json.dumps(_HEAD).encode()


def read_rows(path: Path) -> list[Row]:
    """Return the measurements in a file: an export, or another database.

    Raises CompileError, also where the file holds more than ``_MOST_BYTES``, and OSError.
    """
    with path.open("rb") as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise CompileError(
            f"holds more than {_MOST_BYTES >> 20} MB; dlc-db prune forgets what is old, and the "
            "file of a dlc-db export has nothing of that",
            at=str(path),
        )
    if content.startswith(_SQLITE):
        with Database(path) as other:
            return other.rows()
    return list(_read_lines(content, path))


def _read_lines(content: bytes, path: Path) -> Iterator[Row]:
    for number, line in enumerate(content.splitlines() or [b""], 1):
        try:
            data = _parsed(line)
            if number > 1:
                yield _row(data)
            elif data != _HEAD:
                raise CompileError("this is no export of a tuning database")
        except CompileError as error:
            raise CompileError(str(error), at=f"{path}:{number}") from None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise CompileError("this is no export line") from None
    except RecursionError:
        raise CompileError("this is no export line: nested too deeply") from None


def _row(data: Any) -> Row:
    if not isinstance(data, dict) or set(data) != {*_PLACE, *_SUBJECT, *_VALUE}:
        raise CompileError(f"a measurement has {', '.join((*_PLACE, *_SUBJECT, *_VALUE))}")
    place = Place(*(data[name] for name in _PLACE))
    subject = Subject(place, *(data[name] for name in _SUBJECT))
    row = Row(subject, Measurement(*(data[name] for name in _VALUE)))
    row.check()
    return row
