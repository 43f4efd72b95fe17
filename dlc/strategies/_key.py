"""The keys of schedules: what each means, what it may hold, in words and as a check."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field
from typing import Any

from dlc.errors import CompileError
from dlc.ir.record import Value, text_of

LARGEST = 2**20
"""No schedule counts further: a wrong digit is found before anything is made of it."""


@dataclass(frozen=True)
class Key:
    """What a field of a schedule is.

    meaning: for the reader of a schedule. wanted: what it holds, in words. accepts: whether a value
    is that.
    """

    meaning: str
    wanted: str
    accepts: Callable[[Any], bool]

    def check(self, name: str, value: Value) -> None:
        """Raise CompileError for a value that the key cannot hold."""
        if not self.accepts(value):
            raise CompileError(f"schedule key {name} should be {self.wanted}, is {text_of(value)}")


def key_field(key: Key, default: object = MISSING) -> Any:
    """Return the field of a dataclass for a key; without a default it must be given."""
    return field(default=default, metadata={"key": key})


def size(meaning: str, default: object = MISSING, most: int = LARGEST) -> Any:
    """Return a field that holds one positive integer."""
    wanted = f"an integer from 1 to {most}"
    return key_field(Key(meaning, wanted, lambda value: _is_size(value, most)), default)


def count(meaning: str, most: int = LARGEST) -> Any:
    """Return a field that holds one integer, 0 unless it is given."""
    return key_field(
        Key(
            meaning,
            f"an integer from 0 to {most}",
            lambda value: type(value) is int and 0 <= value <= most,
        ),
        0,
    )


def sizes(meaning: str, count: int, most: int = LARGEST, default: object = MISSING) -> Any:
    """Return a field that holds ``count`` positive integers."""

    def accepts(value: object) -> bool:
        if not isinstance(value, tuple) or len(value) != count:
            return False
        return all(_is_size(each, most) for each in value)

    return key_field(Key(meaning, f"{count} integers from 1 to {most}", accepts), default)


def choice(meaning: str, values: Sequence[str | int], default: object = MISSING) -> Any:
    """Return a field that holds one of some words, or numbers."""
    known = {(type(value), value) for value in values}
    wanted = " or ".join(map(text_of, values))
    return key_field(Key(meaning, wanted, lambda value: (type(value), value) in known), default)


def flag(meaning: str, default: bool) -> Any:
    """Return a field that is true or false."""
    return key_field(Key(meaning, "true or false", lambda value: isinstance(value, bool)), default)


def _is_size(value: object, most: int) -> bool:
    return type(value) is int and 1 <= value <= most
