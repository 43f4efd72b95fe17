"""The keys of schedules: what each may hold, in words and as a check."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from dlc.analysis.schedule._candidate import Record, Value
from dlc.dialects._record import text_of
from dlc.errors import CompileError

T = TypeVar("T", bound=Value)


@dataclass(frozen=True)
class Key(Generic[T]):
    """One key of a schedule.

    wanted: what it holds, in words. accepts: whether a value is that. default: what a schedule
    without the key means; ``None``: the key must be there.
    """

    name: str
    wanted: str
    accepts: Callable[[Any], bool]
    default: T | None = None

    def of(self, schedule: Record) -> T:
        """Return the value in a schedule; raises CompileError for one that the key cannot hold."""
        value: Any = schedule.get(self.name, self.default)
        if value is None:
            raise CompileError(f"schedule key {self.name} is missing; it is {self.wanted}")
        if not self.accepts(value):
            raise CompileError(
                f"schedule key {self.name} should be {self.wanted}, is {text_of(value)}"
            )
        return value


def check_keys(schedule: Record, keys: Iterable[Key[Any]]) -> None:
    """Raise CompileError for a key that is none of ``keys``, or holds what it cannot."""
    known = {key.name: key for key in keys}
    for name in schedule:
        if name not in known and name != "strategy":
            takes = ", ".join(known)
            strategy = schedule.get("strategy")
            raise CompileError(f"schedule key {name} is unknown; {strategy} has {takes} here")
    for key in known.values():
        key.of(schedule)


def size(name: str, default: int | None = None, most: int = 2**20) -> Key[int]:
    """Return a key that holds one positive integer."""
    wanted = f"an integer from 1 to {most}"
    return Key(name, wanted, lambda value: _is_size(value, most), default)


def sizes(name: str, count: int, most: int = 2**20) -> Key[tuple[int, ...]]:
    """Return a key that holds ``count`` positive integers."""
    wanted = f"{count} integers from 1 to {most}"

    def accepts(value: Any) -> bool:
        if not isinstance(value, tuple) or len(value) != count:
            return False
        return all(_is_size(each, most) for each in value)

    return Key(name, wanted, accepts)


def flag(name: str, default: bool) -> Key[bool]:
    """Return a key that is true or false."""
    return Key(name, "true or false", lambda value: isinstance(value, bool), default)


def choice(name: str, choices: tuple[str, ...], default: str | None = None) -> Key[str]:
    """Return a key that holds one of some texts."""
    wanted = " or ".join(map(text_of, choices))
    return Key(name, wanted, lambda value: value in choices, default)


def _is_size(value: object, most: int) -> bool:
    return type(value) is int and 1 <= value <= most
