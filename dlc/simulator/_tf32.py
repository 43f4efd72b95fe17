"""Rounding to ``tf32``: as PTX does (``cvt.rna.tf32.f32``), and as tensor maps do."""

from collections.abc import Callable

import numpy as np

from dlc.simulator._buffer import Array

_IGNORED_BITS = 13
"""The bits of an f32 that a tf32 has not."""
_HALF = np.uint32(1 << (_IGNORED_BITS - 1))


def cut_off(x: Array, bits: int) -> Array:
    """Return floats of 32 bits without the last bits of their mantissa."""
    return (x.view(np.uint32) >> bits << bits).view(np.float32) if bits else x


def round_tf32(x: Array) -> Array:
    """Return floats of 32 bits rounded to nearest, ties away from zero; NaN and infinities stay."""
    return _rounded(x, lambda bits: _HALF)


def round_tf32_to_even(x: Array) -> Array:
    """Return floats of 32 bits rounded to nearest, ties to even, as tensor maps do (measured on an
    H200); NaN and infinities stay.
    """
    return _rounded(x, lambda bits: _HALF - 1 + (bits >> _IGNORED_BITS & 1))


def _rounded(x: Array, added: Callable[[Array], Array | np.uint32]) -> Array:
    """Return floats of which something is added to the bits before the last ones are cut off."""
    held = np.ascontiguousarray(x, np.float32)
    bits = held.view(np.uint32)
    rounded = cut_off((bits + added(bits)).view(np.float32), _IGNORED_BITS)
    return np.where(np.isfinite(held), rounded, held)
