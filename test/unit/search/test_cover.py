"""Divisions into clusters by a table of values."""

from collections.abc import Mapping

from programs import dataflow

from dlc.search._cover import covers
from dlc.search._op_sets import OpSets, members

TENSOR = "tensor<4x8xf32>"
CHAIN = "%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8\n%2 = relu %1 : 4x8"
CROSS = "%0 = exp %x : 4x8\n%1 = tanh %y : 4x8\n%2 = add %0 %1 : 4x8\n%3 = mul %0 %1 : 4x8"

Places = tuple[int, ...]


def sets_of(body: str, *results: str) -> OpSets:
    return OpSets(dataflow(body, ", ".join(f"{value}: {TENSOR}" for value in results)))


def found(
    sets: OpSets, values: Mapping[Places, float], width: int = 9, alike: int = 1
) -> list[tuple[float, list[Places]]]:
    """Return the values and clusters of ways, by the places of ops in the program."""
    program = list(sets.flow.ops)
    table = {sets.of(program[n] for n in places): value for places, value in values.items()}
    return [
        (
            way.value,
            [
                tuple(map(program.index, (sets.order[n] for n in members(c))))
                for c in way.clusters()
            ][::-1],
        )
        for way in covers(sets, table, width, alike)
    ]


def test_the_least_sum_is_found() -> None:
    sets = sets_of(CHAIN, "%2")
    values = {(0,): 3.0, (1,): 3.0, (2,): 3.0, (0, 1): 4.0, (1, 2): 3.5}
    assert found(sets, values) == [(6.5, [(0,), (1, 2)])]


def test_what_no_cluster_has_cannot_be_covered() -> None:
    assert found(sets_of(CHAIN, "%2"), {(0,): 1.0, (1,): 1.0}) == []


def test_a_cluster_waits_for_another_one_that_begins_later() -> None:
    sets = sets_of(CROSS, "%2", "%3")
    values = {(0, 2): 1.0, (1,): 1.0, (3,): 1.0, (0,): 1.5, (2,): 1.5}
    assert found(sets, values) == [(3.0, [(1,), (0, 2), (3,)])]


def test_clusters_that_wait_for_each_other_are_no_division() -> None:
    sets = sets_of(CROSS, "%2", "%3")
    values = {(0, 2): 1.0, (1, 3): 1.0}
    assert found(sets, values) == []
    alone = {(n,): 9.0 for n in range(4)}
    assert found(sets, {**values, **alone})[0][0] == 19.0


def test_of_equal_states_the_cheapest_stays() -> None:
    sets = sets_of(CHAIN, "%2")
    values = {(0,): 3.0, (1,): 3.0, (0, 1): 7.0, (2,): 1.0}
    assert found(sets, values) == [(7.0, [(0,), (1,), (2,)])]
    assert [value for value, _ in found(sets, values, alike=2)] == [7.0, 8.0]


def test_a_narrow_search_may_miss_the_best() -> None:
    body = "\n".join(f"%{n} = exp %x : 4x8" for n in range(4))
    sets = sets_of(body, "%0", "%1", "%2", "%3")
    values = {(0, 2): 1.0, (1, 3): 5.0, (0, 3): 1.5, (1, 2): 1.0}
    assert found(sets, values)[0] == (2.5, [(0, 3), (1, 2)])
    assert found(sets, values, width=1)[0] == (6.0, [(0, 2), (1, 3)])
