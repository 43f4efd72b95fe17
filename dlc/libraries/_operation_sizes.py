"""Whether the sizes of an operation's tensors fit each other, so that it stays within them.

cuDNN computes as many elements as one of the tensors has, and does not compare all others.
"""

from collections.abc import Mapping, Sequence

from dlc.libraries._operation_graph import Operation, OperationGraph

Sizes = Sequence[int]

WINDOW = ("strides", "begins", "ends", "dilations")
"""The lists of numbers of a convolution, one for each axis of its window."""

_AXES = 4
"""Of attention: the batch, heads, rows, elements. Of a normalisation: rows, then elements."""


def fits(operation: Operation, graph: OperationGraph) -> bool:
    """Return whether the sizes fit. The operation has as many inputs and numbers as it needs."""
    inputs = [graph.tensors[number].sizes for number in operation.inputs]
    result = graph.tensors[operation.output].sizes
    if operation.name == "convolution":
        return _fits_convolution(inputs, result, dict(operation.numbers))
    if operation.name == "attention":
        return _fits_attention(inputs, result)
    if operation.name in ("layer_norm", "rms_norm"):
        return _fits_normalization(inputs, result)
    return inputs[0] == result and all(_is_broadcast(each, result) for each in inputs)


def _fits_convolution(
    inputs: Sequence[Sizes], result: Sizes, window: Mapping[str, Sequence[int]]
) -> bool:
    x, weight = inputs
    if not len(x) == len(weight) == len(result):
        return False
    axes = zip(x[2:], weight[2:], *(window[name] for name in WINDOW), strict=True)
    wanted = (x[0], weight[0], *(_positions(*axis) for axis in axes))
    is_grouped = x[1] % weight[1] == 0 and weight[0] % (x[1] // weight[1]) == 0
    return is_grouped and wanted == tuple(result)


def _positions(size: int, taps: int, stride: int, begin: int, end: int, dilation: int) -> int:
    """Return how many positions a window has along an axis; 0 where it has no steps."""
    room = begin + size + end - (taps - 1) * dilation - 1
    return room // stride + 1 if stride else 0


def _fits_attention(inputs: Sequence[Sizes], result: Sizes) -> bool:
    query, key, value, scale = inputs
    if not len(query) == len(key) == len(value) == len(result) == _AXES:
        return False
    *heads, rows, _ = query
    keys, elements = value[2:]
    wanted = ((*heads, keys, query[3]), (*heads, keys, elements), (*heads, rows, elements))
    return (tuple(key), tuple(value), tuple(result)) == wanted and set(scale) == {1}


def _fits_normalization(inputs: Sequence[Sizes], result: Sizes) -> bool:
    x, scale, epsilon, *bias = map(tuple, inputs)
    row = (1, *x[1:])
    is_whole = len(x) == _AXES and x == tuple(result)
    return is_whole and epsilon == (1,) * _AXES and all(each == row for each in (scale, *bias))


def _is_broadcast(sizes: Sizes, result: Sizes) -> bool:
    """Return whether each size is that of the result, or 1."""
    return len(sizes) == len(result) and all(
        n in (1, whole) for n, whole in zip(sizes, result, strict=True)
    )
