"""Stages after a search: what it kept apart stays apart where one kernel could have taken it."""

import pytest
from programs import dataflow
from random_flows import random_flow

from dlc import arch
from dlc.plan import NoPlan, Plan, Planner
from dlc.search import Partition, stitch

PLANNER = Planner(arch.by_name("sm_90a"))


@pytest.mark.parametrize("seed", range(12))
def test_only_stages_are_merged(seed: int) -> None:
    found = stitch(Partition(random_flow(seed)), PLANNER)
    merged = [each for each in found.clusters.values() if len(each.ops) > 1]
    assert all(isinstance(PLANNER.whole(each), NoPlan) for each in merged)


def test_ops_that_gain_as_one_kernel_are_not_joined_again() -> None:
    flow = dataflow("%a = exp %x : 4x8\n%b = tanh %a : 4x8", "%b: tensor<4x8xf32>")
    apart = Partition(flow)
    joined = apart.clusters[0].merged(apart.clusters[1])
    one = PLANNER.plan(joined)
    assert isinstance(one, Plan)
    assert one.s < sum(map(PLANNER.seconds, apart.clusters.values()))
    assert len(stitch(apart, PLANNER).clusters) == 2
