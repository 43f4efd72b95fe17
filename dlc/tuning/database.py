"""The database of measured times: one sqlite file, shared by all models and all processes."""

import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any, Self

from dlc.core.cache import cache_root
from dlc.errors import CompileError
from dlc.tuning.measurement import Measurement, Place, Row, Subject

_APPLICATION = int.from_bytes(b"dlct", "big")
"""What marks the file as ours (``PRAGMA application_id``)."""
_FORMAT = 1
_PATIENCE_SECONDS = 10.0
"""How long a process waits for others that write."""

_KEY = "chip, driver, compiler, version, grp, schedule"
_VALUE = (
    "date, count, median_s, spread_s, fault, title"  # in the order in which Measurement compares
)
_NEW = ", ".join(f"excluded.{column}" for column in _VALUE.split(", "))
_CREATE = f"""
CREATE TABLE IF NOT EXISTS measurement (
  chip TEXT NOT NULL, driver TEXT NOT NULL, compiler TEXT NOT NULL, version TEXT NOT NULL,
  grp TEXT NOT NULL, schedule TEXT NOT NULL,
  date TEXT NOT NULL, count INTEGER NOT NULL, median_s REAL NOT NULL, spread_s REAL NOT NULL,
  fault TEXT NOT NULL, title TEXT NOT NULL, PRIMARY KEY ({_KEY})
) WITHOUT ROWID
"""
_MERGE = f"""
INSERT INTO measurement ({_KEY}, {_VALUE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT ({_KEY}) DO UPDATE SET ({_VALUE}) = ({_NEW}) WHERE ({_NEW}) > ({_VALUE})
"""


def default_path() -> Path:
    """Return the file in the folder of the caches (``$DLC_CACHE_DIR``)."""
    return cache_root() / "tuning.db"


class Database:
    """The measurements in a file, which is made where there is none.

    Of two measurements of one subject the greater one stays, so merging is associative, commutative
    and idempotent. Everything raises CompileError, of one line, for a file that is damaged, not a
    tuning database, or cannot be opened.
    """

    def __init__(self, path: Path):
        self.path = path
        with self._told():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, _PATIENCE_SECONDS, isolation_level=None)
        try:
            with self._told():
                self._open()
        except BaseException:
            self._connection.close()
            raise

    def _open(self) -> None:
        if self._is_empty():
            with suppress(sqlite3.OperationalError):  # another process does it at this moment
                self._all("PRAGMA journal_mode = WAL")
            with self._transaction("IMMEDIATE"):
                self._all(_CREATE)
                self._all(f"PRAGMA application_id = {_APPLICATION}")
                self._all(f"PRAGMA user_version = {_FORMAT}")

    def _is_empty(self) -> bool:
        """Return whether the file is new; raise sqlite3.DatabaseError where it is not ours."""
        with self._transaction("DEFERRED"):  # all of one moment
            ((tables,),) = self._all("SELECT count(*) FROM sqlite_master")
            ((mark,),) = self._all("PRAGMA application_id")
            ((format,),) = self._all("PRAGMA user_version")
        if tables and mark != _APPLICATION:
            raise sqlite3.DatabaseError("it is the database of something else")
        if tables and format != _FORMAT:
            raise sqlite3.DatabaseError(f"its format is {format}, this dlc knows {_FORMAT}")
        return not tables

    def known(self, place: Place, group: str) -> dict[str, Measurement]:
        """Return what was measured of a group, by schedule."""
        query = (
            f"SELECT schedule, {_VALUE} FROM measurement WHERE chip = ? AND driver = ? "
            "AND compiler = ? AND version = ? AND grp = ?"
        )
        with self._told():
            found = self._all(query, (*astuple(place), group))
        rows = [Row(Subject(place, group, r[0]), Measurement(*r[1:])) for r in found]
        return {row.subject.schedule: row.measurement for row in self._checked(rows)}

    def rows(self) -> list[Row]:
        """Return everything, in order."""
        with self._told():
            found = self._all(f"SELECT {_KEY}, {_VALUE} FROM measurement ORDER BY {_KEY}")
        rows = [Row(Subject(Place(*r[:4]), *r[4:6]), Measurement(*r[6:])) for r in found]
        return self._checked(rows)

    def _checked(self, rows: list[Row]) -> list[Row]:
        for row in rows:
            try:
                row.check()
            except CompileError as error:
                error.place(str(self.path))
                raise
        return rows

    def merge(self, rows: Iterable[Row]) -> int:
        """Add measurements; return how many were new or later than what was there."""
        with self._told(), self._transaction("IMMEDIATE"):
            before = self._connection.total_changes
            for row in rows:
                row.check()
                self._all(_MERGE, tuple(_values(row)))
            return self._connection.total_changes - before

    def delete(self, rows: Iterable[Row]) -> int:
        """Take measurements out; return how many there were."""
        condition = " AND ".join(f"{column} = ?" for column in _KEY.split(", "))
        with self._told(), self._transaction("IMMEDIATE"):
            before = self._connection.total_changes
            for row in rows:
                self._all(f"DELETE FROM measurement WHERE {condition}", tuple(_values(row))[:6])
            return self._connection.total_changes - before

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _all(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self, kind: str) -> Generator[None]:
        """Do all of the block or nothing; an ``IMMEDIATE`` one waits here for others that write."""
        self._all(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._all("COMMIT")

    @contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            text = f"the tuning database cannot be used: {error}; move it away, or repair it"
            raise CompileError(text, at=str(self.path)) from error


def _values(row: Row) -> Iterator[object]:
    yield from astuple(row.subject.place)
    yield from (row.subject.group, row.subject.schedule)
    yield from astuple(row.measurement)
