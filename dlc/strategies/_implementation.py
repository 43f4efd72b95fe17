"""How a strategy works on one kind of chip, and finding the best of its schedules."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from dlc.analysis.dataflow import Cluster
from dlc.arch import Arch, CpuArch, GpuArch
from dlc.errors import CompileError
from dlc.lowering.job import Job
from dlc.strategies._rated import Rated, best
from dlc.strategies._schedule import Schedule

Work = TypeVar("Work")
Chip = TypeVar("Chip", CpuArch, GpuArch)
S = TypeVar("S", bound=Schedule)


@dataclass(frozen=True)
class Implementation(Generic[Work, Chip, S]):
    """A strategy on one kind of chip.

    schedule: the type of its schedules. work_of: what a cluster does, whatever its schedule;
    hashable. candidates: the space of schedules. rate: what the models say about one; raises
    CompileError for one that the work or the chip cannot have. describe: names a work in errors.
    lower: writes the kernel. first: the schedule to take of the whole space, ``None`` where none
    fits; where it is not given, schedules are rated one by one.
    """

    schedule: type[S]
    work_of: Callable[[Cluster], Work]
    candidates: Callable[[Work, Chip], Iterable[S]]
    rate: Callable[[Work, S, Chip], Rated]
    describe: Callable[[Work], str]
    lower: Callable[[Job, S], None]
    first: Callable[[Work, Sequence[S], Chip], S | None] | None = None

    def choose(self, cluster: Cluster, arch: Chip) -> Rated:
        """Return the best schedule of a cluster; raises CompileError when none fits."""
        return self.choose_for(self.work_of(cluster), arch)

    def choose_for(self, work: Work, arch: Chip) -> Rated:
        """Return the best schedule of a work; raises CompileError when none fits."""
        return _best(self, work, arch)


@lru_cache(4096)  # the layers of a model do the same
def _best(own: Implementation[Any, Any, Any], work: object, arch: Arch) -> Rated:
    candidates = own.candidates(work, arch)
    if own.first is None:
        rated = (own.rate(work, schedule, arch) for schedule in candidates)
        return best(rated, own.describe(work))
    chosen = own.first(work, list(candidates), arch)
    if chosen is None:
        raise CompileError(f"no schedule for {own.describe(work)} fits on the chip")
    return own.rate(work, chosen, arch)
