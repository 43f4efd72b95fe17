"""Sizes as a user gives them."""

from collections.abc import Mapping, Sequence

Shapes = Mapping[str, int | Sequence[int]]
"""Sizes by the name of an input; one size by the name of a symbolic size, or of a vector."""


def size_lists(shapes: Shapes) -> dict[str, list[int]]:
    """Return sizes by name, all of them as lists of Python's integers."""
    lists = {n: s if isinstance(s, Sequence) else [s] for n, s in shapes.items()}
    return {name: list(map(int, sizes)) for name, sizes in lists.items()}
