"""The exceptions that users see."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from dlc.option_text import option


def printable(text: str) -> str:
    """Return a text on one line, with each character that a terminal would obey as its escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def counted(number: int, what: str) -> str:
    """Return a number and a noun, in the plural where it needs it."""
    ending = "" if number == 1 else "es" if what.endswith("ch") else "s"
    return f"{number} {what}{ending}"


@contextmanager
def about_file(path: Path) -> Generator[None]:
    """Make an OSError that names no file, as those of writing do, one that names ``path``."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


class CompileError(Exception):
    """A model or an IR that cannot be compiled as it is, or a wrong argument.

    message: lower case, no full stop: what is wrong, the values, the limit, the way out.
    at: the ONNX node or the operation where it happened, as the user knows it, or ``None``.
    """

    def __init__(self, message: str, at: str | None = None):
        self.message = message
        self.at = at
        super().__init__(message)

    def __str__(self) -> str:
        return printable(f"{self.at}: {self.message}" if self.at else self.message)

    def place(self, at: str) -> None:
        """Say that the error happened at ``at``, where nobody nearer to it has said so."""
        self.at = self.at or at


class OpenSizeError(CompileError):
    """Something needs a size that neither the model nor the user has fixed.

    what: the operator, or a phrase for what it does, as the subject of a sentence.
    """

    def __init__(self, what: str):
        super().__init__(f"{what} needs sizes that are fixed; fix them with {option('shape')}")


class InputError(CompileError, ValueError):
    """An array that does not fit a compiled model (name, shape, dtype, device)."""


class ArtifactError(CompileError):
    """A ``model.so`` that cannot be loaded or run: damaged, another version, another device."""
