"""How a strategy works on one kind of chip."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from dlc.analysis.dataflow import Cluster
from dlc.arch import CpuArch, GpuArch
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.lowering.job import Job
from dlc.strategies._rated import Rated, Seconds, Space
from dlc.strategies._schedule import Schedule

Work = TypeVar("Work")
Chip = TypeVar("Chip", CpuArch, GpuArch)
S = TypeVar("S", bound=Schedule)


@dataclass(frozen=True)
class Implementation(Generic[Work, Chip, S]):
    """A strategy on one kind of chip.

    schedule: the type of its schedules. work_of: what a cluster does, whatever its schedule;
    hashable. candidates: the space of schedules. rate: what the models say about one; raises
    CompileError for one that the chip cannot have. describe: names a work in errors.
    lower: writes the kernel. estimate: the seconds of many schedules, infinite for one that does
    not fit; where it is not given, schedules are rated one by one. check: raises CompileError for a
    schedule that the work cannot have on any chip; it is asked before a schedule that is given is
    rated, and before it is lowered. obstacle: why it cannot lower a cluster that the strategy
    lowers on another kind of chip. filled: of kernels whose blocks exchange values through scratch
    buffers: what all of them publish in each (``Job.filled``), for a group and its inputs, as it is
    stored.
    """

    schedule: type[S]
    work_of: Callable[[Cluster], Work]
    candidates: Callable[[Work, Chip], Iterable[S]]
    rate: Callable[[Work, S, Chip], Rated]
    describe: Callable[[Work], str]
    lower: Callable[[Job, S], None]
    estimate: Callable[[Work, Sequence[S], Chip], Seconds] | None = None
    check: Callable[[Work, S], None] | None = None
    obstacle: Callable[[Cluster], str | None] = lambda _: None
    filled: Callable[[GroupOp, Sequence[Array], WeightStore], Sequence[Array]] | None = None

    def space(self, work: Work, chip: Chip) -> Space[S]:
        """Return all schedules for a work, with their estimates."""
        found = self.candidates(work, chip)
        schedules = found if isinstance(found, Sequence) else list(found)
        if self.estimate is not None:
            seconds = self.estimate(work, schedules, chip)
            return Space(schedules, seconds, lambda place: self.rate(work, schedules[place], chip))
        rated = [self.rate(work, schedule, chip) for schedule in schedules]
        seconds = np.array([*map(_seconds, rated)], np.float64)
        return Space(schedules, seconds, rated.__getitem__)


AnyImplementation = Implementation[Any, Any, Any]


@lru_cache(1024)  # asked for a cluster alone, and for one of which it is a stage
def space_of(own: AnyImplementation, work: object, chip: CpuArch | GpuArch) -> Space[Schedule]:
    """Return all schedules that an implementation has for a work, with their estimates."""
    return own.space(work, chip)


def _seconds(rated: Rated) -> float:
    return float("inf") if rated.bound.violation else rated.latency_s()
