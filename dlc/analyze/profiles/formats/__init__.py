"""The formats of profiles: each file of this folder is one, with a ``FORMAT`` in it."""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from dlc.analyze.profiles.profile import Profile


@dataclass(frozen=True)
class Format:
    """title: what people call it. fits: whether some content is of this format; the content is a
    text, or where that is JSON what it holds. read: the profile in it; the first argument is the
    name of the file. It raises CompileError.
    """

    title: str
    fits: Callable[[Any], bool]
    read: Callable[[str, Any], Profile]


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats in the order of their files."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").FORMAT for name in names)
