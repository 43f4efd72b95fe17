"""Folders for temporary files, which are deleted even when the process that made them was killed.

Each is locked as long as its process lives. One that nobody holds locked belonged to a process that
was killed; the next that works at the same place deletes it. A lock counts on one machine only, so
the name says which start of which machine it was.
"""

import fcntl
import os
import re
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path


class ScratchFolder:
    """A new folder; a context manager that gives its path and deletes it at the end.

    A forked child leaves it to its parent.
    """

    def __init__(self, prefix: str, place: Path | None = None):
        """prefix: of its name: ``dlc-`` and what it is for. place: by default that of temporary
        files. Raises OSError.
        """
        self._owner = os.getpid()
        self.path, self._lock = _make(prefix, place or Path(tempfile.gettempdir()))

    def remove(self) -> None:
        """Delete the folder with all that is in it."""
        if os.getpid() == self._owner:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._owner = 0

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *error: object) -> None:
        self.remove()


def remove_abandoned(place: Path | None = None) -> None:
    """Delete the scratch folders in ``place`` whose processes are no more."""
    ours = re.compile(rf"\.?dlc-(\w+-)*{_machine_start()}-\w+")
    with suppress(OSError), os.scandir(place or tempfile.gettempdir()) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                _remove_abandoned(entry.path)


def _make(prefix: str, place: Path) -> tuple[Path, int]:
    """Return a new folder and the descriptor that holds it locked."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{prefix}{_machine_start()}-", dir=place))
        with suppress(FileNotFoundError):  # taken for abandoned before it was locked
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            with suppress(OSError):  # where nothing can be locked, nothing is taken for abandoned
                fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists():
                return path, lock
            os.close(lock)


def _remove_abandoned(path: str) -> None:
    with suppress(OSError):
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
        finally:
            os.close(lock)


@cache
def _machine_start() -> str:
    """Return what tells this start of this machine from all others; containers on it share it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    except OSError:
        return f"{os.urandom(4).hex()}"  # then nothing is taken for abandoned
