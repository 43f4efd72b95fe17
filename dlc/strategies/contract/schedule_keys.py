"""The keys of a contraction's schedule on a GPU that hold words."""

import re

from dlc.arch import instructions
from dlc.strategies._key import Key

ROW = "row"
_GROUPED = re.compile(r"grouped<([1-9][0-9]{0,5})>")

ORDER = Key(
    '`"row"` or `"grouped<8>"`: blocks of 8 tile rows (or another number) run together, so that '
    "they share the rhs in L2",
    '"row" or "grouped<8>", of any number of rows',
    lambda value: value == ROW or (isinstance(value, str) and bool(_GROUPED.fullmatch(value))),
)


THREADS, TENSOR = "threads", "tensor"

COPIES = Key(
    f'who brings slices: `"{THREADS}"`, each a part; `"{TENSOR}"`, one thread starts a copy of '
    "each that is a box of a tensor in memory, and the others wait for its bytes",
    f'"{THREADS}" or "{TENSOR}"',
    lambda value: value in (THREADS, TENSOR),
)


def _factors(name: str) -> str:
    """Return the types that an instruction multiplies, in words."""
    rows = instructions.named(name)
    return ", ".join(dict.fromkeys(row.element or "any type" for row in rows))


_FAMILIES = {row.family: row for row in instructions.rows()}
_COLUMNS = [row.n for row in instructions.rows() if row.family != row.name]

INSTRUCTION = Key(
    "what multiplies and adds: "
    + ", ".join(f'`"{family}"` ({_factors(row.name)})' for family, row in _FAMILIES.items()),
    " or ".join(f'"{family}"' for family in _FAMILIES)
    + f" with one of {', '.join(map(str, sorted({*_COLUMNS})))} for N",
    lambda value: value in instructions.names(),
)


def order_of(grouped: int) -> str:
    """Return the order in which so many tile rows run together, 0 for row by row."""
    return f"grouped<{grouped}>" if grouped else ROW


def grouped_in(order: str) -> int:
    """Return the tile rows that run together; 0 where tiles run row by row."""
    match = _GROUPED.fullmatch(order)
    return int(match[1]) if match else 0
