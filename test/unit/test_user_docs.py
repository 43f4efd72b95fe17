"""The pages for users: their examples run."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PYTHON = re.findall(r"```python\n(.*?)```", (DOCS / "python.md").read_text(), re.S)


def test_the_examples_of_the_python_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in PYTHON:
        exec(example, names)
    printed = capsys.readouterr().out
    assert "Model('small', target='cpu', precision='fp32', inputs={'x': 'float32[2, 4]'}" in printed
    assert "[('x', 'tensor(float)', ['n', 4])]" in printed
