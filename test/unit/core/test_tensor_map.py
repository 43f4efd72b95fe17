"""Which elements a copy by a tensor map moves, against loops over them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dlc.core.tensor_map import TensorMap


def taken(x: np.ndarray, map: TensorMap, at: tuple[int, ...], offsets: tuple[int, ...] = ()):
    """Return what a copy by ``map`` brings of the elements of a contiguous array."""
    first = [np.array([n]) for n in at]
    place, inside = map.positions(first, [np.array([n]) for n in offsets], x.itemsize)
    found = np.zeros(map.elements, x.dtype)
    found[inside[0]] = x.reshape(-1)[place[0][inside[0]] // x.itemsize]
    return found.reshape(map.box)


def element(x: np.ndarray, index: tuple[int, ...]) -> float:
    inside = all(0 <= i < n for i, n in zip(index, x.shape, strict=True))
    return x[index] if inside else 0


def contiguous(x: np.ndarray, box: tuple[int, ...], steps: tuple[int, ...]) -> TensorMap:
    return TensorMap(x.shape, x.strides[:-1], box, steps)


@pytest.mark.parametrize("at", [(0, 0, 0), (2, -1, -4), (3, 4, 4), (9, 0, 0), (-2, -3, -8)])
@pytest.mark.parametrize("steps", [(), (1, 2, 1), (3, 1, 1)])
def test_a_tile(at: tuple[int, ...], steps: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((5, 6, 8)).astype(np.float32)
    map = contiguous(x, (2, 3, 4), steps)
    assert not list(map.problems())
    wanted = np.zeros(map.box)
    for place in np.ndindex(map.box):
        wanted[place] = element(
            x, tuple(a + i * s for a, i, s in zip(at, place, map.steps, strict=True))
        )
    np.testing.assert_array_equal(taken(x, map, at), wanted)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("first", [0, 3, 17])
def test_a_column_of_pixels_of_a_convolution(first: int, padding: int, stride: int) -> None:
    """Pixels in the order of the outputs, over rows and images."""
    images, height, width, channels, kernel = 3, 7, 5, 4, 3
    x = np.random.default_rng(1).standard_normal((images, height, width, channels))
    upper = padding - (kernel - 1)
    window = contiguous(x, (11, channels), (1, stride, stride, 1))
    map = replace(window, lower_corner=(-padding, -padding), upper_corner=(upper, upper))
    assert not list(map.problems())
    rows, columns = ((n + 2 * padding - kernel) // stride + 1 for n in (height, width))
    for r, s in product(range(kernel), repeat=2):
        wanted = np.zeros((11, channels))
        for pixel in range(11):
            image, rest = divmod(first + pixel, rows * columns)
            row, column = (n * stride - padding for n in divmod(rest, columns))
            for channel in range(channels):
                wanted[pixel, channel] = element(x, (image, row + r, column + s, channel))
        image, rest = divmod(first, rows * columns)
        row, column = (n * stride - padding for n in divmod(rest, columns))
        np.testing.assert_array_equal(taken(x, map, (image, row, column, 0), (r, s)), wanted)


def test_how_far_a_map_reaches() -> None:
    map = TensorMap((3, 4), (64,), (1, 4))
    assert map.reach(4) == 2 * 64 + 16
    assert list(map.problems_with(4, 144)) == []
    assert list(map.problems_with(4, 143)) == [
        "the tensor map reaches 144 bytes far, the buffer has 143"
    ]
