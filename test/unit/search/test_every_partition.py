"""Searches against all partitions of a few ops."""

from functools import cache
from math import exp, log
from statistics import mean

import pytest
from every_partition import least_cost
from random_flows import random_flow

from dlc import arch
from dlc.plan import Planner
from dlc.search import by_name, cost

SEEDS = range(40)
TARGETS = ("sm_90a", "cpu-avx2")

ROUNDING = 1e-12
"""Sums of at most 9 times in another order: 9 roundings of 2**-53."""


@cache
def ratio(search: str, seed: int, target: str) -> float:
    """Return what the division of a search costs, the best one being 1."""
    flow, planner = random_flow(seed), Planner(arch.by_name(target))
    return cost(by_name(search)(flow, planner), planner) / least(seed, target)


@cache
def least(seed: int, target: str) -> float:
    return least_cost(random_flow(seed), Planner(arch.by_name(target)))


def mean_ratio(search: str, target: str) -> float:
    return exp(mean(log(ratio(search, seed, target)) for seed in SEEDS))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("search", ["dp", "evolve"])
def test_the_cheapest_is_found(search: str, seed: int, target: str) -> None:
    assert ratio(search, seed, target) == pytest.approx(1, abs=ROUNDING)


@pytest.mark.parametrize("target", TARGETS)
def test_beam_finds_nearly_the_cheapest(target: str) -> None:
    ratios = [ratio("beam", seed, target) for seed in SEEDS]
    assert min(ratios) >= 1 - ROUNDING
    assert max(ratios) < 1.4
    assert mean_ratio("beam", target) <= 1 / 0.99


@pytest.mark.parametrize("target", TARGETS)
def test_beam_is_never_worse_than_greedy(target: str) -> None:
    for seed in SEEDS:
        assert ratio("beam", seed, target) <= ratio("greedy", seed, target) + ROUNDING


@pytest.mark.parametrize("target", TARGETS)
def test_greedy_finds_none_that_is_cheaper_and_some_that_cost_more(target: str) -> None:
    ratios = [ratio("greedy", seed, target) for seed in SEEDS]
    assert min(ratios) >= 1 - ROUNDING
    assert 1.02 < mean_ratio("greedy", target) < 1.25


def test_the_graphs_differ() -> None:
    flows = [random_flow(seed) for seed in SEEDS]
    names = {op.name for flow in flows for op in flow.ops}
    assert {"graph.matmul", "graph.transpose", "graph.concat", "graph.reduce_sum"} <= names
    assert {len(flow.ops) for flow in flows} == set(range(4, 10))
    assert any(sum(map(flow.escapes, [op.results[0] for op in flow.ops])) > 1 for flow in flows)
