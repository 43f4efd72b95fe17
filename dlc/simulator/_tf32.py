"""Rounding to ``tf32`` as PTX does (``cvt.rna.tf32.f32``)."""

import numpy as np

from dlc.simulator._buffer import Array

_IGNORED_BITS = 13
"""The bits of an f32 that a tf32 has not."""


def cut_off(x: Array, bits: int) -> Array:
    """Return floats of 32 bits without the last bits of their mantissa."""
    return (x.view(np.uint32) >> bits << bits).view(np.float32) if bits else x


def round_tf32(x: Array) -> Array:
    """Return floats of 32 bits rounded to nearest, ties away from zero; NaN and infinities stay."""
    held = np.ascontiguousarray(x, np.float32)
    half = np.uint32(1 << (_IGNORED_BITS - 1))
    rounded = cut_off((held.view(np.uint32) + half).view(np.float32), _IGNORED_BITS)
    return np.where(np.isfinite(held), rounded, held)
