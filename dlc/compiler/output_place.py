"""Where a compile writes: looked at before the work, so that no compile is lost at its end."""

import os
import tempfile
from pathlib import Path

from dlc.errors import CompileError


def check_place(path: Path, source: object) -> None:
    """Raise CompileError when no file can be written at ``path``, or it is the model itself.

    source: what is compiled, a path or a model in memory.
    """
    at = str(path)
    if path.is_dir():
        raise CompileError("cannot be written: is a directory; name a file in it", at)
    if path.exists() and not path.is_file():
        raise CompileError("cannot be written: is no ordinary file", at)
    if isinstance(source, str | os.PathLike) and _is_same(path, Path(source)):
        raise CompileError("is the model that is compiled; give another file", at)
    try:
        with tempfile.TemporaryFile(dir=path.absolute().parent):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CompileError(f"cannot be written: {reason}", at) from error


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)
