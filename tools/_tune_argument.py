"""``--tune[=SECONDS]``: an option that may go without its value, before the name of a model."""

import argparse
import re
from collections.abc import Iterator, Sequence

_SECONDS = re.compile(r"(\d+(?:\.\d*)?|\.\d+)s?")
_ALL = "all"


def joined(arguments: Sequence[str]) -> list[str]:
    """Return a command line in which ``--tune`` has its value: the number after it, if one is."""
    return [*_joined(arguments)]


def _joined(arguments: Sequence[str]) -> Iterator[str]:
    rest = iter(arguments)
    for argument in rest:
        if argument != "--tune":
            yield argument
            continue
        following = next(rest, None)
        is_number = following is not None and _SECONDS.fullmatch(following)
        yield f"--tune={following if is_number else _ALL}"
        if following is not None and not is_number:
            yield from _joined([following, *rest])


def tuning(text: str) -> bool | float:
    """Read the value of ``--tune``: seconds, as ``60`` or ``60s``, or all that it takes."""
    if text == _ALL:
        return True
    found = _SECONDS.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return float(found[1])
