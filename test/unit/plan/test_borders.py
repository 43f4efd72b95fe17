"""Ops at the border of two clusters go where both take less time together."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from programs import dataflow

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.arch.nvidia import H200
from dlc.plan import Candidate, NoPlan, Plan, Planner, structure
from dlc.search import Partition, by_name
from dlc.search._borders import MOST_MOVED, settle_borders
from dlc.strategies import Rated
from dlc.strategies.map.schedule import MapOnGpu

TENSOR = "tensor<4x8xf32>"
CHAIN = "%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8\n%2 = relu %1 : 4x8\n%3 = sqrt %2 : 4x8"
FORK = "%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8\n%2 = relu %1 : 4x8\n%3 = sqrt %1 : 4x8"
WAY_BACK = "%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8\n%2 = add %0 %1 : 4x8\n%3 = relu %2 : 4x8"

Names = tuple[str, ...]
Prices = Mapping[Names, float]


def names(cluster: Cluster) -> Names:
    return tuple(op.name.removeprefix("graph.") for op in cluster.ops)


def _unasked() -> Rated:
    raise AssertionError("nobody asks for more than the time")


def plans(prices: Prices) -> Callable[[Cluster], Plan | NoPlan]:
    """Return what gives clusters a time in microseconds by the names of their ops; the others
    have no kernel.
    """

    def plan_of(cluster: Cluster) -> Plan | NoPlan:
        if names(cluster) not in prices:
            return NoPlan("it has no price")
        schedule = MapOnGpu(32)
        candidate = Candidate(schedule, prices[names(cluster)] * 1e-6, _unasked)
        return Plan(structure(cluster), (candidate,), 0, 0.0)

    return plan_of


def parted(flow: Dataflow, parts: Sequence[Sequence[int]]) -> Partition:
    """Return a partition with the ops of some places together."""
    partition = Partition(flow)
    for first, *others in parts:
        for other in others:
            partition.merge(first, other)
    return partition


def found(partition: Partition) -> list[Names]:
    return [names(partition.clusters[n]) for n in partition.order()]


def settled(
    body: str, parts: Sequence[Sequence[int]], prices: Prices, results: str = f"%3: {TENSOR}"
) -> list[Names]:
    """Return the clusters in running order after ops at borders have moved."""
    partition = settle_borders(parted(dataflow(body, results), parts), plans(prices))
    places = [place for each in partition.clusters.values() for place in each.places]
    assert sorted(places) == [0, 1, 2, 3]
    return found(partition)


def test_the_last_op_of_the_producer_moves() -> None:
    prices: dict[Names, float] = {("exp", "tanh"): 5.0, ("relu", "sqrt"): 5.0, ("exp",): 3.0}
    prices[("tanh", "relu", "sqrt")] = 5.0
    assert settled(CHAIN, [(0, 1), (2, 3)], prices) == [("exp",), ("tanh", "relu", "sqrt")]


def test_the_first_op_of_the_consumer_moves() -> None:
    prices: dict[Names, float] = {
        ("exp", "tanh"): 5.0,
        ("relu", "sqrt"): 5.0,
        ("exp", "tanh", "relu"): 5.0,
    }
    prices[("sqrt",)] = 3.0
    assert settled(CHAIN, [(0, 1), (2, 3)], prices) == [("exp", "tanh", "relu"), ("sqrt",)]


def test_the_best_of_several_moves_is_taken() -> None:
    prices: dict[Names, float] = {("exp",): 3.0, ("tanh", "relu", "sqrt"): 9.0}
    prices |= {("exp", "tanh"): 5.0, ("relu", "sqrt"): 6.0}
    prices |= {("exp", "tanh", "relu"): 5.0, ("sqrt",): 3.0}
    assert settled(CHAIN, [(1, 2, 3)], prices) == [("exp", "tanh", "relu"), ("sqrt",)]


def test_several_ops_move_where_one_has_no_kernel() -> None:
    prices: dict[Names, float] = {("exp",): 3.0, ("tanh", "relu", "sqrt"): 9.0}
    prices |= {("exp", "tanh", "relu"): 5.0, ("sqrt",): 3.0}
    assert settled(CHAIN, [(1, 2, 3)], prices) == [("exp", "tanh", "relu"), ("sqrt",)]


@pytest.mark.parametrize(("after_us", "moves"), [(4.6, False), (4.4, True)])
def test_what_saves_little_stays(after_us: float, moves: bool) -> None:
    prices: dict[Names, float] = {
        ("exp", "tanh"): 5.0,
        ("relu", "sqrt"): 5.0,
        ("exp", "tanh", "relu"): 5.0,
    }
    prices[("sqrt",)] = after_us
    last = settled(CHAIN, [(0, 1), (2, 3)], prices)[-1]
    assert last == (("sqrt",) if moves else ("relu", "sqrt"))


def test_what_another_cluster_reads_does_not_leave_its_own() -> None:
    prices: dict[Names, float] = {
        ("exp", "tanh"): 5.0,
        ("relu",): 5.0,
        ("sqrt",): 5.0,
        ("exp",): 0.0,
    }
    prices |= {("tanh", "relu"): 0.0, ("tanh", "sqrt"): 0.0}
    results = f"%2: {TENSOR}, %3: {TENSOR}"
    assert settled(FORK, [(0, 1)], prices, results) == [("exp", "tanh"), ("relu",), ("sqrt",)]


def test_a_result_of_the_program_does_not_move_on() -> None:
    prices: dict[Names, float] = {("exp", "tanh"): 5.0, ("relu", "sqrt"): 5.0, ("exp",): 0.0}
    prices[("tanh", "relu", "sqrt")] = 0.0
    results = f"%1: {TENSOR}, %3: {TENSOR}"
    assert settled(CHAIN, [(0, 1), (2, 3)], prices, results) == [("exp", "tanh"), ("relu", "sqrt")]


def test_an_op_does_not_go_before_what_it_needs() -> None:
    prices: dict[Names, float] = {
        ("exp",): 5.0,
        ("tanh",): 5.0,
        ("add", "relu"): 5.0,
        ("exp", "add"): 0.0,
    }
    prices[("relu",)] = 0.0
    assert settled(WAY_BACK, [(2, 3)], prices) == [("exp",), ("tanh",), ("add", "relu")]


def test_clusters_are_not_emptied() -> None:
    together = {("exp", "tanh", "relu", "sqrt"): 0.0}
    prices: dict[Names, float] = {("exp", "tanh"): 5.0, ("relu", "sqrt"): 5.0, **together}
    assert settled(CHAIN, [(0, 1), (2, 3)], prices) == [("exp", "tanh"), ("relu", "sqrt")]


def test_at_most_some_ops_move_at_a_time() -> None:
    count = MOST_MOVED + 3
    lines = ["%0 = exp %x : 4x8"]
    lines += [f"%{n} = tanh %{n - 1} : 4x8" for n in range(1, count)]
    flow = dataflow("\n".join(lines), f"%{count - 1}: {TENSOR}")
    asked = list[int]()

    def plan_of(cluster: Cluster) -> NoPlan:
        asked.append(len(cluster.ops))
        return NoPlan("none has one")

    settle_borders(parted(flow, [tuple(range(1, count))]), plan_of)
    assert asked == [1, count - 1, *range(2, 2 + MOST_MOVED)]


def test_what_ops_leave_is_not_asked_for_where_no_kernel_takes_them() -> None:
    prices: dict[Names, float] = {("exp", "tanh"): 5.0, ("relu", "sqrt"): 5.0}
    asked = list[Names]()

    def plan_of(cluster: Cluster) -> Plan | NoPlan:
        asked.append(names(cluster))
        return plans(prices)(cluster)

    settle_borders(parted(dataflow(CHAIN, f"%3: {TENSOR}"), [(0, 1), (2, 3)]), plan_of)
    assert asked[2:] == [("tanh", "relu", "sqrt"), ("exp", "tanh", "relu")]


def gelus(rows: int, channels: int) -> tuple[str, str, str]:
    """Return body, results and arguments of two layers with a GELU between them."""
    x, y = f"tensor<{rows}x{channels}xf16>", f"tensor<{rows}x{4 * channels}xf16>"
    up, down = f"tensor<{4 * channels}x{channels}xf16>", f"tensor<{channels}x{4 * channels}xf16>"
    wide, narrow = f"tensor<{4 * channels}xf16>", f"tensor<{channels}xf16>"
    body = f"""
