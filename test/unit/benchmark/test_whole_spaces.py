"""What measures the choice of schedules: which groups and schedules it takes, what it concludes."""

import json
from pathlib import Path
from typing import Any

import choice
import pytest

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module

TEXT = """
func.func @main(%x: T, %w: T) -> T {
  %0 = graph.matmul %x, %w : (T, T) -> T
  %1 = graph.softmax %0 axis 1 : T -> T
  func.return %1 : T
}
"""


@pytest.fixture
def rows(tmp_path: Path) -> list[choice.Row]:
    """Two groups of a module, drawn."""
    context = registry.new_context()
    module = parse_module(TEXT.replace("T", "tensor<256x256xf16>"), context)
    for step in registry.build_passes("optimize-graph,fuse{arch=sm_90a}"):
        step.apply(context, module)
    path = tmp_path / "two.mlir"
    path.write_text(str(module))
    return list(choice.draw([path, path], (1, 1), "sm_90a"))


def trials_of(row: choice.Row, most: int) -> tuple[int, list[choice.Trial]]:
    (group,) = groups(find_main(parse_module(row["text"], registry.new_context())))
    return choice.trials(group, arch.by_name("sm_90a"), most)


def test_groups_of_both_kinds_are_drawn_once(rows: list[choice.Row]) -> None:
    assert [row["strategy"] for row in rows] == ["row", "contract"]
    assert len({row["key"] for row in rows}) == 2
    assert rows[0]["name"].startswith("two g")


def test_a_small_space_is_taken_whole(rows: list[choice.Row]) -> None:
    size, found = trials_of(rows[0], 1000)
    assert len(found) == size > choice.FIRST
    assert len({str(trial.schedule.attribute()) for trial in found}) == size


def test_of_a_large_space_the_best_and_others_are_taken(rows: list[choice.Row]) -> None:
    size, found = trials_of(rows[1], 60)
    assert size > len(found) == 60
    assert [trial.first for trial in found[: choice.FIRST]] == list(range(choice.FIRST))
    _, everything = trials_of(rows[1], size)
    least = min(trial.bound_us for trial in everything)
    assert sum(trial.bound_us == least for trial in found) > 0
    assert max(trial.estimate_us for trial in found) > 2 * found[0].estimate_us


def row_of(*us: float) -> choice.Row:
    """Return what was measured of a group whose schedules the model likes in this order."""
    trials: list[dict[str, Any]] = [
        {"schedule": f"s{n}", "first": n if n < choice.FIRST else None, "fault": ""}
        | {"estimate_us": 1.0 + n, "bound_us": 4.0, "us": [each]}
        for n, each in enumerate(us)
    ]
    return {"name": "a g0", "key": "", "strategy": "map", "space": 99, "trials": trials}


def test_the_table_says_how_far_the_choice_is_from_the_best(
    capsys: pytest.CaptureFixture[str],
) -> None:
    choice.table([row_of(10, 9, *[20] * 8, 8)])
    printed = capsys.readouterr().out
    assert "1 others: first choice / best: mean 0.800, worst 0.800" in printed
    assert "1 others: best of 10 measured / best: mean 0.889, worst 0.889" in printed
    assert "bounds beaten: 0" in printed
    choice.table([row_of(10, 3)])
    assert "bounds beaten: 1 [('a g0', 's1')]" in capsys.readouterr().out


def test_rows_are_lines_of_json(rows: list[choice.Row], tmp_path: Path) -> None:
    path = tmp_path / "groups.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert choice.read_rows(path) == rows
