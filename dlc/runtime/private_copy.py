"""A copy of a library that no other program can write to, so that what is loaded stays as it is."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from dlc.scratch import ScratchFolder

_DESCRIPTORS = "/proc/self/fd"
_number = count()


@contextmanager
def private_copy(path: Path, end: int | None = None) -> Generator[str]:
    """Give a name under which the dynamic linker finds a copy of the first ``end`` bytes of a file.

    Only as long as the block runs; what was loaded stays. Raises OSError.
    """
    with path.open("rb") as source:
        size = os.fstat(source.fileno()).st_size if end is None else end
        try:
            copy, name = _memory(path)
        except OSError:  # a system without it
            with ScratchFolder("dlc-library-") as folder, (folder / "model.so").open("wb") as file:
                _copy(source.fileno(), file.fileno(), size)
                yield file.name
            return
        try:
            _copy(source.fileno(), copy, size)
            yield name
        finally:
            os.close(copy)


def _memory(path: Path) -> tuple[int, str]:
    """Return a new file in memory, and its name: one that the linker has not met in this process,
    since it takes one that it knows for the library that it loaded under it.
    """
    os.stat(_DESCRIPTORS)
    file = os.memfd_create(path.name.encode()[:200].decode(errors="ignore"))
    spelling = "".join("/." if digit == "1" else "/" for digit in f"{next(_number):b}")
    return file, f"{_DESCRIPTORS}{spelling}/{file}"


def _copy(source: int, target: int, size: int) -> None:
    at = 0
    while done := os.sendfile(target, source, at, size - at):
        at += done
