"""Attributes that hold plain named values, such as a schedule: ``#loop.schedule<vector = 4>``."""

import math
from abc import ABC
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar, Union

from xdsl.ir import Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from dlc.core.context import DlcContext
from dlc.errors import CompileError


@dataclass(frozen=True)
class Inner:
    """A record within a record, in the order in which it was given: ``{rows = 4, vector = 8}``."""

    items: tuple[tuple[str, "Value"], ...]

    def as_dict(self) -> dict[str, "Value"]:
        """Return the values by their names."""
        return dict(self.items)


Value = Union[bool, int, float, str, Inner, tuple["Value", ...]]  # noqa: UP007
"""What a record may hold; lists become tuples, mappings become records within it."""

T = TypeVar("T", bound=Value)


def _freeze(value: object) -> Value:
    if isinstance(value, list | tuple):
        return tuple(map(_freeze, value))
    if isinstance(value, Inner | Mapping):
        items = value.items if isinstance(value, Inner) else tuple(value.items())
        return Inner(tuple((str(name), _freeze(each)) for name, each in items))
    if isinstance(value, float) and not math.isfinite(value):
        raise CompileError(f"a record cannot hold the value {value}")
    if not isinstance(value, bool | int | float | str):
        raise CompileError(
            "a record holds numbers, strings, booleans, records and lists of these, not "
            + type(value).__name__
        )
    return value


def _plain(value: Value) -> object:
    if isinstance(value, Inner):
        return {name: _plain(each) for name, each in value.items}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def text_of(value: Value) -> str:
    """Return a value as the IR has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, Inner):
        return f"{{{items_text(value.items)}}}"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, float):
        mantissa, e, exponent = repr(value).partition("e")
        return mantissa + ("" if "." in mantissa else ".0") + e + exponent
    return str(value)


def items_text(items: Iterable[tuple[str, Value]]) -> str:
    """Return named values as the IR has them: ``rows = 4, vector = 8``."""
    return ", ".join(f"{key} = {text_of(value)}" for key, value in items)


class RecordAttr(Data[tuple[tuple[str, Value], ...]], ABC):
    """Named plain values in the order in which they were given; printed without braces.

    ``#loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8>``
    """

    def __init__(self, values: Mapping[str, object] | tuple[tuple[str, Value], ...]):
        items = values.items() if isinstance(values, Mapping) else values
        super().__init__(tuple((key, _freeze(value)) for key, value in items))

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.data)

    def __contains__(self, key: str) -> bool:
        return any(key == name for name, _ in self.data)

    def __getitem__(self, key: str) -> Value:
        return dict(self.data)[key]

    # Other than a Mapping's: a default is demanded, and gives the type.
    def get(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, key: str, default: T
    ) -> T:
        """Return the value of ``key``, or ``default`` when there is none.

        Raises CompileError when the value is of another type than the default.
        """
        value = dict(self.data).get(key, default)
        if type(value) is not type(default):
            raise CompileError(f"{self.name} {key} = {text_of(value)} should be like {default!r}")
        return value

    def replace(self, **values: object) -> Self:
        """Return a copy with these values added or changed; a value of ``None`` is left out."""
        merged = {**dict(self.data), **values}
        return type(self)({k: v for k, v in merged.items() if v is not None})

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[tuple[str, Value], ...]:
        start = parser.pos
        items = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, lambda: _parse_item(parser)
        )
        _check_names(parser, cls.name, items)
        checks = parser.ctx.record_checks if isinstance(parser.ctx, DlcContext) else {}
        try:
            checks.get(cls.name, dict)(dict(items))
        except CompileError as error:
            parser.raise_error(str(error), start)
        return tuple(items)

    def as_data(self) -> dict[str, object]:
        """Return the values as JSON has them: a list for a tuple."""
        return {key: _plain(value) for key, value in self.data}

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{items_text(self.data)}>")


def _parse_item(parser: AttrParser) -> tuple[str, Value]:
    key = parser.parse_identifier("expected the name of a value")
    parser.parse_punctuation("=")
    return key, _parse_value(parser)


def _check_names(parser: AttrParser, what: str, items: Sequence[tuple[str, Value]]) -> None:
    names = [key for key, _ in items]
    if twice := [key for key in names if names.count(key) > 1]:
        parser.raise_error(f"{what} names {twice[0]} twice")


def _parse_value(parser: AttrParser) -> Value:
    elements = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: _parse_value(parser)
    )
    if elements is not None:
        return tuple(elements)
    items = parser.parse_optional_comma_separated_list(
        parser.Delimiter.BRACES, lambda: _parse_item(parser)
    )
    if items is not None:
        _check_names(parser, "a record", items)
        return Inner(tuple(items))
    for parse in (parser.parse_optional_str_literal, parser.parse_optional_boolean):
        value = parse()
        if value is not None:
            return value
    number = parser.parse_optional_number()
    if number is None:
        parser.raise_error("expected a number, a string, true, false or a list of these")
    return number
