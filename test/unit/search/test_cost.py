"""What a division costs."""

from math import inf

import pytest
from programs import dataflow

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.plan import Plan, Planner
from dlc.search import Partition, cost

TENSOR, BOTH = "tensor<4x8xf32>", "tensor<8x8xf32>"
CONCAT = f"""
%0 = exp %x : 4x8
%1 = tanh %y : 4x8
%2 = graph.concat %0, %1 {{axis = 0 : i64}} : ({TENSOR}, {TENSOR}) -> {BOTH}"""


def estimate(planner: Planner, cluster: Cluster) -> float:
    plan = planner.plan(cluster)
    assert isinstance(plan, Plan)
    return plan.estimate_s


def test_the_times_of_kernels_are_added() -> None:
    flow, planner = (
        dataflow("%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8", f"%1: {TENSOR}"),
        Planner(H200),
    )
    alone = [estimate(planner, Cluster(flow, (op,))) for op in flow.ops]
    assert cost(Partition(flow), planner) == pytest.approx(sum(alone))


def test_a_concatenation_that_is_written_in_place_costs_nothing() -> None:
    flow, planner = dataflow(CONCAT, f"%2: {BOTH}"), Planner(H200)
    makers = [estimate(planner, Cluster(flow, (op,))) for op in flow.ops[:2]]
    assert cost(Partition(flow), planner) == pytest.approx(sum(makers))
    whole = Cluster(flow, tuple(flow.ops))
    assert cost(Partition(flow, [whole]), planner) == pytest.approx(estimate(planner, whole))


def test_what_has_no_kernel_takes_forever() -> None:
    x = "tensor<512x512xf16>"
    body = "\n".join(f"%{n} = graph.matmul %x, %x : ({x}, {x}) -> {x}" for n in range(2))
    flow = dataflow(body, f"%0: {x}, %1: {x}", f"%x: {x}")
    assert cost(Partition(flow, [Cluster(flow, tuple(flow.ops))]), Planner(H200)) == inf
