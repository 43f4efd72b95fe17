"""Partitions are values: a search can hold many that came of one."""

from itertools import permutations

from programs import dataflow

from dlc.analysis.dataflow import Cluster
from dlc.search import Partition

TENSOR = "tensor<4x8xf32>"
CHAIN = dataflow(
    "%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8\n%2 = add %1 %0 : 4x8\n%3 = relu %2 : 4x8",
    f"%3: {TENSOR}",
)


def names(partition: Partition) -> list[list[str]]:
    clusters = (partition.clusters[n] for n in partition.order())
    return [[op.name.removeprefix("graph.") for op in cluster.ops] for cluster in clusters]


def test_copies_go_their_own_ways() -> None:
    start = Partition(CHAIN)
    one, other = start.copy(), start.copy()
    one.merge(0, 1)
    other.merge(2, 3)
    other.merge(1, 2)
    assert names(start) == [["exp"], ["tanh"], ["add"], ["relu"]]
    assert names(one) == [["exp", "tanh"], ["add"], ["relu"]]
    assert names(other) == [["exp"], ["tanh", "add", "relu"]]
    assert one.edges() == [(0, 2), (2, 3)]
    assert other.edges() == [(0, 1)]
    one.merge(0, 2)
    assert names(one.copy()) == [["exp", "tanh", "add"], ["relu"]]
    assert start.edges() == [(0, 1), (0, 2), (1, 2), (2, 3)]


def test_a_copy_may_be_taken_apart_again() -> None:
    start = Partition(CHAIN)
    start.merge(2, 3)
    other = start.copy()
    other.detach(CHAIN.ops[3])
    assert names(start) == [["exp"], ["tanh"], ["add", "relu"]]
    assert names(other) == [["exp"], ["tanh"], ["add"], ["relu"]]


def test_the_way_to_a_division_plays_no_part() -> None:
    found = set[object]()
    for order in permutations(((0, 1), (2, 3))):
        partition = Partition(CHAIN)
        for pair in order:
            partition.merge(*pair)
        found.add(partition.division())
    assert len(found) == 1
    assert Partition(CHAIN).division() not in found


def test_what_lies_between_is_in_running_order() -> None:
    partition = Partition(CHAIN)
    assert partition.between(0, 3) == [1, 2]
    assert partition.between(0, 2) == [1]
    assert partition.between(0, 1) == []
    assert partition.closes_cycle(0, 2)
    partition.merge(0, 1)
    assert partition.between(0, 2) == []
    assert not partition.closes_cycle(0, 2)


def test_a_cluster_is_split_into_what_is_needed_and_the_rest() -> None:
    partition = Partition(CHAIN)
    for other in (1, 2, 3):
        partition.merge(0, other)
    exp, tanh, add, relu = CHAIN.ops
    assert partition.split(0, [exp, tanh]) == (0, 2)
    assert names(partition) == [["exp", "tanh"], ["add", "relu"]]
    assert partition.edges() == [(0, 2)]
    assert partition.split(0, [exp]) == (0, 1)
    assert partition.edges() == [(0, 1), (0, 2), (1, 2)]
    assert [partition.home[op] for op in (exp, tanh, add, relu)] == [0, 1, 2, 2]
    partition.merge(1, 2)
    assert names(partition) == [["exp"], ["tanh", "add", "relu"]]


def test_what_is_split_keeps_its_place_among_others() -> None:
    partition = Partition(CHAIN)
    partition.merge(1, 2)
    before, after = partition.split(1, [CHAIN.ops[1]])
    assert (before, after) == (1, 2)
    assert partition.edges() == Partition(CHAIN).edges()
    assert partition.division() == Partition(CHAIN).division()


def test_whether_a_way_leads_on() -> None:
    partition = Partition(CHAIN)
    assert partition.leads_to(0, 1)
    assert partition.leads_to(0, 3)
    assert partition.leads_to(1, 3)
    assert not partition.leads_to(3, 0)
    assert not partition.leads_to(2, 1)


def test_clusters_that_are_given_have_an_order() -> None:
    exp, tanh, add, relu = CHAIN.ops
    parts = [Cluster(CHAIN, (tanh,)), Cluster(CHAIN, (add, relu)), Cluster(CHAIN, (exp,))]
    partition = Partition(CHAIN, parts)
    assert names(partition) == [["exp"], ["tanh"], ["add", "relu"]]
    assert partition.edges() == [(0, 1), (0, 2), (1, 2)]
    assert partition.division() == frozenset(parts)
    partition.merge(1, 2)
    assert names(partition) == [["exp"], ["tanh", "add", "relu"]]


def test_a_cluster_with_an_early_op_runs_after_what_it_needs() -> None:
    flow = dataflow("%0 = exp %x : 4x8\n%1 = tanh %y : 4x8\n%2 = add %0 %1 : 4x8", f"%2: {TENSOR}")
    exp, tanh, add = flow.ops
    partition = Partition(flow, [Cluster(flow, (exp, add)), Cluster(flow, (tanh,))])
    assert names(partition) == [["tanh"], ["exp", "add"]]
    assert partition.edges() == [(1, 0)]
