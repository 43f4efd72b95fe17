"""Divisions that evolve, with the model's cost and with a fitness of the test's own."""

from collections.abc import Callable
from math import inf
from time import monotonic

import pytest
from programs import dataflow
from random_flows import random_flow

from dlc import arch
from dlc.plan import Planner
from dlc.search import Effort, Partition, cost, dp, evolve, greedy
from dlc.search._effort import UNLIMITED
from dlc.search._op_sets import Division

FLOWS = range(5, 11)
"""Random graphs of 6 or 7 ops, in which the model merges some."""


def planner() -> Planner:
    return Planner(arch.by_name("sm_90a"))


def evolved(
    seed: int, fitness: Callable[[Division], float], effort: Effort = UNLIMITED
) -> Division:
    """Return what evolves in a random graph."""
    seeds = dp.cheapest(random_flow(seed), planner(), effort)
    return seeds.kernels.sets.division(evolve.evolved(seeds, fitness, effort))


def of_dp(seed: int) -> Division:
    seeds = dp.cheapest(random_flow(seed), planner(), UNLIMITED)
    return seeds.kernels.sets.division(seeds.best)


def places(partition: Partition) -> set[tuple[int, ...]]:
    return {cluster.places for cluster in partition.clusters.values()}


class Clock:
    """Says of each division that it takes as long. asked: which ones, in order."""

    def __init__(self) -> None:
        self.asked: list[Division] = []

    def __call__(self, division: Division) -> float:
        self.asked.append(division)
        return 1.0


@pytest.mark.parametrize("seed", FLOWS)
def test_what_takes_least_by_the_fitness_wins(seed: int) -> None:
    ops = len(random_flow(seed).ops)
    assert len(of_dp(seed)) < ops
    assert len(evolved(seed, lambda division: 1 / len(division))) == ops


@pytest.mark.parametrize("seed", FLOWS)
def test_each_division_is_asked_for_once(seed: int) -> None:
    clock = Clock()
    evolved(seed, clock)
    assert len(clock.asked) == len({*clock.asked}) > 1


@pytest.mark.parametrize("seed", FLOWS)
def test_of_equally_fit_ones_that_of_dp_stays(seed: int) -> None:
    assert evolved(seed, Clock()) == of_dp(seed)


@pytest.mark.parametrize("seed", FLOWS)
def test_the_seed_says_what_is_drawn(seed: int) -> None:
    def asked(draws: int) -> list[Division]:
        clock = Clock()
        evolved(seed, clock, Effort(seed=draws))
        return clock.asked

    assert asked(0) == asked(0)
    assert asked(0) != asked(1)


@pytest.mark.parametrize("seed", FLOWS)
def test_without_time_only_the_seeds_are_asked_for(seed: int) -> None:
    clock = Clock()
    evolved(seed, clock, Effort(monotonic() - 1))
    assert 1 <= len(clock.asked) <= 2


@pytest.mark.parametrize("seed", FLOWS)
def test_what_does_not_run_is_not_taken(seed: int) -> None:
    best = of_dp(seed)
    assert evolved(seed, lambda division: inf if division == best else 1.0) != best


@pytest.mark.parametrize("seed", FLOWS)
def test_without_time_it_is_the_division_of_dp(seed: int) -> None:
    spent = Effort(monotonic() - 1)
    one, other = (each.search(random_flow(seed), planner(), spent) for each in (dp, evolve))
    assert places(one) == places(other)


def test_of_more_ops_it_finds_what_greedy_misses() -> None:
    lines = [
        f"%{n} = {'exp' if n < 6 else 'tanh'} %{f'x{n}' if n < 6 else n - 6} : 4x8"
        for n in range(12)
    ]
    results = ", ".join(f"%{n}: tensor<4x8xf32>" for n in range(6, 12))
    inputs = ", ".join(f"%x{n}: tensor<4x8xf32>" for n in range(6))
    flow = dataflow("\n".join(lines), results, inputs)
    apart, found = (each.search(flow, planner()) for each in (greedy, evolve))
    assert len(apart.clusters) == 6
    assert cost(found, planner()) < 0.5 * cost(apart, planner())
