"""What tests of analyses have in common."""

from pathlib import Path

import pytest


@pytest.fixture
def gpu_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine have an sm_90a that nothing was measured on."""
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("dlc.compiler.targets.device_capability", lambda: (9, 0))
