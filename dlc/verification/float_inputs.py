"""Values for the floats among a model's inputs, ordinary ones and those at which code fails."""

from collections.abc import Callable

import ml_dtypes
import numpy as np

from dlc.dialects.graph.structure import Array

FloatDraw = Callable[[np.random.Generator, tuple[int, ...], np.dtype], Array]
"""Makes floats of a shape for an input of a dtype."""

_SCATTERED = 32
"""One element of about so many is an unusual one."""


def ordinary(generator: np.random.Generator, sizes: tuple[int, ...], _dtype: np.dtype) -> Array:
    """Return normally distributed numbers; a quarter of them is on the grid of ``ties``."""
    drawn = generator.standard_normal(sizes)
    return np.where(generator.random(sizes) < 0.25, _on_grid(drawn), drawn)


def ties(generator: np.random.Generator, sizes: tuple[int, ...], _dtype: np.dtype) -> Array:
    """Return multiples of a quarter: many are equal, some halfway between integers, some -0.0."""
    return _on_grid(2 * generator.standard_normal(sizes))


def large(generator: np.random.Generator, sizes: tuple[int, ...], _dtype: np.dtype) -> Array:
    """Return large numbers; the exponential of some overflows in any type."""
    drawn = 30 * generator.standard_normal(sizes)
    far = generator.random(sizes) < 1 / _SCATTERED
    return np.where(far, np.copysign(300.0, drawn), drawn)


def positive(generator: np.random.Generator, sizes: tuple[int, ...], _dtype: np.dtype) -> Array:
    """Return positive numbers, whose logarithms and powers are numbers."""
    return generator.uniform(0.25, 2, sizes)


def small(generator: np.random.Generator, sizes: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return small positive numbers; some are denormal in the dtype."""
    drawn = 1e-3 * generator.random(sizes)
    denormal = float(ml_dtypes.finfo(dtype).smallest_normal) / 4
    return np.where(generator.random(sizes) < 1 / _SCATTERED, denormal, drawn)


def special(generator: np.random.Generator, sizes: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return ordinary numbers, but one NaN and both infinities where there are elements enough."""
    drawn = ordinary(generator, sizes, dtype)
    specials = (np.nan, np.inf, -np.inf)
    if drawn.size > 2 * len(specials):
        drawn.flat[generator.choice(drawn.size, len(specials), replace=False)] = specials
    return drawn


def _on_grid(drawn: Array) -> Array:
    return np.rint(4 * drawn) / 4
