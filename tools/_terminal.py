"""All that a command prints: characters that a terminal would obey are printed as escapes.

Names of a model, of files and of inputs come from others, and so do parts of messages of libraries.
"""

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOWrapper
from typing import TextIO, cast

from dlc.errors import printable

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""The control characters of ASCII and Latin-1, but for tabs and line ends."""


@contextmanager
def guarded_output() -> Generator[None]:
    """Let nothing that a terminal obeys through standard output and standard error.

    Characters that their encoding lacks are printed as escapes, too.
    """
    with redirect_stdout(_guarded(sys.stdout)), redirect_stderr(_guarded(sys.stderr)):
        yield


def show(line: str, to: TextIO | None = None) -> None:
    """Print a text as one line, by default to standard output."""
    print(printable(line), file=to)


def unguarded(stream: TextIO) -> TextIO:
    """Return the stream that obeys, for what a command itself tells the terminal."""
    return getattr(stream, "obeying", stream)


class _GuardedStream:
    """A stream that writes what ``_OBEYED`` matches as escapes."""

    def __init__(self, obeying: TextIO):
        self.obeying = obeying

    def write(self, text: str) -> int:
        """Write a text of any number of lines."""
        return self.obeying.write(_OBEYED.sub(lambda match: printable(match[0]), text))

    def __getattr__(self, name: str) -> object:
        return getattr(self.obeying, name)


def _guarded(stream: TextIO) -> TextIO:
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return cast(TextIO, _GuardedStream(stream))
