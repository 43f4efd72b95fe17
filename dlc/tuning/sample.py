"""Some elements of a tensor, evenly spread: what schedules are compared by."""

from collections.abc import Callable

import numpy as np

from dlc.backends.host.program import Tensor
from dlc.dialects.graph.structure import Array

_PIECES, _ELEMENTS = 32, 1 << 13


def sample(tensor: Tensor, read: Callable[[int, int], Array]) -> Array:
    """Return elements of a tensor, all where it is small: the first, the last, and between.

    read: the bytes at an offset, so many.
    """
    dtype = np.dtype(tensor.dtype)
    count = tensor.bytes // dtype.itemsize
    length = min(count, _ELEMENTS)
    pieces = _PIECES if count > _PIECES * _ELEMENTS else -(-count // max(length, 1))
    firsts = np.linspace(0, count - length, pieces).astype(np.int64)
    parts = [read(int(n) * dtype.itemsize, length * dtype.itemsize) for n in firsts]
    return np.concatenate([np.empty(0, np.uint8), *parts]).view(dtype)
