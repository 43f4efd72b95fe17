"""What a launch from Python gives its kernel: pointers to its buffers, then tensor maps."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from dlc.backends.host.tensor_map import DriverMap

_MAP_BYTES = 128
_MAP_ALIGNMENT = 64


class KernelArguments:
    """The arguments of a launch; they stay where they are as long as this object is there.

    parameters: what ``cuLaunchKernel`` takes.
    """

    def __init__(
        self, call: Callable[..., object], places: Sequence[int], maps: Sequence[DriverMap] = ()
    ):
        """call: calls a function of the driver by name. places: the addresses of the buffers."""
        pointers = [ctypes.c_uint64(place) for place in places]
        encoded = [_encoded(call, map, places[map.operand]) for map in maps]
        self._kept = (pointers, [buffer for buffer, _ in encoded])
        addresses = [*map(ctypes.addressof, pointers), *(address for _, address in encoded)]
        self.parameters = (ctypes.c_void_p * len(addresses))(*addresses)


def _encoded(call: Callable[..., object], map: DriverMap, place: int) -> tuple[Any, int]:
    """Return a tensor map for the buffer at ``place``, and where it stands in its memory."""
    memory = ctypes.create_string_buffer(_MAP_BYTES + _MAP_ALIGNMENT)
    address = -(-ctypes.addressof(memory) // _MAP_ALIGNMENT) * _MAP_ALIGNMENT
    head = (ctypes.c_void_p(address), map.data_type, ctypes.c_uint32(map.rank))
    tensor = (
        ctypes.c_void_p(place),
        _array(ctypes.c_uint64, map.sizes),
        _array(ctypes.c_uint64, map.strides),
    )
    box, steps = _array(ctypes.c_uint32, map.box), _array(ctypes.c_uint32, map.element_strides)
    last = (0, map.swizzle, map.l2_promotion, 0)
    if map.spatial_axes:
        corners = (_array(ctypes.c_int32, x) for x in (map.lower_corner, map.upper_corner))
        column = (*corners, map.box[0], map.box[1], steps)
        call("cuTensorMapEncodeIm2col", *head, *tensor, *column, *last)
    else:
        call("cuTensorMapEncodeTiled", *head, *tensor, box, steps, *last)
    return memory, address


def _array(kind: Any, values: Sequence[int]) -> Any:
    return (kind * len(values))(*values)
