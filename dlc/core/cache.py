"""A store on disk of what compilers made, addressed by the content it was made from."""

import hashlib
import os
import tempfile
from pathlib import Path


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
    """Return the folder of the cache: ``$DLC_CACHE_DIR``, else ``~/.cache/dlc``."""
    return Path(os.environ.get("DLC_CACHE_DIR") or Path.home() / ".cache" / "dlc")


class Cache:
    """Bytes by key, one file each, below ``cache_root()``.

    kind: the folder of these files (``cubin``, ``object``). Several processes may share it: a file
    is written under a temporary name and renamed, so a reader sees all of it or nothing. A folder
    that cannot be written only costs the reuse.
    """

    def __init__(self, kind: str, root: Path | None = None):
        self.folder = (root or cache_root()) / kind

    def path(self, key: str) -> Path:
        """Return the file of a key, whether it exists or not."""
        return self.folder / key[:2] / key[2:]

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under ``key``, or ``None``."""
        try:
            return self.path(key).read_bytes()
        except OSError:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Store ``data`` under ``key``."""
        path = self.path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
        except OSError:
            return


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that its name never shows a part of ``data``. Raises OSError of ``path``.

    What a link leads to is written, and so is what is no file (``/dev/stdout``): as it is.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _write_and_rename(path.resolve(), data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write_and_rename(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:32]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
