"""Into how many SIMD lanes an axis is cut."""

from math import prod

import pytest

from dlc.lowering.lanes import MOST_UNEVEN_LANES, lane_sizes


@pytest.mark.parametrize(
    ("size", "period", "sizes"),
    [
        (144, 1, [144]),  # a short axis stays whole
        (960, 1, [240]),  # a multiple of 16 before a larger divisor
        (1000, 1, [250]),
        (1009, 1, [1009]),  # a prime
        (8209, 1, [1]),  # a prime too large for the first cache
        (128, 4, [16, 4]),  # channels of a group, several groups unrolled
        (128, 2, [128]),  # runs too short for a register
        (1024, 64, [4, 64]),
        (2048, 512, [256]),
    ],
)
def test_lane_sizes(size: int, period: int, sizes: list[int]) -> None:
    assert lane_sizes(size, period) == sizes


@pytest.mark.parametrize("size", [*range(1, 600, 7), 4097, 5000, 50257])
@pytest.mark.parametrize("period", [1, 3, 4, 8, 512])
def test_lanes_divide_the_axis_and_fit_the_cache(size: int, period: int) -> None:
    lanes = prod(lane_sizes(size, period))
    assert size % lanes == 0
    assert lanes <= MOST_UNEVEN_LANES
