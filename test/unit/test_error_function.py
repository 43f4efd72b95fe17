"""The oracle's own error function against the C library's, which is slower."""

from math import erf

import numpy as np

from dlc.dialects.graph.math import error_function


def test_agrees_with_the_c_library() -> None:
    x = np.concatenate([np.linspace(-7, 7, 40001), [1e-300, -1e-9, 1e9]])
    expected = np.array([erf(value) for value in x])
    # The remainder of the polynomial and the roundings of its last steps.
    bound = 4e-16 + 4 * np.finfo(np.float64).eps * np.abs(expected)
    assert (np.abs(error_function(x) - expected) <= bound).all()
    small = np.array([1e-300, 3e-12])
    assert np.allclose(error_function(small), 2 / np.sqrt(np.pi) * small, rtol=1e-15, atol=0)


def test_special_values_keep_dtype_and_shape() -> None:
    x = np.array([[0.0, -0.0], [np.inf, -np.inf]], np.float32)
    found = error_function(x)
    assert found.dtype == np.float32
    assert found.tolist() == [[0, 0], [1, -1]]
    assert np.signbit(found[0]).tolist() == [False, True]
    assert np.isnan(error_function(np.array(np.nan)))
