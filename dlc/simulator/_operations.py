"""The operations that can be simulated: the table ``COMPILERS`` of each file of this package."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from xdsl.ir import Operation

import dlc.simulator
from dlc.simulator._machine import Compiler


@cache
def compilers() -> Mapping[type[Operation], Compiler]:
    """Return what makes the step of each operation."""
    package = dlc.simulator
    names = [f"{package.__name__}.{module.name}" for module in iter_modules(package.__path__)]
    tables = [getattr(import_module(name), "COMPILERS", {}) for name in names]
    return {op: compiler for table in tables for op, compiler in table.items()}
