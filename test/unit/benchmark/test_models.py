"""What times many whole models in one go: its lines, and what it says of a case that fails."""

import argparse
from pathlib import Path

import models


def test_a_line_has_the_milliseconds_of_each_contestant_and_the_ratio() -> None:
    contestants = [
        {"name": "dlc", "median_ms": 0.25},
        {"name": "eager", "median_ms": 0.5},
        {"name": "compile", "missing": "takes no LSTM"},
    ]
    row = {"name": "bert", "batch": 8, "contestants": contestants, "ratio": 2.0}
    assert models.line_of(row).split() == [
        "bert", "8", "dlc", "0.250", "eager", "0.500", "compile", "-", "2.00",
    ]  # fmt: skip


def test_a_case_that_fails_has_its_reason_and_the_others_go_on(tmp_path: Path) -> None:
    cases = [f"{tmp_path / name}.py:net:1" for name in ("one", "other")]
    given = argparse.Namespace(
        peers="eager", precision="fp32", seconds=0.1, target="cpu", at_once=2
    )
    found = list(models.rows(cases, given))
    assert [row["name"] for row in found] == cases
    assert all(row["error"] for row in found)
