"""The type ``tf32``: an f32 with 10 bits of mantissa (PTX ISA, "Alternate floating point data
formats"), and how PTX (``cvt.rna.tf32.f32``) and tensor maps round to it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

IGNORED_BITS = 13
"""The last bits of an f32, which a tf32 has not."""
_HALF = np.uint32(1 << (IGNORED_BITS - 1))


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
    return _rounded(x, lambda bits: _HALF - 1 + (bits >> IGNORED_BITS & 1))


def _rounded(x: Array, added: Callable[[Array], Array | np.uint32]) -> Array:
    """Return floats of which something is added to the bits before the last ones are cut off."""
    held = np.ascontiguousarray(x, np.float32)
    bits = held.view(np.uint32)
    rounded = cut_off((bits + added(bits)).view(np.float32), IGNORED_BITS)
    return np.where(np.isfinite(held), rounded, held)
