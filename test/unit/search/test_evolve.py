"""Divisions that evolve, with the model's cost and with a fitness of the test's own."""

from math import inf
from time import monotonic

import pytest
from programs import dataflow
from random_flows import random_flow

from dlc import arch
from dlc.analysis.dataflow import Cluster
from dlc.plan import Planner
from dlc.search import Effort, Partition, cost, dp, evolve, greedy

Places = frozenset[tuple[int, ...]]
FLOWS = range(5, 11)
"""Random graphs of 6 or 7 ops, in which the model merges some."""


def planner() -> Planner:
    return Planner(arch.by_name("sm_90a"))


def places(partition: Partition) -> Places:
    return frozenset(cluster.places for cluster in partition.clusters.values())


class Clock:
    """Says of each division that it takes as long. asked: which ones, in order."""

    def __init__(self) -> None:
        self.asked: list[Places] = []

    def __call__(self, partition: Partition) -> float:
        self.asked.append(places(partition))
        return 1.0


@pytest.mark.parametrize("seed", FLOWS)
def test_what_is_fastest_by_the_clock_wins(seed: int) -> None:
    flow = random_flow(seed)
    assert len(dp.search(flow, planner()).clusters) < len(flow.ops)
    found = evolve.search(flow, planner(), Effort(fitness=lambda each: 1 / len(each.clusters)))
    assert len(found.clusters) == len(flow.ops)


@pytest.mark.parametrize("seed", FLOWS)
def test_each_division_is_asked_for_once(seed: int) -> None:
    clock = Clock()
    evolve.search(random_flow(seed), planner(), Effort(fitness=clock))
    assert len(clock.asked) == len({*clock.asked}) > 1


@pytest.mark.parametrize("seed", FLOWS)
def test_of_equally_fast_ones_that_of_dp_stays(seed: int) -> None:
    flow = random_flow(seed)
    found = evolve.search(flow, planner(), Effort(fitness=Clock()))
    assert places(found) == places(dp.search(flow, planner()))


@pytest.mark.parametrize("seed", FLOWS)
def test_the_seed_says_what_is_drawn(seed: int) -> None:
    def asked(draws: int) -> list[Places]:
        clock = Clock()
        evolve.search(random_flow(seed), planner(), Effort(seed=draws, fitness=clock))
        return clock.asked

    assert asked(0) == asked(0)
    assert asked(0) != asked(1)


@pytest.mark.parametrize("seed", FLOWS)
def test_without_time_only_the_seeds_are_asked_for(seed: int) -> None:
    flow, clock = random_flow(seed), Clock()
    found = evolve.search(flow, planner(), Effort(monotonic() - 1, fitness=clock))
    assert len(clock.asked) <= 2
    assert places(found) == places(dp.search(flow, planner(), Effort(monotonic() - 1)))


def test_what_has_no_kernel_is_not_asked_for() -> None:
    for seed in FLOWS:
        flow, clock = random_flow(seed), Clock()
        evolve.search(flow, planner(), Effort(fitness=clock))
        for division in clock.asked:
            clusters = [Cluster(flow, tuple(flow.ops[n] for n in own)) for own in division]
            assert cost(Partition(flow, clusters), planner()) < inf


def test_what_does_not_run_is_not_taken() -> None:
    flow = random_flow(FLOWS[0])
    best = places(dp.search(flow, planner()))
    found = evolve.search(
        flow, planner(), Effort(fitness=lambda each: inf if places(each) == best else 1.0)
    )
    assert places(found) != best


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
