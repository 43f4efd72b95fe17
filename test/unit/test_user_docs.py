"""The pages for users: their examples run."""

import re
import shutil
from pathlib import Path

import onnx
import pytest

from dlc.tools import dlc_analyze

DOCS = Path(__file__).resolve().parents[2] / "docs"


def examples(page: str) -> list[str]:
    """Return the pieces of Python on a page."""
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)


def test_the_examples_of_the_python_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in examples("python.md"):
        exec(example, names)
    printed = capsys.readouterr().out
    assert "Model('small', target='cpu', precision='fp32', inputs={'x': 'float32[2, 4]'}" in printed
    assert "[('x', 'tensor(float)', ['n', 4])]" in printed


def test_the_examples_of_the_tuning_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    head = '<ir_version: 8, opset_import: ["": 17]>'
    text = f"{head} small (float[8, 4] x) => (float[8, 4] y) {{ y = Relu(x) }}"
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    for example in examples("tuning.md"):
        exec(example, {})
    assert "\n  measured: " in capsys.readouterr().out
    shown = [line.split() for line in (tmp_path / "dlc.lock").read_text().splitlines()]
    page = [
        x.split() for x in (DOCS / "tuning.md").read_text().splitlines() if "#loop.schedule<" in x
    ]
    assert shown[0] == ["dlc", "lock", "1"]
    assert (len(shown[2][0]), shown[2][1]) == (len(page[0][0]), page[0][1])


def test_the_commands_of_the_tuning_page_are_there() -> None:
    text = (DOCS / "tuning.md").read_text()
    options = set(re.findall(r"(--[a-z]+)", text)) - {"--target", "--noisy"}  # of dlc-compile
    assert options == {"--tune", "--lock", "--locked", "--search", "--libraries"}
    command_lines = (DOCS / "command-line.md").read_text()
    commands = set(re.findall(r"^dlc-db (\w+)", text, re.M))
    assert commands == {"show", "export", "merge", "prune"}
    assert all(f"\n    {each} " in command_lines for each in commands)
    assert all(f"{each} " in command_lines for each in options)


def test_the_analysis_page_shows_what_is_printed_of_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers may change with the estimates; what is said around them may not."""
    page = (DOCS / "analyze.md").read_text()
    shutil.copytree(DOCS.parent / "test" / "data" / "profiles", tmp_path / "profiles")
    monkeypatch.chdir(tmp_path / "profiles")
    (command,) = re.findall(r"^dlc-analyze (.*onnxruntime-all.*)$", page, re.M)
    assert dlc_analyze.main(command.split()) == 0
    printed = _without_numbers(capsys.readouterr().out)
    for begin in ("profile of onnxruntime", "What to do about it"):
        (example,) = re.findall(rf"```text\n({begin}.*?)```", page, re.S)
        assert {*_without_numbers(example)} <= {*printed}


def _without_numbers(text: str) -> list[str]:
    return [re.sub(r"(?<![Q\d])\d+(\.\d+)?", "#", line).strip() for line in text.splitlines()]
