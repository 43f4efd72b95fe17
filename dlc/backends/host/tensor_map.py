"""Tensor maps as the driver's functions take them."""

from collections.abc import Sequence
from dataclasses import dataclass

from dlc.analysis.map_parameters import MapParameter
from dlc.core.tensor_map import MOST_AXES, PROMOTIONS, SWIZZLES

DATA_TYPES = {1: 0, 2: 1, 4: 2, 8: 4}
"""``CUtensorMapDataType`` by bytes of an element: unsigned integers, whose bits are only moved."""
_TFLOAT32 = 11
"""The one of floats that are rounded on the way."""


@dataclass(frozen=True)
class DriverMap:
    """The arguments of ``cuTensorMapEncodeTiled``, or of ``cuTensorMapEncodeIm2col`` where there
    are spatial axes (CUDA Driver API), for the kernel's buffer number ``operand``.

    The innermost axis is the first. box: of a column of pixels, channels and pixels. Enumerations
    are numbers.
    """

    operand: int
    data_type: int
    rank: int
    spatial_axes: int
    swizzle: int
    l2_promotion: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    lower_corner: tuple[int, ...]
    upper_corner: tuple[int, ...]


def driver_map(parameter: MapParameter) -> DriverMap:
    """Return what the driver is told about a map."""
    map = parameter.map
    return DriverMap(
        parameter.operand,
        _TFLOAT32 if map.rounded_bits else DATA_TYPES[parameter.element_bytes],
        map.rank,
        map.offsets,
        SWIZZLES.index(map.swizzle),
        PROMOTIONS.index(map.l2_promotion),
        _turned(map.sizes, MOST_AXES),
        _turned(map.strides, MOST_AXES - 1),
        _turned(map.box if map.is_im2col else map.covered, MOST_AXES),
        _turned(map.steps, MOST_AXES),
        _turned(map.lower_corner, MOST_AXES - 2),
        _turned(map.upper_corner, MOST_AXES - 2),
    )


def _turned(values: Sequence[int], length: int) -> tuple[int, ...]:
    """Return values in the opposite order, and zeros."""
    return (*reversed(values), *[0] * (length - len(values)))
