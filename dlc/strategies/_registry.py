"""Which strategies there are: the files and folders beside this one, without an underscore."""

import importlib
import pkgutil
from functools import cache

from dlc.errors import CompileError
from dlc.strategies._strategy import Strategy


@cache
def names() -> tuple[str, ...]:
    """Return the names of all strategies, sorted."""
    folders = importlib.import_module("dlc.strategies").__path__
    found = (m.name for m in pkgutil.iter_modules(folders) if not m.name.startswith("_"))
    return tuple(sorted(found))


@cache
def in_order() -> tuple[Strategy, ...]:
    """Return all strategies, those of higher precedence first."""
    return tuple(sorted(map(by_name, names()), key=lambda s: (-s.precedence, s.name)))


def by_name(name: object) -> Strategy:
    """Return the strategy called ``name``; raises CompileError when there is none."""
    if name not in names():
        raise CompileError(f"there is no strategy {name!r}; there are: {', '.join(names())}")
    found = importlib.import_module(f"dlc.strategies.{name}").STRATEGY
    assert isinstance(found, Strategy)
    assert found.name == name, f"the schedules of {name} say that they are of {found.name}"
    return found


def refresh() -> None:
    """Find the strategies anew: a folder was added to the package's path, or taken away."""
    names.cache_clear()
    in_order.cache_clear()
