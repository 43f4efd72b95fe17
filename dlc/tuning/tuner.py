"""Chooses the schedules of a model's groups by measuring the best few of each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main, groups
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.errors import CompileError
from dlc.plan import Candidate, Plan, Planner, structure
from dlc.tuning.budget import Budget
from dlc.tuning.database import Database
from dlc.tuning.measurement import DATE_FORMAT, Measurement, Row, Subject
from dlc.tuning.trial import Discarded, Found, Measurer
from dlc.tuning.tuned import Tuned


def cluster_of(group: GroupOp) -> Cluster:
    """Return the ops of a group as a cluster."""
    flow = Dataflow(group.body.block)
    return Cluster(flow, tuple(flow.ops))


def key_of(group: GroupOp) -> str:
    """Return what is the same for all groups that compute the same (``Structure.key``)."""
    return structure(cluster_of(group)).key


@dataclass
class _Kind:
    """Groups that compute the same. known: what was measured of them, by schedule."""

    plan: Plan
    groups: list[GroupOp]
    known: dict[str, Measurement]

    @property
    def estimate_s(self) -> float:
        """What all of them take by the model."""
        return len(self.groups) * self.plan.best.estimate_s

    def unknown(self) -> list[Candidate]:
        """Return the schedules to measure; none where there is no choice."""
        candidates = self.plan.candidates
        return [x for x in candidates if x.text not in self.known] if len(candidates) > 1 else []

    def seconds(self) -> tuple[float, float] | None:
        """Return what all groups take by the model's choice and by the best measured one; ``None``
        where the model's choice has no time.
        """
        times = [self.known[x.text].median_s for x in self.plan.candidates if x.text in self.known]
        first = self.known.get(self.plan.best.text)
        if first is None or first.fault:
            return None
        return len(self.groups) * first.median_s, len(self.groups) * min(filter(None, times))


@dataclass
class Tuner:
    """Measures what the database does not know, what takes longest first.

    database: ``None`` where nothing is to be remembered. progress: is told how far it is. now: the
    date of measurements.
    """

    measurer: Measurer
    planner: Planner
    database: Database | None
    budget: Budget
    progress: Callable[[str], None] = lambda _: None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    tuned: Tuned = field(default_factory=Tuned)

    def tune(self, module: ModuleOp) -> Tuned:
        """Return what is known of the schedules of a module of groups.

        Ctrl-C ends the measuring, not the compile: what was found counts.
        """
        kinds = sorted(self._kinds(module), key=lambda kind: -kind.estimate_s)
        self.tuned.kinds = len(kinds)
        self.tuned.remembered = sum(len(kind.known) for kind in kinds)
        try:
            self._measure(kinds)
        except KeyboardInterrupt:
            self.tuned.stopped = "interrupted"
        for kind in kinds:
            self.tuned.times[kind.plan.key] = kind.known
            if seconds := kind.seconds():
                self.tuned.timed += 1
                self.tuned.model_s += seconds[0]
                self.tuned.best_s += seconds[1]
        self.tuned.warn_of_noise()
        return self.tuned

    def _kinds(self, module: ModuleOp) -> list[_Kind]:
        found: dict[str, _Kind] = {}
        for group in groups(find_main(module)):
            plan = self.planner.plan(cluster_of(group))
            if isinstance(plan, Plan):  # else the compile ends with the reason
                if plan.key not in found:
                    found[plan.key] = _Kind(plan, [], self._known(plan))
                found[plan.key].groups.append(group)
        return list(found.values())

    def _known(self, plan: Plan) -> dict[str, Measurement]:
        if self.database is None:
            return {}
        places = {self.measurer.place_of(each.schedule) for each in plan.candidates}
        try:
            found = [self.database.known(place, plan.key) for place in sorted(places)]
            return {text: time for known in found for text, time in known.items()}
        except CompileError as error:
            self._do_without(error)
            return {}

    def _do_without(self, error: CompileError) -> None:
        self.tuned.faults.append(f"{error}; what is measured now is not kept")
        self.database = None

    def _measure(self, kinds: Sequence[_Kind]) -> None:
        open_ones = [kind for kind in kinds if kind.unknown()]
        started: list[Iterator[tuple[Candidate, Found]]] = []
        for number, kind in enumerate(open_ones):
            ahead = open_ones[len(started) : number + 1 + self.measurer.ahead]
            started += map(self._start, ahead)
            for candidate, found in started[number]:
                self._note(kind, candidate, found)
            self.progress(self._state(number + 1, open_ones))
            if self.budget.is_spent and kind.unknown():
                self.tuned.stopped = "out of time"
                return

    def _start(self, kind: _Kind) -> Iterator[tuple[Candidate, Found]]:
        unknown = kind.unknown()
        schedules = [candidate.schedule for candidate in unknown]
        found = self.measurer.start(kind.groups[0], schedules, self.budget)
        return zip(unknown, found, strict=False)

    def _note(self, kind: _Kind, candidate: Candidate, found: Found) -> None:
        """Keep what was found, at once: what comes next may not end well."""
        if isinstance(found, Discarded):
            what = operation_text(kind.groups[0])
            self.tuned.discard(what, candidate.text, found)
            if found.is_wrong or found.is_passing:
                return  # it is said again the next time
            times = (0, 0.0, 0.0, found.reason)
        else:
            self.tuned.measured += 1
            times = (found.count, found.median_s, found.spread_s, "")
        date = self.now().strftime(DATE_FORMAT)
        measurement = Measurement(date, *times, _title(kind.groups[0]))
        kind.known[candidate.text] = measurement
        if self.database:
            place = self.measurer.place_of(candidate.schedule)
            subject = Subject(place, kind.plan.key, candidate.text)
            try:
                self.database.merge([Row(subject, measurement)])
            except CompileError as error:
                self._do_without(error)

    def _state(self, done: int, kinds: Sequence[_Kind]) -> str:
        times = list(filter(None, (kind.seconds() for kind in kinds)))
        model_s, best_s = (sum(each[n] for each in times) for n in (0, 1))
        return (
            f"tuning: {done} of {len(kinds)} kinds of groups, "
            f"{1e3 * model_s:.3g} ms -> {1e3 * best_s:.3g} ms"
        )


def _title(group: GroupOp) -> str:
    """Return what a group does, for people: its ops and its tensors."""
    inner = [op for op in group.body.block.ops if op.results and op.operands]
    names = [op.name.removeprefix("graph.") for op in inner]
    types = [str(value.type).removeprefix("tensor") for value in (*group.inputs, *group.outputs)]
    return f"{' + '.join(names)} {' '.join(types)}"[:300]
