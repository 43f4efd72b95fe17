"""Steps from divisions to others near by."""

from random import Random

import pytest
from random_flows import random_flow

from dlc.search._op_sets import Division, OpSets
from dlc.search._steps import Steps

DRAWS = 200


def steps(sets: OpSets, seed: int = 0, known: tuple[int, ...] = ()) -> Steps:
    return Steps(sets, known, Random(seed))


def alone(sets: OpSets) -> Division:
    return frozenset(1 << place for place in range(len(sets.order)))


def children(sets: OpSets, seed: int) -> list[Division]:
    """Return divisions, each drawn from the one before."""
    own, found = steps(sets, seed, (sets.convex(sets.all),)), [alone(sets)]
    for _ in range(DRAWS):
        child = own.mutated(found[-1])
        if child is not None:
            found.append(child)
    return found


@pytest.mark.parametrize("seed", range(10))
def test_children_have_each_op_once_and_can_run(seed: int) -> None:
    sets = OpSets(random_flow(seed))
    found = children(sets, seed)
    assert len({*found}) > len(sets.order)
    for division in found:
        assert sum(division) == sets.all
        assert sum(ops.bit_count() for ops in division) == len(sets.order)
        assert len(sets.partition(division).order()) == len(division)  # else some wait forever
        assert all(sets.convex(ops) == ops for ops in division)


@pytest.mark.parametrize("seed", range(10))
def test_a_child_of_two_has_a_part_of_each(seed: int) -> None:
    sets = OpSets(random_flow(seed))
    own, found = steps(sets, seed), children(sets, seed)
    crossed = [(a, b, own.crossed(a, b)) for a in found[:20] for b in found[:20]]
    some = [(a, b, child) for a, b, child in crossed if child is not None]
    assert any(child not in (a, b) for a, b, child in some)
    for a, b, child in some:
        assert sum(child) == sets.all
        assert child <= a | b
        assert own.can_run(child)
        (first,) = [ops for ops in child if ops & 1]
        assert first in a


def test_where_no_set_ends_nothing_is_crossed() -> None:
    sets = OpSets(random_flow(0))
    whole = frozenset([sets.all])
    assert steps(sets).crossed(whole, alone(sets)) is None


def test_sets_that_wait_for_each_other_cannot_run() -> None:
    flow = random_flow(0)
    sets = OpSets(flow)
    chain = next(
        (a, b, c)
        for a in range(len(sets.order))
        for b in range(a + 1, len(sets.order))
        for c in range(b + 1, len(sets.order))
        if sets.producers[b] >> a & 1 and sets.producers[c] >> b & 1
    )
    around = 1 << chain[0] | 1 << chain[2]
    others = frozenset(1 << n for n in range(len(sets.order)) if not around >> n & 1)
    assert not steps(sets).can_run(others | {around})
    assert steps(sets).can_run(alone(sets))
