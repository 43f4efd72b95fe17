"""Which strategies lower a cluster, and by which schedule the chip does it best."""

from collections.abc import Mapping
from typing import Any

from dlc.analysis.dataflow import Cluster
from dlc.analysis.epilogue import NotFusibleError
from dlc.arch import Arch
from dlc.dialects.loop.attributes import ScheduleAttr
from dlc.errors import CompileError
from dlc.ir.record import Value, text_of
from dlc.model.upper_bound import UpperBound
from dlc.strategies import _limits
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies._registry import by_name, in_order, names
from dlc.strategies._schedule import Schedule, target_of
from dlc.strategies._strategy import FOREIGN, Strategy


def accepting(cluster: Cluster) -> list[Strategy]:
    """Return the strategies that lower ``cluster``, at least one, that of the highest precedence
    first; raises NotFusibleError with the reason where there is none.
    """
    if obstacle := next(_limits.obstacles(cluster), None):
        raise NotFusibleError(obstacle)
    reasons = [(strategy, strategy.accepts(cluster)) for strategy in in_order()]
    if found := [strategy for strategy, reason in reasons if reason is None]:
        return found
    own = (reason for _, reason in reasons if reason and reason != FOREIGN)
    raise NotFusibleError(next(own, FOREIGN))


def choose(cluster: Cluster, arch: Arch) -> Rated:
    """Return the schedule with the least estimated time, and its bound.

    Raises NotFusibleError when no strategy lowers the cluster, CompileError when no schedule of the
    space fits on the chip.
    """
    target = target_of(arch)
    able = [s.implementations[target] for s in accepting(cluster) if target in s.implementations]
    if not able:
        raise CompileError(f"no strategy computes these ops on a {target.upper()}")
    return min((each.choose(cluster, arch) for each in able), key=lambda r: r.latency_s())


def bound(cluster: Cluster, given: ScheduleAttr, arch: Arch) -> UpperBound:
    """Return the bound of a schedule that is given (a person may have edited it).

    Raises CompileError when its strategy does not lower the cluster, it is for another kind of
    chip, a key is missing or wrong, or the chip cannot hold a block.
    """
    schedule, fitting = read(given), [s.name for s in accepting(cluster)]
    if schedule.strategy not in fitting:
        text = " or ".join(map(repr, fitting))
        raise CompileError(
            f"strategy {schedule.strategy!r} does not lower this group; it needs {text}"
        )
    if schedule.target != target_of(arch):
        raise CompileError(f"the schedule is for a {schedule.target.upper()}, not for {arch.name}")
    own = implementation(schedule)
    found = own.rate(own.work_of(cluster), schedule, arch).bound
    if found.violation:
        raise CompileError(found.violation)
    return found


def implementation(schedule: Schedule) -> Implementation[Any, Any, Any]:
    """Return what a schedule is one of."""
    return by_name(schedule.strategy).implementations[schedule.target]


def read(given: ScheduleAttr) -> Schedule:
    """Return the schedule that the IR has; raises CompileError for a wrong one."""
    return read_record(dict(given.data))


def read_record(record: Mapping[str, Value]) -> Schedule:
    """Return the schedule that a text has.

    Raises CompileError when the strategy or its target does not exist, or a key is missing, unknown
    or wrong.
    """
    if "strategy" not in record:
        raise CompileError(f"schedule key strategy is missing; there are: {', '.join(names())}")
    strategy, target = by_name(record["strategy"]), record.get("target")
    if target not in strategy.implementations:
        known = " or ".join(map(text_of, strategy.implementations))
        given = "is missing; it is" if target is None else f"is {text_of(target)}, should be"
        raise CompileError(f"schedule key target {given} {known}")
    return strategy.implementations[str(target)].schedule.read(record)
