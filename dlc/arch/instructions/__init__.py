"""The instructions that multiply tiles: a file for each family, found by being here.

A file defines ``ROWS``. Everything else takes from a row what it needs: schedules and
``loop.contract`` the name and the sizes, the spaces the scope, the model the unit, the lowering and
the simulator the layouts, CUDA the PTX.
"""

import importlib
import pkgutil
from functools import cache

from dlc.arch.gpu import GpuArch
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope


@cache
def rows() -> tuple[Instruction, ...]:
    """Return all instructions, by the names of their files."""
    files = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(
        row for file in files for row in importlib.import_module(f"{__name__}.{file}").ROWS
    )


def names() -> tuple[str, ...]:
    """Return the names of the instructions, each once."""
    return tuple(dict.fromkeys(row.name for row in rows()))


@cache
def named(name: str) -> tuple[Instruction, ...]:
    """Return the rows of a name, which differ in the types that they take; none if there is no such
    instruction.
    """
    return tuple(row for row in rows() if row.name == name)


def find(name: str, a: str, b: str, c: str) -> Instruction | None:
    """Return the instruction of a name that multiplies elements of ``a`` and ``b`` (as the IR names
    them) and adds in ``c``; ``None`` where there is none.
    """
    return next((row for row in named(name) if row.takes(a, b, c)), None)


@cache
def widest(name: str, columns: int) -> str:
    """Return the name of the widest instruction that is like ``name`` but for its columns, of which
    ``columns`` are a multiple.
    """
    (row, *_) = named(name)
    like = (
        each
        for each in rows()
        if (each.scope, each.m, each.k, each.element) == (row.scope, row.m, row.k, row.element)
        and columns % each.n == 0
    )
    return max(like, key=lambda each: each.n).name


@cache
def multiplying(
    element: str, compute: str, capabilities: frozenset[str] | None = None
) -> tuple[Instruction, ...]:
    """Return the instructions of a chip with these capabilities, or of any chip, for factors of
    which ``element`` is the name of the type, as units have it, and sums of ``compute``.
    """
    fitting = (row for row in rows() if row.multiplies(element, compute))
    return tuple(
        row
        for row in fitting
        if capabilities is None or row.capability is None or row.capability in capabilities
    )


def multiplies_bytes(chip: object) -> bool:
    """Return whether a chip has an instruction that multiplies tiles of 8-bit integers."""
    if not isinstance(chip, GpuArch):
        return False
    found = multiplying("i8", "i32", chip.capabilities)
    return any(row.scope is not Scope.THREAD for row in found)


def refresh() -> None:
    """Find the instructions anew: a folder was added to the package's path, or taken away."""
    for found in (rows, named, multiplying):
        found.cache_clear()
