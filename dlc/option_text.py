"""How messages name an option: as the user who reads them gives it."""

import json
import shlex
from collections.abc import Generator, Iterable
from contextlib import contextmanager

_PYTHON_NAMES = {"shape": "shapes", "constant": "constants"}
"""Where a keyword of ``dlc.compile`` is not the option's own name."""

_users = ["python"]


@contextmanager
def on_command_line() -> Generator[None]:
    """Name options as on a command line; outside of it they are keywords in Python."""
    _users.append("command line")
    try:
        yield
    finally:
        _users.pop()


def option(name: str, items: Iterable[tuple[str, str]] = ()) -> str:
    """Return an option, with what is to be given by name, if anything is.

    ``--shape batch=8`` on the command line is ``shapes={"batch": 8}`` in Python; several numbers,
    ``1,8``, are a list there.
    """
    pairs = list(dict.fromkeys(items))
    if _users[-1] == "command line":
        return " ".join(f"--{name} {shlex.quote(f'{n}={v}')}" for n, v in pairs) or f"--{name}"
    keyword = _PYTHON_NAMES.get(name, name.replace("-", "_"))
    values = ", ".join(f"{json.dumps(n, ensure_ascii=False)}: {_python(v)}" for n, v in pairs)
    return f"{keyword}={{{values}}}" if pairs else keyword


def _python(value: str) -> str:
    return f"[{', '.join(value.split(','))}]" if "," in value else value
