"""Asks all strategies for a cluster, once for all clusters of one structure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

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
    once by each planner. libraries: the names of those that may compute a group. Raises
    CompileError for one that does not exist, or is for another kind of chip.
    """

    def __init__(
        self, chip: Arch, measurements: Measurements = NOTHING, libraries: Sequence[str] = ()
    ):
        self.chip = chip
        self._measurements = measurements
        self._libraries = known_names(libraries, chip)
        self._estimated = _estimated(chip, strategies.names(), self._libraries)
        self._plans: dict[Structure, Plan | NoPlan] = {}
        self._asked: dict[tuple[Dataflow, tuple[int, ...]], Plan | NoPlan] = {}

    def plan(self, cluster: Cluster) -> Plan | NoPlan:
        """Return the plan of a cluster, or why there is none."""
        key = cluster.flow, cluster.places
        found = self._asked.get(key)
        if found is None:
            found = self._asked[key] = self._by_structure(cluster)
        return found

    def seconds(self, cluster: Cluster) -> float:
        """Return what the best kernel of a cluster takes; infinite where nothing makes one."""
        plan = self.plan(cluster)
        return plan.s if isinstance(plan, Plan) else float("inf")

    def _by_structure(self, cluster: Cluster) -> Plan | NoPlan:
        if reason := strategies.beyond_limits(cluster):  # its structure is as large
            return NoPlan(reason)
        own = structure(cluster)
        found = self._plans.get(own)
        if found is None:
            found = self._plans[own] = self._informed(self._estimate(cluster, own))
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

    def why_stages(self, cluster: Cluster) -> str:
        """Return why a kernel of a cluster has stages."""
        return strategies.why_stages(cluster, strategies.target_of(self.chip))

    def apart_s(self, cluster: Cluster, plan: Plan) -> float:
        """Return what the stages of a cluster take as kernels of their own, by the model."""
        stages = strategies.by_name(plan.best.schedule.strategy).stages
        assert stages is not None
        plans = map(self.plan, stages(cluster))
        return sum(each.estimate_s for each in plans if isinstance(each, Plan))

    def spans(self, flow: Dataflow) -> Iterator[tuple[ComputedOp, ComputedOp]]:
        """Yield pairs of ops that one kernel may compute with all that lies between, though no two
        neighbours of these share one.
        """
        return strategies.spans(flow)

    def _estimate(self, cluster: Cluster, own: Structure) -> Plan | NoPlan:
        found = self._estimated.get(own)
        if found is None:
            if len(self._estimated) >= _MOST_PLANS:
                self._estimated.clear()
            found = self._estimated[own] = _plan(cluster, own, self.chip, self._libraries)
        return found

    def _informed(self, plan: Plan | NoPlan) -> Plan | NoPlan:
        if isinstance(plan, NoPlan) or self._measurements is NOTHING:
            return plan
        return plan.informed(self._measurements)


@lru_cache(8)
def _estimated(
    chip: Arch, known: tuple[str, ...], libraries: tuple[str, ...]
) -> dict[Structure, Plan | NoPlan]:
    """Return the plans of this process for a chip, made while strategies ``known`` were there, with
    calls of ``libraries``.
    """
    return {}


def forget() -> None:
    """Forget the plans of this process: what they rest on has changed."""
    _estimated.cache_clear()
    ranked.cache_clear()


def _plan(cluster: Cluster, own: Structure, chip: Arch, libraries: Sequence[str]) -> Plan | NoPlan:
    """Return the plan by the model alone."""
    try:
        able = strategies.able(cluster, chip)
    except NotFusibleError as reason:
        return NoPlan(str(reason))
    works = [(each, each.work_of(cluster)) for each in able]
    if found := best_of([ranked(each, work, chip) for each, work in works]):
        found = with_calls(found, cluster, chip, libraries)
        return Plan(own, found, traffic_bytes(cluster), work(cluster))
    described = " or ".join(each.describe(work) for each, work in works)
    reasons = "".join(f"; a small block {v}" for v in _violations(works, chip))
    return NoPlan(f"no schedule for {described} fits on the chip{reasons}")


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
