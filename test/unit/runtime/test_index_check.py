"""Indices outside their tables are named before a run, when this is asked for."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

import dlc
from dlc.compiler.index_report import runs
from dlc.errors import InputError
from dlc.tools import dlc_run

TABLES = """<ir_version: 8, opset_import: ["" : 17]>
m (int32[2,3] ids, int64[2] free) => (float[3,4] y, int64[2] z)
<float[50,4] words, float[8,4] places, int64[1] one = {1}, int64[1] start = {1},
 int64[1] three = {3}> {
  wide = Cast<to=7>(ids)
  w, p = Split<axis=0>(wide)
  flat = Reshape(w, three)
  [words] a = Gather(words, flat)
  row = Squeeze(p)
  [places] b = Gather(places, row)
  y = Add(a, b)
  z = Add(free, free)
}"""


def model() -> onnx.ModelProto:
    """Return sums of words and places, whose indices are two rows of one input."""
    text = TABLES.replace("float[50,4] words, float[8,4] places, ", "")
    parsed = onnx.parser.parse_model(text)
    generator = np.random.default_rng(0)
    for name, rows in (("words", 50), ("places", 8)):
        table = generator.standard_normal((rows, 4)).astype(np.float32)
        parsed.graph.initializer.append(onnx.numpy_helper.from_array(table, name))
    return parsed


@pytest.fixture(scope="module")
def compiled() -> dlc.Model:
    return dlc.compile(model(), target="cpu")


def feeds(words: list[int], places: list[int]) -> dict[str, Any]:
    return {"ids": np.array([words, places], np.int32), "free": np.array([10**9, -(10**9)])}


@pytest.mark.parametrize(
    ("words", "places"),
    [([0, 1, 2], [0, 1, 2]), ([49, -50, -1], [7, -8, -1]), ([0, 0, 0], [0, 0, 0])],
)
def test_legal_indices_pass_and_mean_what_they_should(
    compiled: dlc.Model, words: list[int], places: list[int]
) -> None:
    given = feeds(words, places)
    found = compiled.run(given, check_indices=True)
    tables = {x.name: onnx.numpy_helper.to_array(x) for x in model().graph.initializer}
    wanted = tables["words"][words] + tables["places"][places]
    np.testing.assert_array_equal(found["y"], wanted)  # one addition: rounded once


@pytest.mark.parametrize(
    ("words", "places", "message"),
    [
        (
            [0, 50, 0],
            [0, 0, 0],
            r"input 'ids': element \[0, 1\] is 50; node 'words' takes -50 to 49",
        ),
        ([-51, 0, 0], [0, 0, 0], r"element \[0, 0\] is -51; node 'words' takes -50 to 49"),
        ([10, 0, 0], [0, 0, 8], r"element \[1, 2\] is 8; node 'places' takes -8 to 7"),
        ([0, 0, 0], [-9, 0, 0], r"element \[1, 0\] is -9; node 'places' takes -8 to 7"),
        ([0, 0, 10**6], [0, 0, 0], r"element \[0, 2\] is 1000000; node 'words'"),
    ],
)
def test_an_index_outside_its_table_is_named(
    compiled: dlc.Model, words: list[int], places: list[int], message: str
) -> None:
    given = feeds(words, places)
    with pytest.raises(InputError, match=message):
        compiled.run(given, check_indices=True)
    with pytest.raises(InputError, match=message):
        compiled(given["ids"], given["free"], check_indices=True)
    nearest = np.clip(given["ids"], [[-50], [-8]], [[49], [7]])
    expected = compiled.run(given | {"ids": nearest.astype(np.int32)})
    np.testing.assert_array_equal(compiled.run(given)["y"], expected["y"])


def test_indices_that_the_model_computes_are_listed_as_unchecked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    m (float[6] t, int64[2] i) => (float[2] y, float[2] z) {
      k = Add(i, i)
      [computed] y = Gather(t, k)
      [given] z = Gather(t, i)
    }"""
    model = dlc.compile(onnx.parser.parse_model(text), target="cpu")
    report = model.report
    assert report["computed_indices"] == ["computed"]
    assert [bound["node"] for bound in report["indices"]] == ["given"]
    path = str(model.save(tmp_path / "model.so"))
    assert dlc_run.main([path, "--random", "--check-indices"]) == 0
    warning = "dlc-run: warning: not checked, as the model computes them: computed\n"
    assert capsys.readouterr().err == warning


def test_the_command_checks_when_it_is_asked_to(
    compiled: dlc.Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = compiled.save(tmp_path / "model.so")
    np.savez(tmp_path / "wrong.npz", **feeds([0, 50, 0], [0, 0, 0]))
    np.savez(tmp_path / "right.npz", **feeds([0, 49, 0], [0, 0, 0]))
    wrong, right = (["--inputs", str(tmp_path / f"{x}.npz")] for x in ("wrong", "right"))
    assert dlc_run.main([str(path), *wrong]) == 0
    assert dlc_run.main([str(path), *right, "--check-indices"]) == 0
    capsys.readouterr()
    assert dlc_run.main([str(path), *wrong, "--check-indices"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "dlc-run: error: input 'ids': element [0, 1] is 50; node 'words' takes -50 to 49"
    ]


@pytest.mark.parametrize(
    "numbers",
    [[], [5], [5, 6], [0, 2, 4, 6], [0, 1, 3, 4], [0, 1, 2, 10, 11, 12, 20, 21, 22], [0, 1, 3, 7]],
)
def test_runs_hold_all_numbers_once(numbers: list[int]) -> None:
    found = runs(np.array(numbers, np.int64))
    assert [n for start, end, step in found for n in range(start, end, step)] == numbers
