"""Arguments that say something about a model's inputs, as ``NAME=VALUE``."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlc.core.weights import Array

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


def add_inputs(parser: ArgumentParser) -> None:
    """Add ``--shape`` and ``--constant``."""
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        type=shape,
        metavar="NAME=1,3,224,224",
        help="the sizes of an input, or the value of a symbolic size; may be repeated",
    )
    parser.add_argument(
        "--constant",
        action="append",
        default=[],
        type=constant,
        metavar="NAME=5",
        help="compile the value of an input in: numbers, or NAME=@FILE.npy; may be repeated",
    )


def check_once(parser: ArgumentParser, given: Namespace) -> None:
    """End the command where ``--shape`` or ``--constant`` gives something twice."""
    for option in ("shape", "constant"):
        if (name := repeated_name(vars(given)[option])) is not None:
            parser.error(f"argument --{option}: {name!r} is given twice")


def constants(pairs: Sequence[tuple[str, str]], model: Path) -> dict[str, Array]:
    """Return the values that are compiled in. Raises CompileError for what is none."""
    if not pairs:
        return {}
    from dlc.frontends.onnx.constants import read_constants

    return read_constants(dict(pairs), model)


def repeated_name(pairs: list[tuple[str, object]]) -> str | None:
    """Return the first name that stands in more than one of these pairs."""
    names = [name for name, _ in pairs]
    return next((name for name in names if names.count(name) > 1), None)
