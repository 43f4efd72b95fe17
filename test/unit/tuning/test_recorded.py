"""Measured times that are read from a file, for an analysis on another machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from dlc.errors import CompileError
from dlc.tuning import exchange
from dlc.tuning.database import Database
from dlc.tuning.exchange import export_text
from dlc.tuning.measurement import Measurement, Place, Row, Subject
from dlc.tuning.recorded import read_recorded


def row(day: int, us: float, chip: str = "sm_90a H200", version: str = "1", fault: str = "") -> Row:
    subject = Subject(Place(chip, "580", "NVRTC 13.0", version), "f00d", "fast")
    times = (0, 0.0, 0.0) if fault else (9, 1e-6 * us, 1e-8)
    return Row(subject, Measurement(f"2026-01-{day:02}T12:00:00Z", *times, fault, "matmul"))


def write(path: Path, *rows: Row) -> Path:
    path.write_text(export_text(rows))
    return path


def test_the_newest_time_counts_whichever_version_measured_it(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", row(3, 7, version="a"), row(2, 5, version="b"))
    found = read_recorded(path, "sm_90a")
    assert found.measured_s("f00d", "fast") == pytest.approx(7e-6)
    assert found.measured_s("f00d", "slow") is None
    assert found.measured_s("beef", "fast") is None


def test_times_of_two_devices_are_not_mixed(tmp_path: Path) -> None:
    only = replace(row(3, 7), subject=replace(row(3, 7).subject, schedule="other"))
    path = write(tmp_path / "t.jsonl", only, row(4, 9, "sm_90a H100"), row(5, 1, "sm_80 A100"))
    found = read_recorded(path, "sm_90a")
    assert found.measured_s("f00d", "other") is None
    assert (found.chip, found.measured_s("f00d", "fast")) == ("sm_90a H100", pytest.approx(9e-6))


def test_what_could_not_be_built_has_no_time(tmp_path: Path) -> None:
    found = read_recorded(write(tmp_path / "t.jsonl", row(3, 7, fault="no plan")), "sm_90a")
    assert found.measured_s("f00d", "fast") is None


def test_a_database_is_read_too(tmp_path: Path) -> None:
    with Database(tmp_path / "t.db") as database:
        database.merge([row(3, 7)])
    found = read_recorded(tmp_path / "t.db", "sm_90a")
    assert found.measured_s("f00d", "fast") == pytest.approx(7e-6)


def test_a_file_that_has_nothing_of_the_target_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", row(3, 7))
    with pytest.raises(CompileError, match=r"measured on sm_90$") as error:
        read_recorded(path, "sm_90")
    assert str(path) in str(error.value.at)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="cannot read the times: No such file"):
        read_recorded(tmp_path / "none.db", "sm_90a")


DEEP = "[" * 100_000


@pytest.mark.parametrize("text", [DEEP, f'{{"dlc_tuning": 1}}\n{DEEP}\n'])
def test_json_that_is_nested_too_deeply_is_said_to_be_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(CompileError) as error:
        read_recorded(path, "sm_90a")
    number = 1 + text.index(DEEP) // len(text.partition("\n")[0])
    assert str(error.value) == f"{path}:{number}: this is no export line: nested too deeply"


@pytest.mark.parametrize("name", ["t.jsonl", "t.db"])
def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / name
    if path.suffix == ".db":
        with Database(path) as database:
            database.merge([row(3, 7)])
    else:
        write(path, row(3, 7))
    monkeypatch.setattr(exchange, "_MOST_BYTES", path.stat().st_size)
    assert read_recorded(path, "sm_90a").measured_s("f00d", "fast")
    monkeypatch.setattr(exchange, "_MOST_BYTES", path.stat().st_size - 1)
    with pytest.raises(CompileError, match="holds more than 0 MB; dlc-db prune") as error:
        read_recorded(path, "sm_90a")
    assert str(path) in str(error.value.at)


def test_no_more_of_an_endless_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_MOST_BYTES", 1 << 20)
    with pytest.raises(CompileError, match="holds more than 1 MB"):
        read_recorded(Path("/dev/zero"), "sm_90a")
