"""The database of measured times: its merge is that of sets, and no file makes it crash."""

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dlc.errors import CompileError
from dlc.tuning.database import Database
from dlc.tuning.exchange import export_text, read_rows
from dlc.tuning.measurement import Measurement, Place, Row, Subject

PLACE = Place("sm_90a NVIDIA H200", "13.0", "NVRTC 13.0", "0.1.0+0123")


def row(schedule: str = "a", date: str = "2026-01-31T12:00:00Z", seconds: float = 1e-6) -> Row:
    return Row(Subject(PLACE, "f00", schedule), Measurement(date, 10, seconds, 1e-8, "", "matmul"))


def random_rows(generator: random.Random) -> list[Row]:
    """Return rows of few subjects, so that many meet; equal dates and times are frequent."""

    def one() -> Row:
        chip, group, schedule = (generator.choice("ab") for _ in range(3))
        date = f"2026-01-0{generator.randint(1, 3)}T00:00:00Z"
        times = (generator.choice((1e-6, 2e-6)), generator.choice((0.0, 1e-7)))
        title = generator.choice(("é", "\0t"))
        found = Measurement(date, generator.randint(1, 2), *times, "", title)
        if generator.random() < 0.2:
            found = Measurement(date, 0, 0.0, 0.0, generator.choice(("spills", "no")), title)
        return Row(Subject(Place(chip, "", "cc", "v"), group, schedule), found)

    return [one() for _ in range(generator.randint(0, 12))]


def merged(folder: Path, *parts: list[Row]) -> list[Row]:
    """Return what a new database holds after these merges, one after the other."""
    path = folder / "merged.db"
    path.unlink(missing_ok=True)
    with Database(path) as database:
        for part in parts:
            database.merge(part)
        return database.rows()


@pytest.mark.parametrize("seed", range(60))
def test_merging_is_associative_commutative_and_idempotent(tmp_path: Path, seed: int) -> None:
    generator = random.Random(seed)
    a, b, c = (random_rows(generator) for _ in range(3))
    both = merged(tmp_path, a, b)
    assert both == merged(tmp_path, b, a)
    assert merged(tmp_path, both, c) == merged(tmp_path, a, merged(tmp_path, b, c))
    assert merged(tmp_path, both, both) == both == merged(tmp_path, a, b, a)
    assert {each.subject for each in both} == {each.subject for each in (*a, *b)}
    latest = {r.subject: r for r in sorted([*a, *b])}
    assert both == sorted(latest.values())


@pytest.mark.parametrize("seed", range(10))
def test_an_export_is_read_as_what_was_written(tmp_path: Path, seed: int) -> None:
    rows = merged(tmp_path, random_rows(random.Random(seed)))
    file = tmp_path / "rows.jsonl"
    file.write_text(export_text(rows))
    assert read_rows(file) == rows == read_rows(tmp_path / "merged.db")
    assert export_text(reversed(rows)) == file.read_text()


def test_only_what_was_measured_at_the_same_place_is_known(tmp_path: Path) -> None:
    other = Row(Subject(Place("sm_80 A100", *"abc"), "f00", "b"), row().measurement)
    with Database(tmp_path / "t.db") as database:
        assert database.merge([row(), other, row(seconds=2e-6)]) == 3
        assert database.merge([row()]) == 0  # the other time of that date is greater
        assert database.known(PLACE, "f00") == {"a": row(seconds=2e-6).measurement}
        assert database.known(PLACE, "f01") == {}
        assert database.delete([row()]) == 1
        assert database.rows() == [other]


def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from dlc.tuning.database import Database
from dlc.tuning.measurement import Measurement, Place, Row, Subject
for n in range(20):
    with Database(Path(sys.argv[1])) as database:
        found = Measurement("2026-01-31T12:00:00Z", 1, 1e-6, 0.0, "", "t")
        database.merge([Row(Subject(Place(*"abcd"), sys.argv[2], str(n)), found)])
"""
    command = [sys.executable, "-c", program, str(tmp_path / "t.db")]
    running = [subprocess.Popen([*command, str(n)]) for n in range(4)]
    assert [each.wait(60) for each in running] == [0] * 4
    assert len(read_rows(tmp_path / "t.db")) == 80


def other_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")


def later_format(path: Path) -> None:
    Database(path).__exit__()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9")


def damaged_pages(path: Path) -> None:
    with Database(path) as database:
        database.merge([row(str(n)) for n in range(500)])
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(16) * (len(data[4096:]) // 16)
    path.write_bytes(data)


def wrong_types(path: Path) -> None:
    with Database(path) as database:
        database.merge([row()])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE measurement SET median_s = 'fast'")


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.write_text("text" * 100), "file is not a database"),
        (lambda path: path.mkdir(), "unable to open database file"),
        (other_database, "it is the database of something else"),
        (later_format, "its format is 9, this dlc knows 1"),
        (damaged_pages, "malformed"),
        (wrong_types, "a measured time is 'fast'"),
    ],
)
def test_a_bad_file_is_one_clear_line(
    tmp_path: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    path = tmp_path / "tuning.db"
    spoil(path)
    with pytest.raises(CompileError) as raised, Database(path) as database:
        database.rows()
    assert str(raised.value).startswith(f"{path}: ")
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"median_s": 0.0},
        {"median_s": float("nan")},
        {"median_s": "1"},
        {"spread_s": -1.0},
        {"count": 0},
        {"count": True},
        {"fault": "spills"},
        {"date": "yesterday"},
        {"date": "2026-1-31T12:00:00Z"},
        {"title": None},
        {"group": "\ud800"},
        {"schedule": "x" * 20_000},
        {"chips": "one more"},
    ],
)
def test_a_wrong_line_of_an_export_is_named(tmp_path: Path, wrong: dict[str, object]) -> None:
    head, line = export_text([row()]).splitlines()
    file = tmp_path / "rows.jsonl"
    file.write_text(f"{head}\n{line}\n{json.dumps(json.loads(line) | wrong)}\n")
    with pytest.raises(CompileError, match=f"^{file}:3: "):
        read_rows(file)


@pytest.mark.parametrize("text", ["", "{}", "no JSON", "[1]\n", '{"dlc_tuning": 2}'])
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(text)
    with pytest.raises(CompileError, match=f"^{file}:1: this is no export"):
        read_rows(file)
