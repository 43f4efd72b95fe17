"""How far one array is from another, element by element."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.errors import InputError

Array = NDArray[Any]


@dataclass(frozen=True)
class Tolerance:
    """An element may be off by ``absolute + relative * |wanted|``."""

    relative: float = 0.0
    absolute: float = 0.0

    def __str__(self) -> str:
        return f"rtol {self.relative:g}, atol {self.absolute:g}"


@dataclass(frozen=True)
class Comparison:
    """absolute, relative: the largest errors of an element, infinite where only one of both is
    finite; the relative one is infinite where only zero was wanted. mismatches: how many of
    ``elements`` are beyond what is ``allowed``; first: where the first one is, with what is there
    and what was wanted.
    """

    absolute: float
    relative: float
    mismatches: int
    elements: int
    allowed: Tolerance
    first: tuple[tuple[int, ...], str, str] | None = None

    def __str__(self) -> str:
        text = f"max abs error {self.absolute:.3g}, max rel error {self.relative:.3g}"
        text += f", {self.mismatches} of {self.elements} elements beyond {self.allowed}"
        if self.first:
            place, got, wanted = self.first
            text += f", first at {list(place)}: {got} instead of {wanted}"
        return text


def compare(got: Array, wanted: Array, tolerance: Tolerance) -> Comparison:
    """Compare two arrays of one shape; equal infinities and NaN in the same places are equal."""
    x, y = got.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(all="ignore"):
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        off = np.where(same, 0.0, np.abs(x - y))
        off = np.where(np.isnan(off), np.inf, off)
        share = np.where(same, 0.0, off / np.abs(y))
        share = np.where(np.isnan(share), np.inf, share)
        allowed = tolerance.absolute + tolerance.relative * np.abs(y)
    beyond = ~same & ~(np.isfinite(off) & (off <= allowed))
    first = None
    if beyond.any():
        place = tuple(int(i) for i in np.argwhere(beyond)[0])
        first = (place, str(got[place]), str(wanted[place]))
    largest = float(off.max(initial=0.0)), float(share.max(initial=0.0))
    return Comparison(*largest, int(beyond.sum()), int(beyond.size), tolerance, first)


def check_comparable(got: Mapping[str, Array], wanted: Mapping[str, Array]) -> None:
    """Raise InputError unless ``wanted`` has outputs of the model, in their types and shapes; for
    floats also in float64.
    """
    if not wanted:
        raise InputError("there is no output to compare with")
    for name, array in wanted.items():
        if name not in got:
            raise InputError(f"the model has no output {name!r}; it has {', '.join(got)}")
        mine = got[name]
        wider = array.dtype == np.float64 and _is_float(mine.dtype)
        if mine.shape != array.shape or not (wider or mine.dtype == array.dtype):
            raise InputError(
                f"output {name!r} to compare with is {array.dtype}{list(array.shape)}, the model's "
                f"is {mine.dtype}{list(mine.shape)}"
            )


def _is_float(dtype: np.dtype) -> bool:
    return np.can_cast(dtype, np.float64) and dtype.kind not in "biu"
