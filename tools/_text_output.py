"""Where a command writes text: a file, or standard output."""

import sys
from pathlib import Path

from dlc.core.cache import write_atomically

STANDARD_OUTPUT = Path("-")


def is_device(path: Path) -> bool:
    """Return whether text may go there as it is: a terminal, a pipe."""
    if path == STANDARD_OUTPUT:
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


def write_text(output: Path | None, text: str) -> None:
    """Write a text; without a path, or to ``-``, to standard output. Raises OSError."""
    if output in (None, STANDARD_OUTPUT):
        sys.stdout.write(text)
    else:
        write_atomically(output, text.encode())
