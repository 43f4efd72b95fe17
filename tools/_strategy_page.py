"""The page of the strategies: what each is for, and the keys of its schedules."""

import importlib
import inspect
from collections.abc import Iterator

from dlc import strategies
from dlc.ir.record import text_of
from dlc.strategies import Schedule, Strategy


def strategy_page(note: str) -> str:
    """Return the page; ``note`` stands below its title."""
    found = [strategies.by_name(name) for name in strategies.names()]
    parts = ["# Strategies\n", note, _text(strategies), *_overview(found)]
    parts += [line for strategy in found for line in _section(strategy)]
    return "\n".join(parts)


def _text(documented: object) -> str:
    return (inspect.getdoc(documented) or "").replace("``", "`") + "\n"


def _overview(found: list[Strategy]) -> Iterator[str]:
    yield from ("| strategy | group | parallel mapping |", "|---|---|---|")
    yield from (f"| `{s.name}` | {s.groups} | {s.mapping} |" for s in found)


def _section(strategy: Strategy) -> Iterator[str]:
    module = importlib.import_module(f"dlc.strategies.{strategy.name}")
    yield f"\n## `{strategy.name}`\n\n{_text(module)}"
    for implementation in strategy.implementations.values():
        yield from _keys(implementation.schedule)


def _keys(schedule: type[Schedule]) -> Iterator[str]:
    yield f'### `strategy = "{schedule.strategy}", target = "{schedule.target}"`\n'
    yield _text(schedule)
    yield from ("| key | holds | without it | meaning |", "|---|---|---|---|")
    for name, key in schedule.keys().items():
        default = schedule.default_of(name)
        shown = "an error" if default is None else f"`{text_of(default)}`"
        yield f"| `{name}` | {key.wanted} | {shown} | {key.meaning} |"
    yield ""
