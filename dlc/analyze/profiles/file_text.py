"""The text of a file of a profile, which may be compressed."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from dlc.errors import CompileError

MOST_BYTES = 256 << 20
"""Of a file, and of what it holds when it is compressed: a small file may hold any number."""
_GZIP = b"\x1f\x8b"


def read_text(path: Path) -> str:
    """Return the text of a file, of a gzip file that of what it holds.

    Raises CompileError where there is none, or more than ``MOST_BYTES``.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            data = (gzip.GzipFile(fileobj=file) if packed else file).read(MOST_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CompileError(f"is a damaged or truncated gzip file ({error})") from None
    except OSError as error:
        raise CompileError(f"cannot be read: {error.strerror or error}") from None
    if len(data) > MOST_BYTES:
        raise CompileError(
            f"holds more than {MOST_BYTES >> 20} MB; record a few runs of the model only"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CompileError("is no text in UTF-8, so no profile") from None


def parse_json(text: str) -> Any:
    """Return what a text of JSON holds. Raises CompileError where it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise CompileError(f"is truncated or no JSON: {error.msg.lower()} ({where})") from None
    except RecursionError:
        raise CompileError("is no profile: its JSON is nested too deeply") from None
    except ValueError as error:  # a number of too many digits
        raise CompileError(f"is no profile: {error}") from None
