"""The cheapest choice against all choices."""

from itertools import combinations, product

import numpy as np
import pytest

from dlc.core.assignment import MOST_NEIGHBOURS, Table, cheapest


def cost(tables: list[Table], chosen: tuple[int, ...]) -> float:
    return sum(float(t.costs[tuple(chosen[v] for v in t.variables)]) for t in tables)


def best(tables: list[Table], sizes: list[int]) -> float:
    return min(cost(tables, chosen) for chosen in product(*map(range, sizes)))


@pytest.mark.parametrize("seed", range(20))
def test_no_choice_costs_less(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [int(n) for n in rng.integers(2, 4, 7)]
    pairs = [pair for pair in combinations(range(7), 2) if rng.random() < 0.5]
    scopes = [*((v,) for v in range(7)), *pairs, (0, 2, 5)]
    tables = [Table(s, rng.random([sizes[v] for v in s])) for s in scopes]
    found = cheapest(tables, 7)
    assert cost(tables, tuple(found)) == pytest.approx(best(tables, sizes))


def test_the_first_of_equal_choices_is_taken() -> None:
    assert cheapest([Table((0, 1), np.zeros((2, 2))), Table((1,), np.zeros(2))], 3) == [0, 0, 0]


def test_a_chain_is_followed_to_its_end() -> None:
    differ = np.array([[0.0, 1.0], [1.0, 0.0]])
    chain = [Table((v, v + 1), differ) for v in range(99)]
    assert cheapest([*chain, Table((99,), np.array([5.0, 0.0]))], 100) == [1] * 100


def test_who_shares_with_too_many_takes_the_first() -> None:
    count = MOST_NEIGHBOURS + 3
    against = [Table(pair, -np.eye(2)[::-1]) for pair in combinations(range(count), 2)]
    found = cheapest(against, count)
    assert set(found[:2]) == {0}
    assert len(found) == count
    assert 1 in found  # those that are left when few are, are chosen by what they cost
