"""Pass and target options as text: ``tile{arch=sm_90a sizes=64,64}`` to objects and back."""

import dataclasses
import re
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from xdsl.utils.arg_spec import ArgSpecConvertible

from dlc.errors import CompileError

InstanceT = TypeVar("InstanceT", bound=ArgSpecConvertible)

_STEP = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\{((?:[^{}\"]|\"[^\"]*\")*)\})?\s*(?:,|$)")
_OPTION = re.compile(r"\s*([A-Za-z][\w-]*)(?:=((?:\"[^\"]*\"|[^\s\"])*))?(?:\s+|$)")
_WRAPPER = re.compile(r"\s*(?:builtin\.)?module\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """The name of a pass or target and its options as they were typed; ``None`` for a bare one."""

    name: str
    options: dict[str, str | None] = field(default_factory=dict)


def parse_steps(text: str) -> list[Step]:
    """Return the steps of ``a,b{x=1 y=2,3},c``, with or without ``builtin.module(...)`` around it.

    Raises CompileError that shows where the text stops making sense.
    """
    if wrapped := _WRAPPER.fullmatch(text):
        text = wrapped[1]
    steps: list[Step] = []
    position = 0
    while text[position:].strip():
        match = _STEP.match(text, position)
        if match is None:
            raise CompileError(
                f'cannot read the pipeline at "{text[position:]}"; write a,b{{x=1 y=2,3}}'
            )
        steps.append(Step(match[1], parse_options(match[2] or "")))
        position = match.end()
    return steps


def parse_options(text: str) -> dict[str, str | None]:
    """Return the options of ``x=1 y=2,3 flag``: separated by spaces, list items by commas.

    Raises CompileError for anything else and for an option given twice.
    """
    options: dict[str, str | None] = {}
    position = 0
    while text[position:].strip():
        match = _OPTION.match(text, position)
        if match is None:
            raise CompileError(
                f'cannot read the options at "{text[position:]}"; separate options by spaces'
            )
        name = match[1].replace("-", "_")
        if name in options:
            raise CompileError(f"option {match[1]} is given twice")
        if (match[2] or "").endswith(","):
            raise CompileError(
                f"a comma after {match[1]}={match[2][:-1]}: options are separated by spaces"
            )
        options[name] = match[2].replace('"', "") if match[2] is not None else None
        position = match.end()
    return options


def instantiate(kind: type[InstanceT], step: Step) -> InstanceT:
    """Return a pass or target (a dataclass) with the options of ``step``.

    Numbers, booleans (a bare name is true), strings, comma lists, literals and ``none`` are taken
    as the field's type says. Raises CompileError naming the option, its value and what is expected.
    """
    fields = {f.name: f for f in dataclasses.fields(kind) if f.init}
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for name, text in step.options.items():
        if name not in fields:
            known = ", ".join(sorted(fields)) or "none"
            raise CompileError(f"{step.name} has no option {name}; it has: {known}")
        values[name] = _converted(text, hints[name], f"{step.name}: option {name}")
    for name, item in fields.items():
        if name not in values and not _has_default(item):
            raise CompileError(f"{step.name} needs the option {name}={type_text(hints[name])}")
    return kind(**values)


def _has_default(item: "dataclasses.Field[Any]") -> bool:
    missing = dataclasses.MISSING
    return item.default is not missing or item.default_factory is not missing


def _converted(text: str | None, hint: Any, what: str) -> Any:
    for alternative in _alternatives(hint):
        try:
            return _as_type(text, alternative)
        except ValueError:
            continue
    given = "nothing" if text is None else f'"{text}"'
    raise CompileError(f"{what} is {given}, expected {type_text(hint)}")


def _alternatives(hint: Any) -> Sequence[Any]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _as_type(text: str | None, hint: Any) -> Any:
    """Return the value of ``text`` as one type; raises ValueError when it is none."""
    if hint is bool:
        return {None: True, "true": True, "false": False}.get(text) if text in _BOOLEANS else _no()
    if text is None:
        return _no()
    if hint is type(None):
        return None if text == "none" else _no()
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        return tuple(_as_type(part, item) for part in text.split(",") if part)
    if get_origin(hint) is Literal:
        return text if text in get_args(hint) else _no()
    return hint(text)


_BOOLEANS = (None, "true", "false")


def _no() -> Any:
    raise ValueError


def step_text(instance: ArgSpecConvertible) -> str:
    """Return the text from which ``parse_steps`` and ``instantiate`` make an equal object."""
    options = [
        f"{item.name.replace('_', '-')}={_value_text(value)}"
        for item in dataclasses.fields(instance)
        if item.init and (value := getattr(instance, item.name)) != _default(item)
    ]
    return f"{instance.name}{{{' '.join(options)}}}" if options else instance.name


def _default(item: "dataclasses.Field[Any]") -> Any:
    if item.default_factory is not dataclasses.MISSING:
        return item.default_factory()
    return item.default


def _value_text(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case tuple():
            return ",".join(map(_value_text, value))
        case _:
            text = str(value)
            return f'"{text}"' if re.search(r"[\s{}]", text) else text


def type_text(hint: Any) -> str:
    """Return how a message names the type of an option."""
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(map(type_text, get_args(hint)))
    if get_origin(hint) is tuple:
        return f"{type_text(get_args(hint)[0])},..."
    if get_origin(hint) is Literal:
        return "|".join(get_args(hint))
    return "none" if hint is type(None) else hint.__name__


def option_names(kind: type[ArgSpecConvertible]) -> set[str]:
    """Return the names of the options of a pass or target class, with underscores."""
    return {item.name for item in dataclasses.fields(kind) if item.init}


def option_texts(kind: type[ArgSpecConvertible]) -> list[str]:
    """Return ``name=<type> (default ...)`` of each option of a pass or target class."""
    hints = get_type_hints(kind)
    return [
        f"{item.name.replace('_', '-')}=<{type_text(hints[item.name])}>"
        + (f" (default {_value_text(_default(item))})" if _has_default(item) else "")
        for item in dataclasses.fields(kind)
        if item.init
    ]
