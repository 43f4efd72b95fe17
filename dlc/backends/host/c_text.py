"""Small pieces of C text."""

from collections.abc import Iterable


def c_string(text: str) -> str:
    """Return a C string literal of the UTF-8 bytes; nothing in ``text`` can end it."""
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


def c_list(items: Iterable[object]) -> str:
    """Return a braced initialiser; of no items it is ``{0}``, since C has no empty arrays."""
    return "{" + (", ".join(map(str, items)) or "0") + "}"
