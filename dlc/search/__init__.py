"""Search strategies: how the choices that a pass leaves open are explored, one file each."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol

from dlc.analysis.dataflow import Dataflow
from dlc.errors import CompileError
from dlc.plan import Planner
from dlc.search._boundaries import Boundaries
from dlc.search._effort import UNLIMITED, Effort
from dlc.search._op_sets import Division
from dlc.search._partition import Partition
from dlc.search._price import cost, kernels
from dlc.search.greedy import stitch

__all__ = [
    "UNLIMITED",
    "Boundaries",
    "Division",
    "Effort",
    "Partition",
    "Search",
    "by_name",
    "cost",
    "kernels",
    "names",
    "stitch",
]


class Search(Protocol):
    """Chooses which ops share a kernel."""

    def __call__(
        self, flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED
    ) -> Partition: ...


def names() -> list[str]:
    """Return the names of all strategies, sorted: the files of this folder."""
    return sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_"))


def by_name(name: str) -> Search:
    """Return the strategy called ``name``; raises CompileError when there is none."""
    if name not in names():
        raise CompileError(f"no search is called {name!r}; known: {', '.join(names())}")
    return import_module(f"{__name__}.{name}").search
