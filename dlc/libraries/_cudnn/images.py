"""Tensors of images as cuDNN has them, and the windows that slide along them.

cuDNN computes as many elements as one of the tensors has, and does not compare all others. Of
images it takes any strides, and then reads and writes some as if channels lay together, or as if
they stood second in memory, too.
"""

from collections.abc import Sequence

from dlc.dialects.graph.data_layout import CHANNELS_LAST, DataLayoutAttr
from dlc.libraries._operation_graph import Operation, Tensor

Sizes = Sequence[int]

_LEAST_AXES = 3
"""Of an image: the batch, channels, and one that windows slide along."""


def turned(axes: Sequence[int], layout: DataLayoutAttr = CHANNELS_LAST) -> tuple[int, ...]:
    """Return what is said of our axes in cuDNN's order, in which channels are second."""
    channel, windowed = layout.channel_axis(len(axes)), layout.spatial_axes(len(axes))
    return (axes[0], axes[channel], *(axes[axis] for axis in windowed))


def positions(sizes: Sizes, extents: Sizes, operation: Operation) -> list[int]:
    """Return how many positions windows have along their axes; 0 where they have no steps."""
    window = dict(operation.numbers)
    lists = (window[name] for name in ("strides", "begins", "ends"))
    return [
        (begin + size + end - extent) // stride + 1 if stride else 0
        for size, extent, stride, begin, end in zip(sizes, extents, *lists, strict=True)
    ]


def has_channels_together(tensor: Tensor) -> bool:
    """Return whether a tensor is an image whose second axis is the innermost one."""
    axes = range(2, len(tensor.sizes))
    return len(tensor.sizes) >= _LEAST_AXES and _is_dense(tensor, (1, *reversed(axes), 0))


def has_channels_apart(tensor: Tensor) -> bool:
    """Return whether a tensor is an image whose axes lie in memory in cuDNN's order."""
    axes = range(len(tensor.sizes))
    return len(tensor.sizes) >= _LEAST_AXES and _is_dense(tensor, [*reversed(axes)])


def _is_dense(tensor: Tensor, axes: Sequence[int]) -> bool:
    """Return whether its elements follow each other, the first one of some axes innermost."""
    count = 1
    for axis in axes:
        if tensor.sizes[axis] > 1 and tensor.strides[axis] != count:
            return False
        count *= tensor.sizes[axis]
    return True
