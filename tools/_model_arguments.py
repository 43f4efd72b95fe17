"""Arguments that say something about a model's inputs, as ``NAME=VALUE``."""

import re
from argparse import ArgumentTypeError

_SIZE = re.compile(r"-?[0-9]+")


def shape(text: str) -> tuple[str, list[int]]:
    """Return the name and the sizes of ``x=1,3``; ``x=`` is a tensor without axes.

    Raises ArgumentTypeError for what is none; which sizes an input may have is said later.
    """
    name, _, sizes = text.rpartition("=")
    parts = sizes.split(",") if sizes else []
    if not name or not all(map(_SIZE.fullmatch, parts)):
        raise ArgumentTypeError(f"{text!r} is not NAME=SIZE,SIZE,... with whole numbers as sizes")
    return name, list(map(int, parts))


def constant(text: str) -> tuple[str, str]:
    """Return the name and the text of ``n=5`` or ``n=@file.npy``.

    Raises ArgumentTypeError for what is none; the numbers are read when the input's type is known.
    """
    name, _, value = text.partition("=")
    if not name or not value:
        raise ArgumentTypeError(f"{text!r} is not NAME=NUMBER,NUMBER,... or NAME=@FILE.npy")
    return name, value


def repeated_name(pairs: list[tuple[str, object]]) -> str | None:
    """Return the first name that stands in more than one of these pairs."""
    names = [name for name, _ in pairs]
    return next((name for name in names if names.count(name) > 1), None)
