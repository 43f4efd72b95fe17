"""The C files of every artifact: the header ``dlc.h`` and the fixed part of the host program."""

from pathlib import Path

FOLDER = Path(__file__).parent


def native_text(name: str) -> str:
    """Return the text of one of the files."""
    return (FOLDER / name).read_text()


def native_headers() -> dict[str, str]:
    """Return the texts of all headers by file name."""
    return {path.name: path.read_text() for path in sorted(FOLDER.glob("*.h"))}
