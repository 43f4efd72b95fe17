"""Which libraries there are: the files beside this one, and those of other packages."""

import importlib
import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points

from dlc.errors import CompileError
from dlc.libraries._library import Library

GROUP = "dlc.libraries"
"""The entry points of packages that bring a library: ``name = "module:LIBRARY"``."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of all libraries, sorted."""
    folders = importlib.import_module("dlc.libraries").__path__
    own = (m.name for m in pkgutil.iter_modules(folders) if not m.name.startswith("_"))
    return tuple(sorted({*own, *(each.name for each in entry_points(group=GROUP))}))


@cache
def by_name(name: str) -> Library:
    """Return a library; raises CompileError where there is none, or a package brings none."""
    check_names([name])
    points = [each for each in entry_points(group=GROUP) if each.name == name]
    try:
        own = f"dlc.libraries.{name}"
        found = points[0].load() if points else importlib.import_module(own).LIBRARY
    except (ImportError, AttributeError) as error:
        raise CompileError(f"library {name!r} cannot be loaded: {error}") from error
    if not isinstance(found, Library) or found.name != name or not re.fullmatch(r"\w+", name):
        raise CompileError(f"entry point {name} of {GROUP} should lead to a Library of that name")
    return found


def check_names(given: Iterable[object]) -> None:
    """Raise CompileError for a name that no library has."""
    for name in given:
        if name not in names():
            raise CompileError(f"there is no library {name!r}; there are: {', '.join(names())}")


def brought() -> list[str]:
    """Return what other packages bring, with their versions: what a compile depends on."""
    found = [(each, each.dist) for each in entry_points(group=GROUP)]
    return sorted(f"{each.value} {dist.version if dist else ''}" for each, dist in found)


def refresh() -> None:
    """Find the libraries anew: a package was installed, or taken away."""
    names.cache_clear()
    by_name.cache_clear()
