"""What the strategies of all chips share: finding the best of their schedules."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from dlc.analysis.dataflow import Cluster
from dlc.analysis.schedule._candidate import Rated, Record, best
from dlc.analysis.schedule._key import Key, check_keys
from dlc.arch import Arch, CpuArch, GpuArch
from dlc.errors import CompileError

Work = TypeVar("Work")
Chip = TypeVar("Chip", CpuArch, GpuArch)


@dataclass(frozen=True)
class Strategy(Generic[Work, Chip]):
    """One strategy on one kind of chip.

    work_of: what a cluster of the strategy does, whatever its schedule; hashable. candidates: the
    space of its schedules. rate_work: what the models say about one; raises CompileError for keys
    that are wrong. describe: names a work in errors. keys: all that its schedules have. first: the
    schedule to take of the whole space, ``None`` where none fits; where it is not given, schedules
    are rated one by one.
    """

    work_of: Callable[[Cluster], Work]
    candidates: Callable[[Work, Chip], Iterable[Record]]
    rate_work: Callable[[Work, Record, Chip], Rated]
    describe: Callable[[Work], str]
    keys: Sequence[Key[Any]]
    first: Callable[[Work, Sequence[Record], Chip], Record | None] | None = None

    def choose(self, cluster: Cluster, arch: Chip) -> Rated:
        """Return the best schedule of a cluster; raises CompileError when none fits."""
        return self.choose_for(self.work_of(cluster), arch)

    def choose_for(self, work: Work, arch: Chip) -> Rated:
        """Return the best schedule of a work; raises CompileError when none fits."""
        return _best(self, work, arch)

    def rate(self, cluster: Cluster, schedule: Record, arch: Chip) -> Rated:
        """Return what the models say about a schedule that is given, perhaps by a person.

        Raises CompileError for a key that is missing, unknown or wrong.
        """
        check_keys(schedule, self.keys)
        return self.rate_work(self.work_of(cluster), schedule, arch)


@lru_cache(4096)  # the layers of a model do the same
def _best(strategy: Strategy[Any, Any], work: object, arch: Arch) -> Rated:
    candidates = strategy.candidates(work, arch)
    if strategy.first is None:
        rated = (strategy.rate_work(work, schedule, arch) for schedule in candidates)
        return best(rated, strategy.describe(work))
    chosen = strategy.first(work, list(candidates), arch)
    if chosen is None:
        raise CompileError(f"no schedule for {strategy.describe(work)} fits on the chip")
    return strategy.rate_work(work, chosen, arch)
