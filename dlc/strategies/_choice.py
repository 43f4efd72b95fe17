"""Which strategies lower a cluster, and what a schedule that is given means."""

from collections.abc import Iterator, Mapping, Sequence

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.epilogue import NotFusibleError
from dlc.arch import Arch
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.loop.attributes import ScheduleAttr
from dlc.errors import CompileError
from dlc.ir.record import Value, text_of
from dlc.strategies import _limits
from dlc.strategies._implementation import AnyImplementation
from dlc.strategies._rated import Rated
from dlc.strategies._registry import by_name, in_order, names
from dlc.strategies._schedule import Schedule, target_of
from dlc.strategies._strategy import FOREIGN, Strategy


def accepting(cluster: Cluster, target: str) -> list[Strategy]:
    """Return the strategies for a kind of chip that lower ``cluster``, at least one, that of the
    highest precedence first; one whose kernels have stages only where no other does. Raises
    NotFusibleError with the reason where there is none.
    """
    if obstacle := next(_limits.obstacles(cluster), None):
        raise NotFusibleError(obstacle)
    asked = [strategy for strategy in in_order() if target in strategy.implementations]
    try:
        return _accepting(cluster, [each for each in asked if not each.has_stages])
    except NotFusibleError:
        if found := [each for each in asked if each.has_stages and each.accepts(cluster) is None]:
            return found
        raise


def _accepting(cluster: Cluster, asked: Sequence[Strategy]) -> list[Strategy]:
    reasons = [(strategy, strategy.accepts(cluster)) for strategy in asked]
    if found := [strategy for strategy, reason in reasons if reason is None]:
        return found
    own = (reason for _, reason in reasons if reason and reason != FOREIGN)
    raise NotFusibleError(next(own, FOREIGN))


def beyond_limits(cluster: Cluster) -> str | None:
    """Return why no kernel can hold a large cluster; ``None`` for one that must be looked at."""
    return next(_limits.obstacles(cluster), None) if _limits.is_wide(cluster) else None


def able(cluster: Cluster, arch: Arch) -> list[AnyImplementation]:
    """Return how the strategies that lower ``cluster`` in kernels without stages do it on a chip,
    at least one.

    Raises NotFusibleError with the reason where there is none.
    """
    if obstacle := next(_limits.obstacles(cluster), None):
        raise NotFusibleError(obstacle)
    target = target_of(arch)
    known = [each for each in in_order() if target in each.implementations]
    fitting = _accepting(cluster, [each for each in known if not each.has_stages])
    found = [each.implementations[target] for each in fitting]
    refusals = [own.obstacle(cluster) for own in found]
    if None in refusals:
        return [own for own, refusal in zip(found, refusals, strict=True) if refusal is None]
    raise NotFusibleError(next(filter(None, refusals)))


def in_stages(cluster: Cluster, arch: Arch) -> Iterator[Strategy]:
    """Yield the strategies that lower ``cluster`` on a chip in kernels that have stages."""
    if next(_limits.obstacles(cluster), None) is None:
        for strategy in in_order():
            known = strategy.has_stages and target_of(arch) in strategy.implementations
            if known and strategy.accepts(cluster) is None:
                yield strategy


def spans(flow: Dataflow) -> Iterator[tuple[ComputedOp, ComputedOp]]:
    """Yield pairs of ops that a strategy may lower on some chip with all that lies between, though
    no two neighbours of these share a kernel.
    """
    for strategy in in_order():
        yield from strategy.spans(flow)


def rated(cluster: Cluster, given: ScheduleAttr, arch: Arch) -> Rated:
    """Return what the models say about a schedule that is given (a person may have edited it).

    Raises NotFusibleError where no strategy lowers the cluster, CompileError where that of the
    schedule does not, it is for another kind of chip, a key is missing or wrong, or the chip cannot
    hold a block.
    """
    schedule = read(given)
    fitting = [strategy.name for strategy in accepting(cluster, schedule.target)]
    if schedule.strategy not in fitting:
        text = " or ".join(map(repr, fitting))
        raise CompileError(
            f"strategy {schedule.strategy!r} does not lower this group; it needs {text}"
        )
    if schedule.target != target_of(arch):
        raise CompileError(f"the schedule is for a {schedule.target.upper()}, not for {arch.name}")
    own = implementation(schedule)
    if refusal := own.obstacle(cluster):
        raise NotFusibleError(refusal)
    work = own.work_of(cluster)
    if own.check is not None:
        own.check(work, schedule)
    found = own.rate(work, schedule, arch)
    if beyond := found.bound.violation:
        raise CompileError(f"{beyond}; {schedule.remedies[beyond.resource]}")
    return found


def check(cluster: Cluster, schedule: Schedule) -> None:
    """Raise CompileError where the strategy of a schedule does not lower a cluster, or its work
    cannot have the schedule.
    """
    strategy, own = by_name(schedule.strategy), implementation(schedule)
    obstacle = None if strategy.is_general else strategy.accepts(cluster)
    if obstacle is not None:
        raise CompileError(f"strategy {strategy.name!r} does not lower this group: {obstacle}")
    if own.check is not None:
        own.check(own.work_of(cluster), schedule)


def implementation(schedule: Schedule) -> AnyImplementation:
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
