"""Profiles that hold several runs of a model and do not say where one begins."""

from pathlib import Path
from typing import Any

import pytest
from advised import asked, write_model
from profile_files import DATA, event, layer_us, profiled, write_ncu, write_torch

from dlc.analyze.profiles import read_profile
from dlc.analyze.profiles.repeats import Repeats, repeats
from dlc.compiler.outcome import Report

Calls = list[tuple[str, float]]
RECORDED = [(row.name, row.us) for row in read_profile(DATA / "ncu.csv.gz").rows]
RUN = len(RECORDED)
TRIED = [("fill", 50.0), ("a_fprop_that_is_tried", 70.0)]


def of_table(folder: Path, calls: Calls) -> Report:
    return profiled(write_ncu(folder, *((name, "us", f"{us!r}") for name, us in calls)), "sm_90a")


def runs(*factors: float) -> Calls:
    """Return runs that take so many times what the recorded one does."""
    return [(name, us * factor) for factor in factors for name, us in RECORDED]


def said_of_runs(report: Report) -> list[str]:
    """Return the remarks on runs."""
    first, *others = report["profile"]["remarks"]
    assert "--clock-control none" in first
    return others


def is_recorded(report: Report, factor: float = 1) -> bool:
    """Whether a report has the times of the recorded run, or so many times these."""
    wanted = layer_us(profiled(DATA / "ncu.csv.gz", "sm_90a"))
    return layer_us(report) == pytest.approx({name: us * factor for name, us in wanted.items()})


def test_each_call_has_its_median_of_all_runs_but_the_first(tmp_path: Path) -> None:
    report = of_table(tmp_path, runs(50, 3, 1, 2))
    assert is_recorded(report, 2)
    assert report["profile"]["total_us"] == pytest.approx(2 * sum(us for _, us in RECORDED))
    said = f"it holds 4 runs of {RUN} calls; each call has its median of all runs but the first"
    assert said_of_runs(report) == [said]
    assert "Q1" in {each["question"] for each in report["advice"]}


def test_one_run_stays_as_it_is(tmp_path: Path) -> None:
    report = of_table(tmp_path, runs(1))
    assert is_recorded(report)
    assert not said_of_runs(report)


def test_what_stands_before_and_behind_whole_runs_is_in_none(tmp_path: Path) -> None:
    report = of_table(tmp_path, [*TRIED, *runs(9)[1:], *runs(5, 1, 1)])
    assert is_recorded(report)
    (said,) = said_of_runs(report)
    assert said.startswith(f"it holds 3 runs of {RUN} calls; ")
    assert said.endswith(f"but the first; in no whole run: {RUN + 1} calls")
    cut = of_table(tmp_path, runs(5, 1, 1, 1)[:-1])
    assert is_recorded(cut)
    (said,) = said_of_runs(cut)
    assert said.startswith(f"it holds 3 runs of {RUN} calls; ")
    assert said.endswith(f"; in no whole run: {RUN - 1} calls")


def test_the_end_of_a_run_is_no_run(tmp_path: Path) -> None:
    report = of_table(tmp_path, [*RECORDED, RECORDED[-1]])
    assert is_recorded(report)
    assert not said_of_runs(report)


BLOCKS = """m (float[8, 64] x) => (float[8, 64] y) {
 a = Relu(x) b = Tanh(a) c = Relu(b) d = Tanh(c) e = Relu(d) y = Tanh(e)
}"""


@pytest.mark.parametrize("count", [1, 2, 3])
def test_equal_blocks_of_a_model_are_no_runs(tmp_path: Path, count: int) -> None:
    """Three blocks of a model, and three runs of a model of one block, have equal kernels."""
    calls = [("clamp", "us", "2"), ("tanh", "us", "5")] * 3 * count
    report = asked(write_model(tmp_path, BLOCKS, {}), profile=write_ncu(tmp_path, *calls))
    assert layer_us(report) == dict(zip(layer_us(report), [2, 5] * 3, strict=True))
    assert report["profile"]["total_us"] == 21
    (remark,) = said_of_runs(report)
    if count == 1:
        assert remark == "it holds 2 calls 3 times, taken as equal parts of one run"
    else:
        assert remark.startswith(f"it holds {count} runs of 6 calls; ")


def test_runs_that_differ_are_told_and_compared_with_nothing(tmp_path: Path) -> None:
    report = of_table(tmp_path, [*RECORDED, *TRIED, *RECORDED])
    (remark,) = said_of_runs(report)
    assert remark.startswith("it may hold several runs of the model, whose times are added up")
    assert not {"Q1", "Q4"} & {each["question"] for each in report["advice"]}


def test_runs_that_begin_in_the_middle_are_not_taken_for_whole_ones(tmp_path: Path) -> None:
    half = RUN // 2
    report = of_table(tmp_path, runs(1, 1, 1, 1, 1)[half : half - RUN])
    assert "it may hold several runs" in said_of_runs(report)[-1]
    assert not {"Q1", "Q4"} & {each["question"] for each in report["advice"]}


def test_calls_of_pytorch_without_steps_are_divided_by_name_and_shapes(tmp_path: Path) -> None:
    def calls(start: float, us: float) -> list[dict[str, Any]]:
        sizes = ([1, 16, 64, 64], [1, 16, 32, 32])
        return [
            event("cpu_op", "aten::relu", start + 50 * n, us, **{"Input Dims": [size]})
            for n, size in enumerate(sizes)
        ]

    path = write_torch(tmp_path, *calls(0, 40), *calls(100, 4), *calls(200, 4))
    report = profiled(path)
    assert layer_us(report) == {"stem_relu": 4, "left_relu": 4}
    assert "3 runs of 2 calls" in report["profile"]["remarks"][0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("abcabcabc", Repeats(0, 3, 3)),
        ("xyabcabc", Repeats(2, 3, 2)),
        ("abcabcabca", Repeats(0, 3, 3)),
        ("abcabcbabcab", None),
        ("xabcaabcaabca", Repeats(1, 4, 3)),
        ("aaaa", Repeats(0, 1, 4)),
        ("aab", None),
        ("abaabab", Repeats(3, 2, 2)),
        ("abb", Repeats(1, 1, 2)),
        ("ab", None),
        ("", None),
    ],
)
def test_the_longest_end_that_repeats(text: str, found: Repeats | None) -> None:
    assert repeats(text) == found
