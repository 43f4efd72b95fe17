"""Collage's second level: divisions evolve, and those that take less time stay."""

from bisect import insort
from collections.abc import Iterable
from math import fsum, isfinite
from random import Random
from time import monotonic

from dlc.analysis.dataflow import Dataflow
from dlc.plan import Planner
from dlc.search import dp
from dlc.search._effort import UNLIMITED, Effort, Fitness
from dlc.search._growth import Kernels
from dlc.search._op_sets import Division, OpSets
from dlc.search._partition import Partition
from dlc.search._steps import Steps

POPULATION = 16
"""So many divisions are kept at a time."""

RIVALS = 3
"""A parent is the best of so many that are drawn."""

CROSSED = 0.25
"""The part of children that have two parents."""

CHILDREN = 2_000
"""So many children are drawn; fewer after the deadline."""


def search(flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
    """Return the fittest division that evolves from those of ``dp`` and ``greedy``; never one that
    is less fit than that of ``dp``.

    A child has parts of two divisions, or is one with two sets merged, a set split, an op moved
    over a border, or a set taken that ``dp`` knows. What takes little time is fit: by the fitness
    of ``effort`` where it has one, else by the model. Of equally fit ones the first stays. After
    the deadline no more children are drawn.
    """
    seeds = dp.cheapest(flow, planner, effort)
    sets, random = seeds.kernels.sets, Random(effort.seed)
    fitness = Memo(seeds.kernels, effort.fitness)
    population = _Population([seeds.best, seeds.start], sets, fitness)
    steps = Steps(sets, sorted(seeds.known), random)
    for _ in range(CHILDREN):
        if monotonic() >= effort.deadline:
            break
        child = _child(population, steps, random)
        if child is not None:
            population.add(child)
    best = population.best
    return seeds.best if best == sets.division(seeds.best) else sets.partition(best)


class Memo:
    """The fitness of divisions, asked once; infinite, and not asked, where a set has no kernel."""

    def __init__(self, kernels: Kernels, fitness: Fitness | None):
        self._kernels, self._fitness = kernels, fitness
        self._found: dict[Division, float] = {}

    def __call__(self, division: Division) -> float:
        """Return seconds."""
        found = self._found.get(division)
        if found is None:
            found = self._found[division] = self._asked(division)
        return found

    def _asked(self, division: Division) -> float:
        modelled_s = fsum(map(self._kernels.seconds, division))
        if self._fitness is None or not isfinite(modelled_s):
            return modelled_s
        return self._fitness(self._kernels.sets.partition(division))


class _Population:
    """The fittest divisions, the best one first; of equally fit ones the first that came."""

    def __init__(self, seeds: Iterable[Partition], sets: OpSets, fitness: Memo):
        self._fitness = fitness
        self.all: list[Division] = []
        for each in seeds:
            self.add(sets.division(each))

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
