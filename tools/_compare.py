"""Compares the outputs of a run with those in a file."""

from pathlib import Path

from dlc.errors import InputError
from dlc.runtime.comparison import Comparison, Tolerance, check_comparable, compare
from dlc.tools._npz import Arrays, read_arrays


def compare_with_file(results: Arrays, path: Path, allowed: Tolerance) -> dict[str, Comparison]:
    """Return how far each output is from the one in an .npz file, by name.

    Raises CompileError when the file cannot be read or has no such outputs.
    """
    wanted = read_arrays(path)
    try:
        check_comparable(results, wanted)
    except InputError as error:
        error.place(str(path))
        raise
    return {name: compare(results[name], array, allowed) for name, array in wanted.items()}
