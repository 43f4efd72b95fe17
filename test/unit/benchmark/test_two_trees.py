"""What compares the artifacts of two checkouts: which it makes, what its table says."""

import argparse
from pathlib import Path

import numpy as np
import pytest
import two_trees
from two_trees import Case


def row(model: str, precision: str, old: float, new: float) -> two_trees.Row:
    return {"model": model, "precision": precision, "us": {"old": old, "new": new}}


def test_the_table_has_new_over_old(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row("a", "fp16", 100, 50), row("b", "fp16", 100, 200), row("b", "fp32", 10, 9)]
    two_trees.print_table([*rows, {"model": "c", "precision": "fp32"}], ["fp16", "fp32"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert lines[0] == ["a", "50.0", "0.500"]
    assert lines[1] == ["b", "200.0", "2.000", "9.0", "0.900"]
    assert lines[2] == ["geometric", "mean", "1.000", "0.900"]


def test_outputs_are_compared_by_their_largest(tmp_path: Path) -> None:
    one, other = tmp_path / "a.npz", tmp_path / "b.npz"
    np.savez(one, np.array([4.0, 0.0]))
    np.savez(other, np.array([4.0, 1.0]))
    assert two_trees.apart(one, other) == 0.25


def test_a_fault_of_a_compile_is_said_and_what_is_there_is_kept(tmp_path: Path) -> None:
    trees = {"old": Path.cwd(), "new": Path.cwd()}
    cases = [Case(tmp_path / "none.onnx", "fp16")]
    given = argparse.Namespace(keep=True, work=tmp_path, target="sm_90a")
    cases[0].artifact(tmp_path, "old").write_bytes(b"")
    ((path, error),) = two_trees.compile_all(cases, trees, given).items()
    assert path == tmp_path / "none.fp16.new.so"
    assert "none.onnx" in error
