"""Profiles of other systems: what they measured of the layers of a model."""

from pathlib import Path

from dlc.analyze.profiles.file_text import parse_json, read_text
from dlc.analyze.profiles.formats import formats
from dlc.analyze.profiles.profile import Profile
from dlc.errors import CompileError

__all__ = ["Profile", "read_profile"]


def read_profile(path: Path) -> Profile:
    """Return what a file says that some system measured; its content says which format it has.

    Raises CompileError where it is no profile, or one without a call.
    """
    try:
        return _read(path)
    except CompileError as error:
        error.place(str(path))
        raise


def _read(path: Path) -> Profile:
    text = read_text(path)
    if not text.strip():
        raise CompileError("is empty, so no profile")
    content = parse_json(text) if text.lstrip()[0] in "[{" else text
    fitting = next((each for each in formats() if each.fits(content)), None)
    if fitting is None:
        raise CompileError(f"is no profile of {', '.join(each.title for each in formats())}")
    found = fitting.read(str(path), content)
    if not found.rows:
        raise CompileError(f"is a profile of {fitting.title} that has no call with a time")
    return found
