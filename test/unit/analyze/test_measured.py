"""Analyses by measured times: taken on this machine, or from a file."""

import json
from pathlib import Path
from typing import Any

import onnx
import pytest
from layer_models import HEAD, with_weights
from onnx.parser import parse_model

from dlc.tools import dlc_analyze, dlc_db
from dlc.tuning.exchange import export_text, read_rows

BODY = "m (float[8, 64] x) => (float[8, 32] y) { [dense] h = MatMul(x, w) [relu] y = Relu(h) }"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "model.onnx"
    onnx.save(with_weights(parse_model(f"{HEAD} {BODY}"), {"w": (64, 32)}), path)
    return path


def report(model: Path, *words: object) -> dict[str, Any]:
    place = model.parent / "report.json"
    arguments = (model, "--target", "cpu", *words, "--json", place)
    assert dlc_analyze.main([*map(str, arguments)]) == 0
    return json.loads(place.read_text())


def exported(model: Path) -> Path:
    path = model.parent / "times.jsonl"
    assert dlc_db.main(["export", str(path)]) == 0
    return path


def test_layers_are_measured_and_remembered(model: Path) -> None:
    estimated, first = report(model), report(model, "--tune")
    assert first["note"] == "2 of 2 different kernels were measured on this machine"
    for layer, before in zip(first["layers"], estimated["layers"], strict=True):
        assert layer["estimate_us"] == before["estimate_us"] == before["time_us"]
        assert layer["time_us"] != layer["estimate_us"]
        assert layer["measured_us"] == {"dlc": pytest.approx(layer["time_us"])}
    rows = len(read_rows(exported(model)))
    assert report(model, "--tune")["layers"] == first["layers"], "nothing is measured twice"
    assert len(read_rows(exported(model))) == rows


def test_what_is_cut_off_goes_on_the_next_time(model: Path) -> None:
    assert "no measurements" in report(model, "--tune=0")["note"]
    report(model, "--tune")
    known = exported(model)
    rows = read_rows(known)
    known.write_text(export_text(rows[:1]))
    assert dlc_db.main(["prune", "--before", "2999-01-01"]) == 0
    assert dlc_db.main(["merge", str(known)]) == 0
    report(model, "--tune")
    again = {row.subject: row.measurement for row in read_rows(exported(model))}
    assert again.keys() == {row.subject for row in rows}
    assert again[rows[0].subject] == rows[0].measurement, "only what was missing is measured"


def test_times_of_another_machine_are_taken_from_a_file(model: Path) -> None:
    measured = report(model, "--tune")
    known = exported(model)
    assert dlc_db.main(["prune", "--before", "2999-01-01"]) == 0
    elsewhere = report(model, "--times", known)
    assert elsewhere["layers"] == measured["layers"]
    assert "were measured on cpu " in elsewhere["note"]


def test_nothing_is_measured_for_a_chip_that_is_not_here(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dlc.compiler.targets.device_capability", lambda: None)
    found = report(model, "--target", "sm_90a", "--tune")
    assert found["remarks"] == ["nothing is measured for sm_90a, which this machine does not have"]
    assert "no measurements" in found["note"]


def test_a_file_of_another_chip_is_refused(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report(model, "--tune")
    words = [str(model), "--target", "sm_90a", "--times", str(exported(model))]
    capsys.readouterr()
    assert dlc_analyze.main(words) == 1
    assert "nothing in it was measured on sm_90a" in capsys.readouterr().err


def test_tune_and_times_exclude_each_other(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(model), "--target", "cpu", "--times", "t.db", "--tune"]
    assert dlc_analyze.main(words) == 1
    assert "give --tune or --times, not both" in capsys.readouterr().err
