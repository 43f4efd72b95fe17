"""Asks all strategies for a cluster, once for all clusters of one structure."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import inf

from dlc import strategies
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.epilogue import NotFusibleError
from dlc.analysis.traffic import traffic_bytes, work
from dlc.arch import Arch
from dlc.core.measurements import NOTHING, Measurements
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.loop import ScheduleAttr
from dlc.model.violation import Violation
from dlc.plan.calls import check_call, known_names, with_calls
from dlc.plan.plan import NoPlan, Plan
from dlc.plan.ranking import best_of, ranked
from dlc.plan.structure import Structure, structure
from dlc.strategies import AnyImplementation, Rated

_MOST_PLANS = 20_000


class Planner:
    """Makes plans for one chip.

    What the model says of a structure is found once in a process; what was measured is looked up
    once by each planner. libraries: the names of those that may compute a group. Without
    ``NOTHING`` as measurements (others may know as little) all algorithms of a library are
    candidates: only measuring tells them apart. Raises CompileError for a library that does not
    exist, or is for another kind of chip.
    """

    def __init__(
        self, chip: Arch, measurements: Measurements = NOTHING, libraries: Sequence[str] = ()
    ):
        self.chip = chip
        self._measurements = measurements
        self._libraries = known_names(libraries, chip)
        self._all_algorithms = measurements is not NOTHING
        known = strategies.names(), self._libraries, self._all_algorithms
        self._estimated = _estimated(chip, *known)
        self._plans: dict[tuple[str, Structure], Plan | NoPlan] = {}
        self._asked: dict[tuple[Dataflow, tuple[int, ...]], Plan | NoPlan] = {}

    def plan(self, cluster: Cluster) -> Plan | NoPlan:
        """Return the plan of a cluster, or why there is none. A kernel has stages only where no
        other one can be made.
        """
        whole = self.whole(cluster)
        return whole if isinstance(whole, Plan) else self._of_stages(cluster) or whole

    def worthwhile(self, cluster: Cluster) -> Plan | NoPlan:
        """Return the plan of a cluster; of a kernel of stages only where it takes less than its
        stages as kernels.
        """
        whole = self.whole(cluster)
        return whole if isinstance(whole, Plan) else self._gaining(cluster) or whole

    def lost_in_stages_s(self, cluster: Cluster) -> float | None:
        """Return at least how many seconds longer a kernel of stages takes than these as kernels,
        negative where it gains; ``None`` where a cluster has no stages that all have kernels.
        """
        for gaining_s, other_s, apart_s in self._in_stages(cluster):
            if gaining_s < apart_s:
                found = self._of_stages(cluster, gaining=True)  # those that may gain may not fit
                gaining_s = inf if found is None else found.estimate_s
            return min(gaining_s, other_s) - apart_s
        return None

    def whole(self, cluster: Cluster) -> Plan | NoPlan:
        """Return the plan of a cluster in a kernel without stages, or why there is none."""
        key = cluster.flow, cluster.places
        found = self._asked.get(key)
        if found is None:
            found = self._asked[key] = self._planned(
                cluster, "whole", lambda own: self._make_whole(cluster, own)
            )
        return found

    def seconds(self, cluster: Cluster) -> float:
        """Return what the best kernel of a cluster takes; infinite where nothing makes one."""
        plan = self.worthwhile(cluster)
        return plan.s if isinstance(plan, Plan) else inf

    def _make_whole(self, cluster: Cluster, own: Structure) -> Plan | NoPlan:
        return _whole(cluster, own, self.chip, self._libraries, self._all_algorithms)

    def _of_stages(self, cluster: Cluster, gaining: bool = False) -> Plan | None:
        """Return the plan of a cluster in a kernel of stages, if one can be made. gaining: only of
        schedules that may take less than the stages as kernels.
        """
        chip, kind = self.chip, "gaining" if gaining else "stages"
        found = self._planned(cluster, kind, lambda own: _of_stages(cluster, own, chip, gaining))
        return found if isinstance(found, Plan) else None

    def _planned(
        self, cluster: Cluster, kind: str, make: Callable[[Structure], Plan | NoPlan]
    ) -> Plan | NoPlan:
        """Return what ``make`` says of the structure of a cluster, which is asked once."""
        if reason := strategies.beyond_limits(cluster):  # its structure is as large
            return NoPlan(reason)
        own = structure(cluster)
        key = kind, own
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._informed(self._estimate(key, lambda: make(own)))
        return found

    def rated(self, cluster: Cluster, given: ScheduleAttr) -> Rated:
        """Return what the models say about a schedule that is given (a person may have edited it).

        Raises NotFusibleError where nothing makes a kernel of the cluster, CompileError for a
        schedule that is wrong or does not fit.
        """
        plan = self.plan(cluster)
        if isinstance(plan, Plan):
            for candidate in plan.candidates:
                if candidate.schedule.attribute() == given:
                    return candidate.rated
        return check_call(strategies.rated(cluster, given, self.chip), cluster, self.chip)

    def spans(self, flow: Dataflow) -> Iterator[tuple[ComputedOp, ComputedOp]]:
        """Yield pairs of ops that one kernel may compute with all that lies between, though no two
        neighbours of these share one.
        """
        return strategies.spans(flow)

    def _gaining(self, cluster: Cluster) -> Plan | None:
        """Return the plan of a kernel of stages that takes less than these as kernels. Most take
        more, which is found without their schedules.
        """
        for gaining_s, _, apart_s in self._in_stages(cluster):
            if gaining_s < apart_s:
                found = self._of_stages(cluster, gaining=True)
                return found if found is not None and found.estimate_s < apart_s else None
        return None

    def _in_stages(self, cluster: Cluster) -> Iterator[tuple[float, float, float]]:
        """Yield the least seconds of a kernel of stages that may gain, of one that may not, and
        those of its stages as kernels.
        """
        for strategy in strategies.in_stages(cluster, self.chip):
            assert strategy.stages is not None
            plans = [self.whole(stage) for stage in strategy.stages.of(cluster)]
            alone = [(each.estimate_s, each.bytes) for each in plans if isinstance(each, Plan)]
            if len(alone) == len(plans):
                apart_s = sum(seconds for seconds, _ in alone)
                yield (*strategy.stages.least_s(alone, self.chip), apart_s)

    def _estimate(self, key: object, make: Callable[[], Plan | NoPlan]) -> Plan | NoPlan:
        found = self._estimated.get(key)
        if found is None:
            if len(self._estimated) >= _MOST_PLANS:
                self._estimated.clear()
            found = self._estimated[key] = make()
        return found

    def _informed(self, plan: Plan | NoPlan) -> Plan | NoPlan:
        if isinstance(plan, NoPlan) or self._measurements is NOTHING:
            return plan
        return plan.informed(self._measurements)


@lru_cache(8)
def _estimated(
    chip: Arch, known: tuple[str, ...], libraries: tuple[str, ...], all_algorithms: bool
) -> dict[object, Plan | NoPlan]:
    """Return the plans of this process for a chip, made while strategies ``known`` were there, with
    calls of ``libraries``, perhaps by all algorithms.
    """
    return {}


def forget() -> None:
    """Forget the plans of this process: what they rest on has changed."""
    _estimated.cache_clear()
    ranked.cache_clear()


def _whole(
    cluster: Cluster, own: Structure, chip: Arch, libraries: Sequence[str], all_algorithms: bool
) -> Plan | NoPlan:
    """Return the plan of a kernel without stages, by the model alone."""
    try:
        able = strategies.able(cluster, chip)
    except NotFusibleError as reason:
        return NoPlan(str(reason))
    works = [(each, each.work_of(cluster)) for each in able]
    if found := best_of([ranked(each, work, chip) for each, work in works]):
        found = with_calls(found, cluster, chip, libraries, all_algorithms)
        return Plan(own, found, traffic_bytes(cluster), work(cluster))
    described = " or ".join(each.describe(work) for each, work in works)
    reasons = "".join(f"; a small block {v}" for v in _violations(works, chip))
    return NoPlan(f"no schedule for {described} fits on the chip{reasons}")


def _of_stages(cluster: Cluster, own: Structure, chip: Arch, gaining: bool) -> Plan | NoPlan:
    """Return the plan of a kernel of stages, by the model alone."""
    target = strategies.target_of(chip)
    found = strategies.in_stages(cluster, chip)
    ways = (x.stages.gaining if gaining and x.stages else x.implementations for x in found)
    able = [each[target] for each in ways]
    if found := best_of([ranked(each, each.work_of(cluster), chip) for each in able]):
        return Plan(own, found, traffic_bytes(cluster), work(cluster))
    return NoPlan("no stages fit on the chip")


def _violations(
    works: Sequence[tuple[AnyImplementation, object]], chip: Arch
) -> Iterator[Violation]:
    """Yield what the chip lacks for the schedules of each kind that need least of it."""
    for own, asked in works:
        space = own.space(asked, chip)
        places = range(len(space.schedules))
        if places:
            thrifty = min(places, key=lambda place: space.schedules[place].thrift)
            if violation := space.rate(thrifty).bound.violation:
                yield violation
