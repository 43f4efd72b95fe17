"""Tensors of images as cuDNN has them, and the windows that slide along them.

cuDNN computes as many elements as one of the tensors has, and does not compare all others. Of
images it takes any strides, and then reads and writes some as if channels lay together.
"""

from collections.abc import Sequence

from dlc.libraries._operation_graph import Operation, Tensor

Sizes = Sequence[int]

_LEAST_AXES = 3
"""Of an image: the batch, channels, and one that windows slide along."""


def turned(axes: Sequence[int]) -> tuple[int, ...]:
    """Return what is said of our axes, whose last one is of channels, in cuDNN's order."""
    return (axes[0], axes[-1], *axes[1:-1])


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
    if len(tensor.sizes) < _LEAST_AXES:
        return False
    count = 1
    for axis in (1, *reversed(range(2, len(tensor.sizes))), 0):
        if tensor.sizes[axis] > 1 and tensor.strides[axis] != count:
            return False
        count *= tensor.sizes[axis]
    return True