%w0 = graph.weight @w0 : {up}
%b0 = graph.weight @b0 : {wide}
%w1 = graph.weight @w1 : {down}
%b1 = graph.weight @b1 : {narrow}
%0 = graph.matmul %x, %w0 transpose_rhs : ({x}, {up}) -> {y}
%1 = graph.add %0, %b0 : ({y}, {wide}) -> {y}
%2 = graph.gelu %1 : {y} -> {y}
%3 = graph.matmul %2, %w1 transpose_rhs : ({y}, {down}) -> {x}
%4 = graph.add %3, %b1 : ({x}, {narrow}) -> {x}
%5 = graph.add %4, %r : ({x}, {x}) -> {x}"""
    return body, f"%5: {x}", f"%x: {x}, %r: {x}"


def scores(keys: int) -> tuple[str, str, str]:
    """Return body, results and arguments of a softmax and its product with values."""
    x, one, v = (f"tensor<768x{keys}x{n}xf16>" for n in (keys, 1, 64))
    body = f"""
%0 = graph.reduce_max %x axes [2] keep_dims : {x} -> {one}
%1 = graph.sub %x, %0 : ({x}, {one}) -> {x}
%2 = graph.exp %1 : {x} -> {x}
%3 = graph.reduce_sum %2 axes [2] keep_dims : {x} -> {one}
%4 = graph.div %2, %3 : ({x}, {one}) -> {x}
%5 = graph.matmul %4, %v : ({x}, {v}) -> {v}"""
    return body, f"%5: {v}", f"%x: {x}, %v: {v}"


MLPS = [(200704, 96), (50176, 192), (12544, 384)]
BEHIND = [("matmul", "add", "gelu"), ("matmul", "add", "add")]
WHOLE_SOFTMAX = [("reduce_max", "sub", "exp", "reduce_sum", "div"), ("matmul",)]


@pytest.mark.parametrize(("rows", "channels"), MLPS)
def test_an_activation_between_two_products_goes_behind_the_first(rows: int, channels: int) -> None:
    flow, planner = dataflow(*gelus(rows, channels)), Planner(H200)
    assert found(by_name("greedy")(flow, planner)) == BEHIND
    wrong = parted(flow, [(0, 1), (2, 3, 4, 5)])
    assert found(settle_borders(wrong, planner.plan)) == BEHIND


def test_a_division_stays_with_the_softmax_before_a_product() -> None:
    flow, planner = dataflow(*scores(200)), Planner(H200)
    assert found(by_name("greedy")(flow, planner)) == WHOLE_SOFTMAX
    wrong = parted(flow, [(0, 1, 2, 3), (4, 5)])
    assert found(settle_borders(wrong, planner.plan)) == WHOLE_SOFTMAX
