"""The order of schedules, ties included."""

from dataclasses import dataclass

import numpy as np
import pytest

from dlc.model.upper_bound import UpperBound
from dlc.plan.ranking import in_order
from dlc.strategies import Rated, Schedule, Space


@dataclass(frozen=True)
class _Fake(Schedule, strategy="fake", target="cpu"):
    shared: int = 0

    @property
    def thrift(self) -> tuple[int, ...]:
        return (self.shared,)


def order(
    seconds: list[float],
    shared: list[int] | None = None,
    bounds: list[float] | None = None,
    most: int = 10,
) -> list[int]:
    schedules = [_Fake(n) for n in shared or [0] * len(seconds)]

    def rate(place: int) -> Rated:
        bound_s = bounds[place] if bounds else 1.0
        return Rated(schedules[place], UpperBound(bound_s, 1, 1, 1), lambda: seconds[place])

    return in_order(Space(schedules, np.array(seconds), rate), most)


def test_the_fastest_goes_first() -> None:
    assert order([3.0, 1.0, 2.0]) == [1, 2, 0]


def test_what_does_not_fit_is_left_out() -> None:
    assert order([3.0, float("inf"), 2.0]) == [2, 0]
    assert order([float("inf")]) == []
    assert order([]) == []


@pytest.mark.parametrize("most", [1, 2, 3])
def test_so_many_are_kept(most: int) -> None:
    assert order([4.0, 3.0, 2.0, 1.0], most=most) == [3, 2, 1][:most]


def test_in_a_tie_thrift_decides_then_the_bound_then_the_order_of_the_space() -> None:
    assert order([1.0, 1.004, 1.002], [2, 1, 3]) == [1, 0, 2]
    assert order([1.0, 1.004, 1.002], [1, 1, 1], [3.0, 2.0, 1.0]) == [2, 1, 0]
    assert order([1.0, 1.004, 1.002]) == [0, 1, 2]
    assert order([1.0, 1.004, 1.002], [1, 1, 0], [3.0, 2.0, 9.0]) == [2, 1, 0]


def test_half_a_percent_is_a_tie_and_more_is_none() -> None:
    assert order([1.0, 1.0049], [1, 0]) == [1, 0]
    assert order([1.0, 1.0051], [1, 0]) == [0, 1]


def test_a_tie_begins_where_the_one_before_ends() -> None:
    # 1.004 is tied with the least, 1.008 with 1.006 only, which is not tied with the least.
    assert order([1.008, 1.006, 1.004, 1.0], [0, 1, 0, 1]) == [2, 3, 0, 1]
