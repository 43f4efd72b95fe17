"""A store on disk of what compilers made, addressed by the content it was made from."""

import hashlib
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import ClassVar

from dlc.scratch import ScratchFolder, remove_abandoned

_SEAL_BYTES = 32
_OWN_FILE = re.compile(r"[0-9a-f]{62}")
"""The name of a stored file."""
_COUNTING = Lock()
_LOOKED_OVER = "looked-over"
"""The file of a folder whose time says when it was last seen to what is too much."""
_AN_HOUR_S = 3600.0


def cache_key(*parts: str | bytes) -> str:
    """Return the key of something made from ``parts``: 64 hexadecimal digits.

    Every input belongs in it: the text, the options, the version of the compiler.
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def cache_root() -> Path:
    """Return the folder of the cache: ``$DLC_CACHE_DIR``, else ``dlc`` in ``$XDG_CACHE_HOME``, by
    default ``~/.cache``. As the XDG Base Directory Specification says, a relative path in the
    latter counts as none.
    """
    if own := os.environ.get("DLC_CACHE_DIR"):
        return Path(own)
    of_user = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (of_user if of_user.is_absolute() else Path.home() / ".cache") / "dlc"


class Cache:
    """Files by key, below ``cache_root()``.

    kind: the folder of these files (``cubin``, ``object``). Several processes may share it: a file
    is written under a temporary name and renamed, so a reader sees all of it or nothing. A folder
    that cannot be written only costs the reuse. ``trim`` keeps what was used last.
    """

    lookups: ClassVar[Counter[tuple[str, bool]]] = Counter()
    """How often this process looked for something of a kind, found it or did not."""

    def __init__(self, kind: str, root: Path | None = None):
        self.kind = kind
        self.folder = (root or cache_root()) / kind

    def path(self, key: str) -> Path:
        """Return the file of a key, whether it exists or not."""
        return self.folder / key[:2] / key[2:]

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under ``key``; ``None`` where there are none or damaged ones."""
        found = self._read(key)
        with _COUNTING:
            self.lookups[self.kind, found is not None] += 1
        return found

    def _read(self, key: str) -> bytes | None:
        try:
            data = self.path(key).read_bytes()
        except OSError:
            return None
        self._note_use(key)
        seal, content = data[:_SEAL_BYTES], data[_SEAL_BYTES:]
        return content if hashlib.sha256(content).digest() == seal else None

    def put(self, key: str, data: bytes) -> None:
        """Store ``data`` under ``key``, sealed with its digest."""
        sealed = hashlib.sha256(data).digest() + data
        self._store(key, lambda path: path.write_bytes(sealed))

    def copy_from(self, key: str, to: Path) -> None:
        """Copy the file of a key. Raises OSError; the caller sees whether it is damaged."""
        shutil.copyfile(self.path(key), to)
        self._note_use(key)

    def _note_use(self, key: str) -> None:
        with suppress(OSError):  # a cache that cannot be written to serves as well
            os.utime(self.path(key))

    def copy_to(self, key: str, source: Path) -> None:
        """Store a copy of a file under ``key``."""
        self._store(key, lambda path: shutil.copyfile(source, path))

    def _store(self, key: str, write: Callable[[Path], object]) -> None:
        path = self.path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_and_rename(path, write)

    def trim(self, limit_bytes: float) -> None:
        """Delete what was not used for longest, so that at most ``limit_bytes`` stay."""
        total = 0
        for _, size, path in sorted(self._files(), reverse=True):
            total += size
            if total > limit_bytes:
                with suppress(OSError):
                    path.unlink()

    def trim_hourly(self, limit_bytes: float) -> None:
        """Do as ``trim``, but not again within an hour: to look at many small files takes longer
        than what one compile adds to them is worth.
        """
        note = self.folder / _LOOKED_OVER
        with suppress(OSError):
            if abs(time.time() - note.stat().st_mtime) < _AN_HOUR_S:
                return
        with suppress(OSError):  # a folder that is not there, or cannot be written to
            note.touch()
        self.trim(limit_bytes)

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """Yield when each file was used last, its bytes and its path."""
        for path in self.folder.glob("??/*"):
            with suppress(OSError):  # another process may be trimming, too
                if _OWN_FILE.fullmatch(path.name):
                    found = path.stat()
                    yield found.st_mtime, found.st_size, path


def lookups_since(before: Counter[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    """Return, by kind, how many things were found in the cache and how many were looked for.

    before: ``Cache.lookups`` as it was.
    """
    new = Cache.lookups - before
    return {kind: (new[kind, True], new[kind, True] + new[kind, False]) for kind, _ in sorted(new)}


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that its name never shows a part of ``data``. Raises OSError of ``path``.

    What a link leads to is written, and so is what is no file (``/dev/stdout``): as it is.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _write_and_rename(path.resolve(), lambda file: file.write_bytes(data))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write_and_rename(path: Path, write: Callable[[Path], object]) -> None:
    remove_abandoned(path.parent)
    with ScratchFolder(".dlc-", path.parent) as folder:
        new = folder / "new"
        write(new)
        new.chmod(0o644)
        new.replace(path)
