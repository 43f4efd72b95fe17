"""``dlc-db``: what it prints, keeps and refuses."""

from pathlib import Path

import pytest

from dlc.compiler.identity import OWN_VERSION
from dlc.tools import dlc_db
from dlc.tuning.database import Database, default_path
from dlc.tuning.measurement import Measurement, Place, Row, Subject

DATE = "2026-01-31T12:00:00Z"


def row(schedule: str, version: str = OWN_VERSION, date: str = DATE, spread_s: float = 2e-8) -> Row:
    subject = Subject(Place("cpu EPYC, 2 cores", "", "gcc 12", version), "f00d", schedule)
    times = 9, 1.5e-6 * len(schedule), spread_s
    return Row(subject, Measurement(date, *times, "", "matmul \x1b[31m"))


def filled(path: Path, *rows: Row) -> Path:
    with Database(path) as database:
        database.merge(rows)
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))


def test_show_lists_the_fastest_first(capsys: pytest.CaptureFixture[str]) -> None:
    filled(default_path(), row("slow"), row("x"))
    assert dlc_db.main(["show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"f00d matmul \\x1b[31m on cpu EPYC, 2 cores (gcc 12, {OWN_VERSION})"
    assert lines[1] == "  1.50 us ± 0.02, median of 9, 2026-01-31T12:00:00Z: x"
    assert lines[2].endswith(": slow")
    assert lines[3] == "2 measurements"
    assert dlc_db.main(["show", "--group", "beef"]) == 0
    assert capsys.readouterr().out == "0 measurements\n"


def test_what_is_exported_here_is_merged_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = filled(tmp_path / "1.db", row("a")), filled(tmp_path / "2.db", row("a"), row("b"))
    assert dlc_db.main(["--database", str(one), "export", str(tmp_path / "1.jsonl")]) == 0
    assert dlc_db.main(["merge", str(tmp_path / "1.jsonl"), str(two)]) == 0
    written = f"{tmp_path / '1.jsonl'}: 1 measurement written\n"
    added = f"{default_path()}: 2 of 3 measurements added\n"
    assert capsys.readouterr().out == written + added
    assert dlc_db.main(["export", "-"]) == 0
    text = capsys.readouterr().out
    assert dlc_db.main(["--database", str(two), "export", "-"]) == 0
    assert capsys.readouterr().out == text


def test_prune_deletes_what_this_version_cannot_use(capsys: pytest.CaptureFixture[str]) -> None:
    path = filled(
        default_path(), row("a"), row("b", "0.0.9"), row("c", date="2025-12-31T23:59:59Z")
    )
    assert dlc_db.main(["prune"]) == 0
    assert dlc_db.main(["prune", "--before", "2026-01-01"]) == 0
    assert capsys.readouterr().out == f"{path}: 1 measurement deleted\n" * 2
    with Database(path) as database:
        assert database.rows() == [row("a")]


def test_prune_deletes_what_varied_by_more_than_its_median(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = [row("a", spread_s=0.7e-6), row("slow", spread_s=2.9e-6)]
    path = filled(default_path(), *kept, row("b", spread_s=0.8e-6))
    assert dlc_db.main(["prune", "--noisy"]) == 0
    assert capsys.readouterr().out == f"{path}: 1 measurement deleted\n"
    with Database(path) as database:
        assert database.rows() == kept


def test_an_export_takes_the_place_of_no_other_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = filled(default_path(), row("a"))
    model = tmp_path / "model.onnx"
    model.write_bytes(b"a model")
    for other in (model, database):
        before = other.read_bytes()
        assert dlc_db.main(["export", str(other)]) == 1
        message = f"dlc-db: error: {other}: is there and is no export; give another file\n"
        assert capsys.readouterr().err == message
        assert other.read_bytes() == before
    export = str(tmp_path / "times.jsonl")
    assert dlc_db.main(["export", export]) == dlc_db.main(["export", export]) == 0


@pytest.mark.parametrize("command", ["show", "prune"])
def test_a_database_that_is_not_there_is_not_made(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dlc_db.main([command]) == 1
    assert capsys.readouterr().err == (
        f"dlc-db: error: {default_path()}: there is no tuning database; "
        "dlc-compile --tune makes one\n"
    )
    assert not default_path().exists()


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert dlc_db.main(["merge", "nothing.db"]) == 1
    assert capsys.readouterr().err == "dlc-db: error: nothing.db: no such file or directory\n"


def test_a_wrong_day_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        dlc_db.main(["prune", "--before", "monday"])
    assert "'monday' is no day like 2026-01-31" in capsys.readouterr().err
