"""How the sizes of attention are padded to those of instructions."""

_DEPTH = 16
"""Of one product of queries and keys."""

_COLUMNS = 16
"""Of the two fragments of values that are loaded together."""


def padded_depth(size: int) -> int:
    """Return the length of queries and keys in shared memory."""
    return -(-size // _DEPTH) * _DEPTH


def padded_columns(size: int) -> int:
    """Return the columns of values in shared memory."""
    return -(-size // _COLUMNS) * _COLUMNS
