"""How far noise moved an array, whatever the size of its values."""

import numpy as np
import pytest

from dlc.verification.magnification import relative_shift


@pytest.mark.parametrize("size", [1.0, 1e-30, 1e30])
def test_shift_is_relative_to_the_size(size: float) -> None:
    exact = np.array([3, -4, 0], np.float32) * np.float32(size)
    moved = np.array([3, -4, 1], np.float32) * np.float32(size)
    assert relative_shift(exact, moved) == pytest.approx(0.2, rel=1e-5)


def test_shift_is_that_of_finite_values() -> None:
    exact = np.array([3, -4, np.inf, np.nan, 7], np.float32)
    moved = np.array([3, -3, np.inf, 0, np.nan], np.float32)
    assert relative_shift(exact, moved) == pytest.approx(0.2)
    assert relative_shift(np.zeros(3, np.float32), np.ones(3, np.float32)) == 0
