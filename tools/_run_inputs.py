"""The inputs of a run: from files, and random ones."""

from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path

from dlc.core.array_files import Arrays, read_array, read_arrays
from dlc.errors import InputError
from dlc.runtime.model import Model
from dlc.runtime.random_inputs import random_feeds

NamedFile = tuple[str | None, Path]


def named_file(text: str) -> NamedFile:
    """Read an argument ``NAME=FILE`` or ``FILE``; the name ends at the first ``=``."""
    name, equals, file = text.partition("=")
    if not (file if equals else name):
        raise ArgumentTypeError(f"{text!r} names no file")
    return (name, Path(file)) if equals else (None, Path(text))


def read_inputs(
    model: Model, archive: Path | None, files: Sequence[NamedFile], seed: int | None
) -> Arrays:
    """Return the inputs by name: those of ``archive``, those of ``files``, and random others.

    seed: of the random ones; ``None``: none are made. Raises CompileError, InputError.
    """
    feeds = dict(read_arrays(archive)) if archive else {}
    for given, path in files:
        name = _only_input(model, path) if given is None else given
        if name in feeds:
            raise InputError("two files are given for it", at=f"input {name!r}")
        feeds[name] = read_array(path)
    if seed is not None:
        feeds = random_feeds(model, seed) | feeds
    return feeds


def _only_input(model: Model, path: Path) -> str:
    names = [info.name for info in model.inputs]
    if len(names) == 1:
        return names[0]
    known = ", ".join(map(repr, names)) or "none"
    raise InputError(f"{path} needs a name, as --input NAME={path}; the model's inputs: {known}")
