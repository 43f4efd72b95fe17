"""Tables of a resize whose places follow a line."""

import numpy as np
import pytest
from xdsl.dialects.builtin import f16, f32

from dlc.frontends.onnx.ops.resample_table import Table
from dlc.frontends.onnx.ops.resampling import Kernel, ResizedAxis


def table(length: int, scale: float, mode: str, radius: int) -> Table:
    axis = ResizedAxis(length, int(length * scale), scale)
    return Table(length, *Kernel(radius).table(axis.coordinates(mode, np.float64), length, 1.0))


@pytest.mark.parametrize("radius", [1, 2])
@pytest.mark.parametrize("mode", ["half_pixel", "asymmetric", "align_corners"])
@pytest.mark.parametrize(("length", "scale"), [(56, 2.0), (10, 1.5), (8, 0.5), (100, 2.24)])
def test_a_line_gives_the_places_of_the_table(
    length: int, scale: float, mode: str, radius: int
) -> None:
    found = table(length, scale, mode, radius)
    if found.line is None:
        assert mode == "align_corners" or scale == 2.24
        return
    a, b, c = found.line
    p, taps = np.arange(len(found.places)), np.arange(found.places.shape[1])
    places = np.clip(((a * p + b) // c)[:, np.newaxis] + taps, 0, length - 1)
    np.testing.assert_array_equal(places, found.places)
    rows = found.rows(f32)
    np.testing.assert_array_equal(rows[p % len(rows)], found.weights.astype(np.float32))


def test_weights_that_repeat_are_kept_once() -> None:
    twice = table(56, 2.0, "half_pixel", 1)
    assert twice.line == (2, -2, 4)
    assert twice.rows(f16).tolist() == [[0.25, 0.75], [0.75, 0.25]]


@pytest.mark.parametrize(
    "places", [[[0, 1], [2, 2], [0, 3]], [[0, 0], [0, 0]], [[1, 3], [2, 4], [3, 5]]]
)
def test_places_without_a_line(places: list[list[int]]) -> None:
    found = Table(7, np.array(places), np.full((len(places), 2), 0.5))
    assert found.line is None
    assert len(found.rows(f32)) == len(places)


def test_a_result_without_elements_has_columns_and_no_line() -> None:
    empty = table(1, 0.6, "half_pixel", 1)
    assert empty.places.shape == empty.weights.shape == (0, 2)
    assert empty.line is None
