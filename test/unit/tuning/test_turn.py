"""Processes that measure take turns."""

import subprocess
import sys
from pathlib import Path

import pytest

from dlc.core.child import Child
from dlc.tuning.turn import turn

_OTHER = """
import sys
from dlc.core.child import Child
from dlc.tuning.turn import turn
print("waits", flush=True)
with turn("a"):
    print("measures", flush=True)
"""


def test_another_process_waits_for_the_turn_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))
    with turn("a"):
        other = subprocess.Popen([sys.executable, "-c", _OTHER], stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        assert other.stdout.readline() == "waits\n"
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.5)
    assert other.communicate(timeout=30)[0] == "measures\n"


def test_nobody_waits_where_nothing_can_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "file"))
    ran = False
    with turn("a"):
        ran = True
    assert ran


def test_a_process_that_was_forked_in_a_turn_does_not_keep_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))
    with turn("a"):
        child = Child(lambda: lambda _: None)
    with child:
        subprocess.run([sys.executable, "-c", _OTHER], check=True, timeout=30)


def test_another_device_is_nobodys_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))
    with turn("b"):
        subprocess.run([sys.executable, "-c", _OTHER], check=True, timeout=30)
