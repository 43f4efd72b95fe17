"""What kernels take, by who computes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from dlc.analysis.dataflow import Cluster
from dlc.analyze.kernels import Kernels
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.plan import Candidate, Plan, Planner
from dlc.plan.whole_loop import plan_whole


@dataclass(frozen=True)
class Ways:
    """Seconds of kernels, one after the other.

    ours: all by our kernels. best, advised: by the fastest call of a library, or the fastest one
    that a library chooses itself, where some library computes a kernel, else by ours; a call that
    was not measured takes no longer than ours, since prices of calls are careful. by_library:
    the same of one library, its fastest calls. algorithms: measured ones of the calls of a library,
    if it computes the only kernel: what it chooses itself first. callers: the libraries of
    ``best``; none where all is by our kernels. estimate: what the model says of the kernels of
    ``ours``. has_other_layout: whether calls have their images in another layout than our kernels.
    is_apart: whether calls compute products alone, and others what comes with them. is_measured,
    is_best_measured: whether nothing of ``ours``, and of ``best``, is an estimate.
    """

    ours: float = 0.0
    best: float = 0.0
    advised: float = 0.0
    by_library: Mapping[str, float] = field(default_factory=dict[str, float])
    algorithms: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    callers: tuple[str, ...] = ()
    estimate: float = 0.0
    has_other_layout: bool = False
    is_apart: bool = False
    is_measured: bool = True
    is_best_measured: bool = True

    def or_calls_of(self, other: "Ways", **said: bool) -> "Ways":
        """Return these with the calls of others where they are faster. said: of such calls."""
        if not other.callers:
            return self
        names = sorted({*self.by_library, *other.by_library})
        least = {
            "advised": min(self.advised, other.advised),
            "by_library": {
                n: min(x.by_library[n] for x in (self, other) if n in x.by_library) for n in names
            },
        }
        if other.best >= self.best:
            return replace(self, **least)
        kept = {"ours": self.ours, "estimate": self.estimate, "is_measured": self.is_measured}
        algorithms = other.algorithms or self.algorithms
        return replace(other, algorithms=algorithms, **kept, **least, **said)


def ways_of(kernels: Kernels, planner: Planner) -> Ways:
    """Return what kernels take by what the planner knows, measured times before estimates."""
    parts = [_of_cluster(each, planner) for each in kernels.each]
    return total([*parts, *(_of_loop(loop, step, planner) for loop, step in kernels.loops)])


def total(parts: Sequence[Ways]) -> Ways:
    """Return what parts take one after the other."""
    names = sorted({name for part in parts for name in part.by_library})
    alone = [part.algorithms for part in parts if len(parts) == 1]
    return Ways(
        ours=fsum(part.ours for part in parts),
        best=fsum(part.best for part in parts),
        advised=fsum(part.advised for part in parts),
        estimate=fsum(part.estimate for part in parts),
        by_library={
            name: fsum(part.by_library.get(name, part.ours) for part in parts) for name in names
        },
        algorithms=alone[0] if alone else {},
        callers=tuple(sorted({name for part in parts for name in part.callers})),
        has_other_layout=any(part.has_other_layout for part in parts),
        is_apart=any(part.is_apart for part in parts),
        is_measured=all(part.is_measured for part in parts),
        is_best_measured=all(part.is_best_measured for part in parts),
    )


def _of_loop(loop: StepLoopOp, step: Kernels, planner: Planner) -> Ways:
    """Return what all steps take, in one kernel or in those of each step."""
    steps, whole = ways_of(step, planner), plan_whole(loop, planner)
    seconds, estimate = loop.runs * steps.ours, loop.runs * steps.estimate
    if isinstance(whole, Plan) and whole.s < seconds:
        seconds, estimate = whole.s, whole.best.estimate_s
    return Ways(
        seconds,
        seconds,
        seconds,
        estimate=estimate,
        is_measured=False,
        is_best_measured=False,
    )


def _of_cluster(cluster: Cluster, planner: Planner) -> Ways:
    plan = planner.whole(cluster)
    assert isinstance(plan, Plan), "a search makes kernels only"
    ours = _known(each for each in plan.candidates if not each.schedule.library)
    calls = {name: _known(_calls(plan, name)) for name in _libraries(plan)}
    times = {name: [_alone_s(x) for x in each] for name, each in calls.items()}
    own = min(ours, key=_alone_s)
    seconds = _alone_s(own)
    usable = [n for n, each in calls.items() if _are_measured(each) or min(times[n]) < seconds]
    best, caller = min(((min(times[name]), name) for name in usable), default=(seconds, ""))
    return Ways(
        ours=seconds,
        best=best,
        advised=min((_advised_s(calls[name]) for name in usable), default=seconds),
        estimate=own.estimate_s,
        by_library={name: min(each) for name, each in times.items()},
        algorithms={
            name: times[name]
            for name, each in calls.items()
            if _are_measured(each) and _are_all(each)
        },
        callers=(caller,) if caller else (),
        is_measured=_are_measured(ours),
        is_best_measured=_are_measured(calls[caller] if caller else ours),
    )


def _libraries(plan: Plan) -> Sequence[str]:
    return sorted({x.schedule.library for x in plan.candidates if x.schedule.library})


def _calls(plan: Plan, library: str) -> Sequence[Candidate]:
    own = (each for each in plan.candidates if each.schedule.library == library)
    return sorted(own, key=lambda each: each.schedule.algorithm)


def _known(given: Iterable[Candidate]) -> Sequence[Candidate]:
    """Return the measured ones; where none is, the first one."""
    candidates = [*given]
    return [x for x in candidates if x.measured_s is not None] or candidates[:1]


def _are_all(calls: Sequence[Candidate]) -> bool:
    """Whether the time of each algorithm up to the last one is known."""
    return [each.schedule.algorithm for each in calls] == [*range(len(calls))]


def _advised_s(calls: Sequence[Candidate]) -> float:
    """Return what the algorithm takes that a library chooses itself, the fastest where that has no
    time.
    """
    first, *_ = calls
    return _alone_s(first) if not first.schedule.algorithm else min(map(_alone_s, calls))


def _are_measured(candidates: Sequence[Candidate]) -> bool:
    return candidates[0].measured_s is not None


def _alone_s(candidate: Candidate) -> float:
    """Return the seconds without what a call takes more between kernels of ours."""
    return candidate.s - candidate.late_s
