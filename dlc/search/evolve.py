"""Collage's second level: divisions evolve, and those that cost less stay."""

from bisect import insort
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import fsum, isfinite
from random import Random
from time import monotonic

from dlc.analysis.dataflow import Dataflow
from dlc.plan import Planner
from dlc.search import dp
from dlc.search._effort import UNLIMITED, Effort
from dlc.search._op_sets import Division
from dlc.search._partition import Partition
from dlc.search._steps import Steps
from dlc.search.dp import Cheapest

POPULATION = 16
"""So many divisions are kept at a time."""

RIVALS = 3
"""A parent is the best of so many that are drawn."""

CROSSED = 0.25
"""The part of children that have two parents."""

CHILDREN = 2_000
"""So many children are drawn; fewer after the deadline."""


Fitness = Callable[[Division], float]
"""Returns the seconds that a division takes, infinite where a set has no kernel."""


def search(flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
    """Return the cheapest division that evolves from those of ``dp`` and ``greedy``; never one that
    costs more than that of ``dp``.
    """
    seeds = dp.cheapest(flow, planner, effort)
    return evolved(seeds, lambda division: fsum(map(seeds.kernels.seconds, division)), effort)


def evolved(seeds: Cheapest, fitness: Fitness, effort: Effort) -> Partition:
    """Return the division that takes least time by a fitness, of those that evolve from ``seeds``.

    A child has parts of two divisions, or is one with two sets merged, a set split, an op moved
    over a border, or a set taken that ``dp`` knows. A division is asked for once. Of equally fit
    ones the first stays, at first that of ``dp``. After the deadline no more children are drawn.
    """
    sets, random = seeds.kernels.sets, Random(effort.seed)
    population = _Population(map(sets.division, (seeds.best, seeds.start)), fitness)
    steps = Steps(sets, sorted(seeds.known), random)
    for _ in range(CHILDREN):
        if monotonic() >= effort.deadline:
            break
        child = _child(population, steps, random)
        if child is not None:
            population.add(child)
    best = population.best
    return seeds.best if best == sets.division(seeds.best) else sets.partition(best)


class _Population:
    """The fittest divisions, the best one first; of equally fit ones the first that came."""

    def __init__(self, seeds: Iterable[Division], fitness: Fitness):
        self._fitness = lru_cache(None)(fitness)
        self.all: list[Division] = []
        for each in seeds:
            self.add(each)

    @property
    def best(self) -> Division:
        """The fittest one."""
        return self.all[0]

    def add(self, division: Division) -> None:
        """Keep a division if it is new, and fit enough."""
        if division not in self.all and (isfinite(self._fitness(division)) or not self.all):
            insort(self.all, division, key=self._fitness)
            del self.all[POPULATION:]

    def drawn(self, random: Random) -> Division:
        """Return the best of some that are drawn."""
        return self.all[min(random.randrange(len(self.all)) for _ in range(RIVALS))]


def _child(population: _Population, steps: Steps, random: Random) -> Division | None:
    parent = population.drawn(random)
    if random.random() < CROSSED:
        return steps.crossed(parent, population.drawn(random))
    return steps.mutated(parent)
