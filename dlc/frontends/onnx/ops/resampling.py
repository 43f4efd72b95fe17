"""Which elements of an axis make up each element of the resized axis, and with what weight."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.errors import CompileError

Positions = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class ResizedAxis:
    """One axis of ``length`` elements that is resized to ``result`` ones.

    scale: the factor that the coordinates use; ``length * scale`` may be no whole number.
    region: the part that is resized, where the coordinates say so; 0 and 1 are the axis' ends.
    rounding: which element is the nearest, as ONNX's ``nearest_mode``.
    """

    length: int
    result: int
    scale: float
    region: tuple[float, float] = (0.0, 1.0)
    rounding: str = "round_prefer_floor"

    def coordinates(self, mode: str, dtype: type[np.floating[Any]]) -> Positions:
        """Return where each element of the result lies between the elements of the axis.

        dtype: what it is computed in; where it is to be rounded, what the scale was rounded to:
        3 / 0.6 is then 5, not 4.99999980 because a float holds 0.6 as 0.600000024.
        """
        p = np.arange(self.result, dtype=dtype)
        width = self.length * self.scale
        match mode:
            case "asymmetric":
                return p / self.scale
            case "half_pixel":
                return (p + 0.5) / self.scale - 0.5
            case "half_pixel_symmetric":
                offset = self.length / 2 * (1 - self.result / width)
                return offset + (p + 0.5) / self.scale - 0.5
            case "pytorch_half_pixel":
                return (p + 0.5) / self.scale - 0.5 if width > 1 else np.full_like(p, -0.5)
            case "align_corners":
                return p * (self.length - 1) / (width - 1) if width > 1 else np.zeros_like(p)
            case "tf_crop_and_resize":
                first, last = (end * (self.length - 1) for end in self.region)
                if width <= 1:
                    return np.full_like(p, (first + last) / 2)
                return first + p * (last - first) / (width - 1)
            case _:
                raise CompileError(f"coordinate_transformation_mode {mode} is not known")

    def nearest(self, positions: Positions) -> NDArray[np.int64]:
        """Return the nearest element of the axis to each position."""
        match self.rounding:
            case "round_prefer_floor":
                rounded = np.ceil(positions - 0.5)
            case "round_prefer_ceil":
                rounded = np.floor(positions + 0.5)
            case "floor":
                rounded = np.floor(positions)
            case "ceil":
                rounded = np.ceil(positions)
            case _:
                raise CompileError(f"nearest_mode {self.rounding} is not known")
        return np.clip(rounded, 0, self.length - 1).astype(np.int64)


@dataclass(frozen=True)
class Kernel:
    """How the neighbours of a position are weighted.

    radius: the distance at which an element no longer counts: 1 linear, 2 cubic.
    sharpness: the parameter ``a`` of the cubic kernel (Keys 1981).
    exclude_outside: elements beyond the ends do not count, else the end elements are repeated.
    """

    radius: int
    sharpness: float = -0.75
    exclude_outside: bool = False

    def weigh(self, distance: Positions) -> Positions:
        """Return the weight of an element at a distance."""
        x, a = np.abs(distance), self.sharpness
        if self.radius == 1:
            return np.clip(1 - x, 0, None)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return np.where(x <= 1, near, np.where(x < 2, far, 0))

    def table(
        self, positions: Positions, length: int, stretch: float
    ) -> tuple[NDArray[np.int64], Positions]:
        """Return places and weights, one row per position.

        stretch: the factor by which the kernel is widened, more than 1 against aliasing.
        """
        reach = self.radius * stretch
        first = np.floor(positions - reach).astype(np.int64) + 1
        places = first[:, None] + np.arange(2 * int(np.ceil(reach)))
        weights = self.weigh((places - positions[:, None]) / stretch)
        if self.exclude_outside:
            weights[(places < 0) | (places >= length)] = 0
        weights /= weights.sum(1, keepdims=True)
        used = (weights != 0).any(0) | (not len(positions))  # of no rows all columns stay
        return np.clip(places, 0, length - 1)[:, used], weights[:, used]
