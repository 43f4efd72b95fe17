"""Weights of rows that start anywhere in a line."""

import numpy as np
import pytest

from dlc.strategies.row.schedule import lines
from dlc.strategies.row.shifted import Shifted


@pytest.mark.parametrize(("length", "vector"), [(197, 8), (50, 4), (12, 8), (64, 8), (3, 2)])
def test_a_copy_lies_in_its_lines_as_each_row_does(length: int, vector: int) -> None:
    width = lines(length, vector) * vector
    form = Shifted.of(length, vector, width)
    weight = 1 + np.arange(length, dtype=np.float32)
    copies = form(weight)
    assert copies.shape == (form.copies, width)
    for row in range(2 * vector):
        before = row * length % vector
        copy = copies[before // form.step]
        np.testing.assert_array_equal(copy[before : before + length], weight)
        assert not copy[:before].any()
        assert not copy[before + length :].any()
