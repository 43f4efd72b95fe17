"""Chooses the schedules of a model's groups by measuring the best few of each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import inf

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main, groups
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.errors import CompileError
from dlc.plan import Candidate, Plan, Planner
from dlc.tuning.budget import Budget
from dlc.tuning.database import Database
from dlc.tuning.kind import Kind, cluster_of
from dlc.tuning.measurement import DATE_FORMAT, Measurement, Row, Subject
from dlc.tuning.trial import Discarded, Found, Measurer
from dlc.tuning.tuned import Tuned


@dataclass
class Tuner:
    """Measures what the database does not know, what takes longest first.

    database: ``None`` where nothing is to be remembered. progress: is told how far it is. now: the
    date of measurements. generated: so many of our own schedules of a kind are measured.
    """

    measurer: Measurer
    planner: Planner
    database: Database | None
    budget: Budget
    progress: Callable[[str], None] = lambda _: None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    generated: int | None = None
    tuned: Tuned = field(default_factory=Tuned)
    _known: dict[str, dict[str, Measurement]] = field(
        default_factory=dict[str, dict[str, Measurement]]
    )
    _failed: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _remembered: dict[str, int] = field(default_factory=dict[str, int])

    def best_s(self, given: Sequence[GroupOp], budget: Budget) -> list[float]:
        """Return the seconds of groups by their best schedules, all of which are measured;
        infinite where the time was over, or none can be taken.

        Ctrl-C ends all measuring.
        """
        kinds = self._kinds(given, is_wanted=True)
        try:
            self._measure(list(kinds.values()), budget)
        except KeyboardInterrupt:
            self._interrupt(budget)
        self.tuned.times |= {key: kind.known for key, kind in kinds.items()}
        own = (self.planner.plan(cluster_of(group)) for group in given)
        return [kinds[plan.key].best_s if isinstance(plan, Plan) else inf for plan in own]

    def _interrupt(self, budget: Budget) -> None:
        self.tuned.stopped = "interrupted"
        for each in (budget, self.budget):
            each.stop()

    def tune(self, module: ModuleOp) -> Tuned:
        """Return what is known of the schedules of a module of groups.

        Ctrl-C ends the measuring, not the compile: what was found counts.
        """
        kinds = [*self._kinds(groups(find_main(module))).values()]
        self.tuned.kinds = len(kinds)
        try:
            if not self._measure(kinds, self.budget) and not self.tuned.stopped:
                self.tuned.stopped = "out of time"
        except KeyboardInterrupt:
            self._interrupt(self.budget)
        self.tuned.remembered = sum(self._remembered[kind.plan.key] for kind in kinds)
        for kind in kinds:
            self.tuned.times[kind.plan.key] = kind.known
            if seconds := kind.seconds():
                self.tuned.timed += 1
                self.tuned.model_s += seconds[0]
                self.tuned.best_s += seconds[1]
        self.tuned.warn_of_noise()
        return self.tuned

    def _kinds(self, given: Sequence[GroupOp], is_wanted: bool = False) -> dict[str, Kind]:
        """Return the kinds of groups by their keys."""
        found: dict[str, Kind] = {}
        for group in given:
            plan = self.planner.plan(cluster_of(group))
            if isinstance(plan, Plan):  # else the compile ends with the reason
                if plan.key not in found:
                    failed = self._failed.setdefault(plan.key, set())
                    known = self._known_of(plan)
                    tried = _with_first(plan, self.generated)
                    found[plan.key] = Kind(tried, [], known, failed, is_wanted)
                found[plan.key].groups.append(group)
        return found

    def _known_of(self, plan: Plan) -> dict[str, Measurement]:
        if plan.key not in self._known:
            self._known[plan.key] = self._look_up(plan)
            self._remembered[plan.key] = len(self._known[plan.key])
        return self._known[plan.key]

    def _look_up(self, plan: Plan) -> dict[str, Measurement]:
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
        self.tuned.remarks.append(f"{error}; what is measured now is not kept")
        self.database = None

    def _measure(self, kinds: Sequence[Kind], budget: Budget) -> bool:
        """Measure what is not known, longest first; return whether there was time for all."""
        open_ones = [kind for kind in kinds if kind.unknown()]
        open_ones.sort(key=lambda kind: -kind.estimate_s)
        started: list[Iterator[tuple[Candidate, Found]]] = []
        for number, kind in enumerate(open_ones):
            ahead = open_ones[len(started) : number + 1 + self.measurer.ahead]
            started += [self._start(each, budget) for each in ahead]
            self._learn(kind)  # what others have measured while it was built
            for candidate, found in started[number] if kind.unknown() else ():
                self._note(kind, candidate, found)
            self.progress(self._state(number + 1, open_ones))
            if budget.is_spent and kind.unknown():
                return False
        return True

    def _start(self, kind: Kind, budget: Budget) -> Iterator[tuple[Candidate, Found]]:
        self._learn(kind)
        unknown = kind.unknown()
        schedules = [candidate.schedule for candidate in unknown]
        found = self.measurer.start(kind.groups[0], schedules, budget)
        return zip(unknown, found, strict=False)

    def _learn(self, kind: Kind) -> None:
        """Look up again what other processes may have measured meanwhile."""
        new = self._look_up(kind.plan)
        self._remembered[kind.plan.key] += len(new.keys() - kind.known.keys())
        kind.known |= new

    def _note(self, kind: Kind, candidate: Candidate, found: Found) -> None:
        """Keep what was found, at once: what comes next may not end well."""
        if isinstance(found, Discarded):
            what = operation_text(kind.groups[0])
            self.tuned.discard(what, candidate.text, found)
            if found.is_wrong or found.is_passing:
                kind.failed.add(candidate.text)
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

    def _state(self, done: int, kinds: Sequence[Kind]) -> str:
        times = list(filter(None, (kind.seconds() for kind in kinds)))
        model_s, best_s = (sum(each[n] for each in times) for n in (0, 1))
        return (
            f"tuning: {done} of {len(kinds)} kinds of groups, "
            f"{1e3 * model_s:.3g} ms -> {1e3 * best_s:.3g} ms"
        )


def _with_first(plan: Plan, generated: int | None) -> Plan:
    """Return a plan with so many of our own schedules, the first ones, and all calls."""
    own = [each for each in plan.candidates if not each.schedule.library][:generated]
    kept = (each for each in plan.candidates if each.schedule.library or each in own)
    return replace(plan, candidates=tuple(kept))


def _title(group: GroupOp) -> str:
    """Return what a group does, for people: its ops and its tensors."""
    inner = [op for op in group.body.block.ops if op.results and op.operands]
    names = [op.name.removeprefix("graph.") for op in inner]
    types = [str(value.type).removeprefix("tensor") for value in (*group.inputs, *group.outputs)]
    return f"{' + '.join(names)} {' '.join(types)}"[:300]
