"""What several strategies may do is offered by each, and the rating takes one."""

import pytest
from programs import cluster

from dlc import strategies
from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.analysis.traffic import repetition
from dlc.arch import Arch
from dlc.arch.cpus import AVX2
from dlc.arch.nvidia import H200
from dlc.plan import Plan, Planner


def product(m: int, n: int, k: int, batch: int = 1) -> Cluster:
    lhs, rhs, result = (f"tensor<{batch}x{a}x{b}xf16>" for a, b in ((m, k), (k, n), (m, n)))
    text = f"%0 = graph.matmul %x, %y : ({lhs}, {rhs}) -> {result}"
    return cluster(text, f"%0: {result}", f"%x: {lhs}, %y: {rhs}")


def rows(length: int, centred: bool) -> Cluster:
    """Return the sums of rows, or what is left of the rows without their mean."""
    full, row = f"tensor<64x{length}xf32>", "tensor<64x1xf32>"
    text = f"%0 = graph.reduce_mean %x axes [1] keep_dims : {full} -> {row}"
    if not centred:
        return cluster(text, f"%0: {row}", f"%x: {full}")
    text += f"\n%1 = graph.sub %x, %0 : ({full}, {row}) -> {full}"
    return cluster(text, f"%1: {full}", f"%x: {full}")


def who(asked: Cluster) -> set[str]:
    return {strategy.name for strategy in strategies.accepting(asked, "gpu")}


@pytest.mark.parametrize(("m", "n"), [(1, 512), (3, 512), (512, 1), (512, 3)])
@pytest.mark.parametrize("k", [1, 7, 64, 65, 128])
def test_a_narrow_product_of_few_terms_is_offered_by_both(m: int, n: int, k: int) -> None:
    assert who(product(m, n, k)) == {"contract", "map"}


@pytest.mark.parametrize(("m", "n", "k"), [(4, 512, 64), (512, 4, 64), (1, 512, 129)])
def test_other_products_are_tiles(m: int, n: int, k: int) -> None:
    assert who(product(m, n, k)) == {"contract"}
    assert who(product(m, n, k, batch=8)) == {"contract"}  # no windows that neighbours share


@pytest.mark.parametrize("length", [2, 3, 31, 32, 768])
def test_rows_of_any_length_are_offered_by_both(length: int) -> None:
    assert who(rows(length, centred=False)) == {"map", "row"}


@pytest.mark.parametrize("length", [2, 3, 768])
def test_what_needs_whole_rows_is_not_offered_where_too_much_is_computed_again(length: int) -> None:
    asked = rows(length, centred=True)
    assert repetition(asked.alone) == pytest.approx((length + 1) / 2, rel=0.5)
    assert who(asked) == ({"map", "row"} if length < 8 else {"row"})


def test_rows_of_one_element_are_not_shared() -> None:
    assert who(rows(1, centred=False)) == {"map"}


@pytest.mark.parametrize("chip", [H200, AVX2], ids=lambda chip: chip.name)
def test_the_plan_takes_the_least_of_all_that_is_offered(chip: Arch) -> None:
    for asked in (product(1, 4096, 64), product(4096, 1, 8), rows(10, centred=False)):
        plan = Planner(chip).plan(asked)
        assert isinstance(plan, Plan)
        least = min(
            float(own.space(own.work_of(asked), chip).seconds.min())
            for own in strategies.able(asked, chip)
        )
        assert plan.s <= 1.005 * least


def test_a_role_depends_on_who_asks() -> None:
    for asked, shared in ((product(1, 8, 8), Role.ANCHOR), (rows(8, centred=False), Role.ROW)):
        assert set(asked.roles.values()) == {shared}
        assert set(asked.alone.roles.values()) == {Role.WINDOW}
        assert asked.alone.alone == asked.alone
        assert asked != asked.alone


def test_a_cluster_without_reductions_looks_the_same_to_all() -> None:
    tensor = "tensor<4x8xf32>"
    asked = cluster("%0 = exp %x : 4x8", f"%0: {tensor}", f"%x: {tensor}")
    assert asked.alone is asked
