"""Lanes for the results of rows."""

from random import Random

import pytest

from dlc.report.charts.lanes import lanes_of
from dlc.report.charts.row import Row


def rows(reads: list[list[int]], critical: tuple[int, ...] = ()) -> list[Row]:
    return [
        Row(n, f"r{n}", "", "map", 1.0, 0.0, 0.0, 0.0, each, each, is_critical=n in critical)
        for n, each in enumerate(reads)
    ]


def test_a_chain_is_one_lane() -> None:
    lanes = lanes_of(rows([[], [0], [1], [2]]))
    assert (lanes.count, lanes.rows) == (1, [0, 0, 0, 0])


def test_a_branch_has_a_lane_of_its_own_until_it_ends() -> None:
    lanes = lanes_of(rows([[], [0], [0], [1, 2], [3], [3], [4, 5]]))
    assert lanes.rows == [0, 0, 1, 0, 0, 1, 0]
    assert lanes.count == 2


def test_what_skips_rows_passes_beside_them() -> None:
    lanes = lanes_of(rows([[], [0], [1], [0, 2]]))
    assert lanes.rows == [0, 0, 0, 0]
    assert lanes.edges[0, 3] == 1


def test_the_critical_path_is_the_nearest_lane() -> None:
    lanes = lanes_of(rows([[], [0], [0], [1, 2]], (0, 2, 3)))
    assert lanes.rows == [0, 1, 0, 0]


@pytest.mark.parametrize("seed", range(30))
def test_no_result_passes_over_a_row_or_another_result(seed: int) -> None:
    random = Random(seed)
    reads = [
        sorted(random.sample(range(max(0, n - 9), n), min(n, random.choice((0, 1, 1, 2, 3)))))
        for n in range(60)
    ]
    lanes = lanes_of(rows(reads))
    taken = {(row, lane): row for row, lane in enumerate(lanes.rows)}
    assert {*lanes.edges} == {(maker, n) for n, each in enumerate(reads) for maker in each}
    for (maker, reader), lane in lanes.edges.items():
        assert lane < lanes.count
        for row in range(maker + 1, reader):
            assert taken.setdefault((row, lane), maker) == maker


def test_no_rows_need_no_lane() -> None:
    assert lanes_of([]).rows == []
