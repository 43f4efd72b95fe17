"""The examples of the README are what the tools print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
CONSOLE = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", README, re.S)


def _run(command: str) -> str:
    """Return what a command of the README prints."""
    tool, *arguments = command.split()
    assert tool == "dlc-opt"
    module = [sys.executable, "-m", "dlc.tools.dlc_opt", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(module, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[c.split()[-1] for c, _ in CONSOLE])
def test_console_examples(command: str, shown: str) -> None:
    assert _run(command) == shown


def test_the_graph_level_example_is_the_file() -> None:
    assert (ROOT / "docs" / "example.mlir").read_text() in README


def test_an_edited_schedule_is_the_one_that_is_compiled(tmp_path: Path) -> None:
    _, shown = CONSOLE[0]
    threads = re.search(r"threads = (\d+)", shown)
    assert threads is not None
    assert threads[1] != "128"
    edited = tmp_path / "edited.mlir"
    edited.write_text(shown.replace(threads[0], "threads = 128"))
    lowered = _run(
        f"dlc-opt {edited} --tile=arch=sm_90a --lower-to-loop --lower-to-gpu=arch=sm_90a"
    )
    assert "block = array<i64: 128, 1, 1>" in lowered
