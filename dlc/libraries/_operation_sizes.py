"""Whether the tensors of an operation fit each other, so that it stays within them.

cuDNN computes as many elements as one of the tensors has, and does not compare all others. Of
images it takes any strides, and then reads and writes some as if channels lay together.
"""

from collections.abc import Sequence

from dlc.libraries._operation_graph import Operation, Tensor

Sizes = Sequence[int]

_IMAGE_AXES = 3
"""Of an image at least: the batch, channels, and one that windows slide along."""

_AXES = 4
"""Of attention: the batch, heads, rows, elements. Of a normalisation: rows, then elements."""


def fits_convolution(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are an image, a weight, and what the windows of a convolution make."""
    if not all(map(_has_channels_together, (*inputs, result))):
        return False
    x, weight = (each.sizes for each in inputs)
    if not len(x) == len(weight) == len(result.sizes):
        return False
    window = dict(operation.numbers)
    extents = [(n - 1) * d + 1 for n, d in zip(weight[2:], window["dilations"], strict=True)]
    wanted = (x[0], weight[0], *_positions(x[2:], extents, operation))
    is_grouped = x[1] % weight[1] == 0 and weight[0] % (x[1] // weight[1]) == 0
    return is_grouped and wanted == result.sizes


def fits_pooling(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are an image and what the windows of a pooling make, each of which has an
    element of the image.
    """
    (image,) = inputs
    if len(image.sizes) != len(result.sizes):
        return False
    if not all(map(_has_channels_together, (image, result))):
        return False
    window = dict(operation.numbers)
    pads = zip(window["begins"], window["ends"], window["taps"], strict=True)
    if any(max(begin, end) >= taps for begin, end, taps in pads):
        return False
    wanted = (*image.sizes[:2], *_positions(image.sizes[2:], window["taps"], operation))
    return wanted == result.sizes


def _positions(sizes: Sizes, extents: Sizes, operation: Operation) -> list[int]:
    """Return how many positions windows have along their axes; 0 where they have no steps."""
    window = dict(operation.numbers)
    lists = (window[name] for name in ("strides", "begins", "ends"))
    return [
        (begin + size + end - extent) // stride + 1 if stride else 0
        for size, extent, stride, begin, end in zip(sizes, extents, *lists, strict=True)
    ]


def _has_channels_together(tensor: Tensor) -> bool:
    """Return whether a tensor is an image whose second axis is the innermost one."""
    if len(tensor.sizes) < _IMAGE_AXES:
        return False
    count = 1
    for axis in (1, *reversed(range(2, len(tensor.sizes))), 0):
        if tensor.sizes[axis] > 1 and tensor.strides[axis] != count:
            return False
        count *= tensor.sizes[axis]
    return True


def fits_attention(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are queries, keys, values, a scale, and what attention gives."""
    query, key, value, scale = (each.sizes for each in inputs)
    if not len(query) == len(key) == len(value) == len(result.sizes) == _AXES:
        return False
    *heads, rows, _ = query
    keys, elements = value[2:]
    wanted = ((*heads, keys, query[3]), (*heads, keys, elements), (*heads, rows, elements))
    return (key, value, result.sizes) == wanted and set(scale) == {1}


def fits_normalization(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are rows, a scale, an epsilon, maybe a bias, and rows again."""
    x, scale, epsilon, *bias = (each.sizes for each in inputs)
    row = (1, *x[1:])
    is_whole = len(x) == _AXES and x == result.sizes
    return is_whole and epsilon == (1,) * _AXES and all(each == row for each in (scale, *bias))


def fits_pointwise(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether the first one has the sizes of the result, and others these or ones."""
    return inputs[0].sizes == result.sizes and all(
        _is_broadcast(each.sizes, result.sizes) for each in inputs
    )


def _is_broadcast(sizes: Sizes, result: Sizes) -> bool:
    """Return whether each size is that of the result, or 1."""
    return len(sizes) == len(result) and all(
        n in (1, whole) for n, whole in zip(sizes, result, strict=True)
    )
