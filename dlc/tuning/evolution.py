"""``evolve`` by measured times."""

from collections.abc import Callable, Sequence
from math import fsum, isfinite

from xdsl.dialects.func import FuncOp

from dlc.analysis.dataflow import Dataflow
from dlc.analysis.outline import outline
from dlc.dialects.fused_group import GroupOp
from dlc.plan import Planner
from dlc.search import UNLIMITED, Division, Effort, Partition, dp, evolve
from dlc.search.dp import Cheapest

MOST_COMPARED = 256
"""So many divisions of a block are compared by their times."""

PLAUSIBLE = 1.25
"""What is different in a division may take so many times as long by the model as what ``dp`` has in
its place. The model is seldom off by more, and most changes that are drawn make things far worse.
"""

Measure = Callable[[Sequence[GroupOp]], Sequence[float]]
"""Returns the seconds of groups by their best schedules; infinite where they are not known."""


class MeasuredEvolution:
    """A search: divisions evolve as in ``evolve``, and those whose kernels took less time stay.

    The fitness of a division is the sum of the times of its kernels, each by its best schedule. An
    artifact of a division would be timed as it runs, with what one kernel leaves in the caches of
    the next. But to build and time one takes seconds to minutes, and tells hundreds of divisions
    apart that differ in two kernels by less than a run of a whole model varies. Of kernels each
    kind is measured once, and remembered; a child has few that no division before it had. The same
    times choose schedules afterwards, so what evolves is what ``--tune`` then finds fastest.

    A division is compared with times only: where one of its kernels has none, since the time is
    over or it does not run, it is left out. So what comes is never measured slower than the
    division of ``dp``, and follows from what is known: the same database gives the same again.
    Blocks of loops are divided by the model.

    compared: the divisions that have times. before_s, after_s: what ``dp``'s take, and those
    chosen.
    """

    def __init__(self, measure: Measure):
        self._measure = measure
        self.compared = 0
        self.before_s = self.after_s = 0.0

    def __call__(self, flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
        """Return the division that was measured fastest, or that of ``dp``."""
        if not _is_in_main(flow):
            return evolve.search(flow, planner, effort)
        seeds = dp.cheapest(flow, planner, effort)
        fitness = _Fitness(seeds, self._measure)
        before_s = fitness(fitness.first)
        if not isfinite(before_s):
            return seeds.best
        found = evolve.evolved(seeds, fitness, effort)
        self.compared += fitness.compared
        self.before_s += before_s
        self.after_s += fitness(seeds.kernels.sets.division(found))
        return found

    def text(self) -> str:
        """Return a line for the user; nothing where no division has times."""
        if not self.compared:
            return ""
        times = f"{1e3 * self.before_s:.3g} ms -> {1e3 * self.after_s:.3g} ms"
        return f"{self.compared} divisions compared by measured times: {times}"


class _Fitness:
    """The fitness of divisions of a flow. first: that of ``dp``. compared: so many have times."""

    def __init__(self, seeds: Cheapest, measure: Measure):
        self._kernels = seeds.kernels
        self._measure = measure
        self._found: dict[Division, float] = {}
        self._seconds: dict[int, float] = {}
        self._asked = 0
        self.first = seeds.kernels.sets.division(seeds.best)

    @property
    def compared(self) -> int:
        """How many divisions have times."""
        return sum(map(isfinite, self._found.values()))

    def __call__(self, division: Division) -> float:
        if division not in self._found:
            self._found[division] = self._take(division)
        return self._found[division]

    def _take(self, division: Division) -> float:
        if self._asked == MOST_COMPARED or not self._is_plausible(division):
            return float("inf")
        self._asked += 1
        new = sorted(ops for ops in division if ops not in self._seconds)
        self._seconds |= zip(new, self._times(new), strict=True)
        return fsum(self._seconds[ops] for ops in division)

    def _is_plausible(self, division: Division) -> bool:
        """Whether a division may be fast, by the model."""
        own, others = (
            fsum(map(self._kernels.seconds, sorted(each)))
            for each in (division - self.first, self.first - division)
        )
        return isfinite(own) and own <= PLAUSIBLE * others

    def _times(self, sets: Sequence[int]) -> list[float]:
        """Return the seconds of sets; those that need no kernel take none."""
        kernels = [self._kernels.kernel(ops) for ops in sets]
        groups = [outline(each, "g") for each in kernels if each is not None]
        try:
            taken = iter(self._measure(groups))
            return [0.0 if each is None else next(taken) for each in kernels]
        finally:
            for group in groups:  # which the values that it reads would know
                group.erase()


def _is_in_main(flow: Dataflow) -> bool:
    return not flow.ops or isinstance(flow.ops[0].parent_op(), FuncOp)
