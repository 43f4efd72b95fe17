"""The C and C++ files of the emulator."""

from pathlib import Path

_FOLDER = Path(__file__).parent


def native_text(name: str) -> str:
    """Return the text of a file of this folder."""
    return (_FOLDER / name).read_text()
