"""Functions that a user names as ``file.py:function`` or ``package.module:function``."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from dlc.errors import CompileError


def user_function(name: str) -> Callable[..., Any]:
    """Return the function of that name; runs its file. Raises CompileError."""
    place, _, function = name.rpartition(":")
    if not place or not function:
        raise CompileError(f"{name!r} is not FILE.py:FUNCTION or MODULE:FUNCTION")
    is_file = place.endswith(".py")
    if is_file and not Path(place).exists():
        raise CompileError("no such file", at=place)
    try:
        module = _module_of(Path(place)) if is_file else importlib.import_module(place)
    except Exception as error:
        raise CompileError(f"cannot be loaded: {one_line(error)}", at=place) from error
    if not callable(found := getattr(module, function, None)):
        raise CompileError(f"has no function {function!r}", at=place)
    return found


def call_user_function(name: str, *arguments: Any) -> Any:
    """Return what the function of that name gives. Raises CompileError, which names it."""
    function = user_function(name)
    try:
        return function(*arguments)
    except Exception as error:
        raise CompileError(f"failed: {one_line(error)}", at=name) from error


def kind_of(found: object) -> str:
    """Return what a function gave, in a few words: its type, of a tuple those of its parts."""
    if isinstance(found, tuple):
        return f"({', '.join(type(part).__name__ for part in found)})"
    return type(found).__name__


def _module_of(path: Path) -> Any:
    """Return the module of a file, which is run once; it finds modules that are beside it."""
    title = f"dlc_user_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    if title in sys.modules:
        return sys.modules[title]
    spec = importlib.util.spec_from_file_location(title, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[title] = importlib.util.module_from_spec(spec)
    sys.path.append(str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[title]
        raise
    return module


def one_line(error: BaseException) -> str:
    """Return what happened as one line: the kind of an error and the first line of its text."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    kind = type(error).__name__
    return f"{kind}: {lines[0].strip()[:200]}" if lines else kind
