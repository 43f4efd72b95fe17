"""What is found by its file (a strategy, an instruction), from a folder of a test."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest


@contextmanager
def added(package: ModuleType, folder: Path, refresh: Callable[[], None]) -> Generator[None]:
    """Let a package have the files of ``folder``, too; ``refresh`` makes it look again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package, "__path__", [*package.__path__, str(folder)])
        refresh()
        yield
    for file in folder.glob("*.py"):
        sys.modules.pop(f"{package.__name__}.{file.stem}", None)
    refresh()
