"""What a convolution of cuDNN takes; see ``products.py``."""

from dataclasses import replace
from math import ceil, prod

from dlc.arch import GpuArch
from dlc.libraries._cublaslt_price import rate_per_sm
from dlc.libraries._cudnn.kind import Asked
from dlc.libraries._cudnn.products import Made, multiplied
from dlc.libraries._library import Price
from dlc.libraries._operation_graph import OperationGraph
from dlc.libraries._tiles import Rounds, Sizes

_CONVOLVED = Rounds(0.6, 0.24e-6, step_s=0.069e-6)
_WINDOWED = Rounds(0.6, 0.24e-6, step_s=0.156e-6)
"""How windows of one tap, and larger ones, are computed."""

_GROUPED_COLUMNS = 64
"""Groups of fewer channels are computed together, with zeros between them."""

_MULTIPLIED = Rounds(0.25, 1e-6)
_MULTIPLIED_S = 8e-6
"""How products of all bits of ``f32`` are computed, and what such a call takes beside; assumed."""

_CHANNELS = 8
"""Channels that kernels for tensor cores read at once, of 16 bits. Others are copied to as many."""

_COPIED_S = 5e-6
"""What that takes beside the bytes; assumed."""

_COPIED_TIMES = 10
"""How often as long the products take then; assumed."""

_SINGLE_PER_S, _FOLLOWED_PER_S = 1.6e12, 0.16e12
"""How many products with weights of one channel in a group it does in a second; and products where
no engine is made for what follows: in groups of such channels, and in ``f32``; assumed.
"""

_CONVOLUTION_S = 1.5e-6
"""What a call takes beside a kernel of ours."""

_ERROR = 0.24
"""Root of the mean square over 193 convolutions."""


def convolution_price(asked: Asked) -> Price:
    """Return the price of a convolution with what follows it."""
    return multiplied(asked, _made(asked.graph, asked.type, asked.chip), _ERROR)


def _made(graph: OperationGraph, type: str, chip: GpuArch) -> Made:
    """Return a convolution as products, positions by channels."""
    first = graph.operations[0]
    x, weight = (graph.tensors[number].sizes for number in first.inputs)
    result = graph.tensors[first.output].sizes
    positions = prod(result) // result[1]
    groups = x[1] // weight[1]
    columns, reduction = weight[0] // groups, prod(weight[1:])
    sizes = Sizes(groups, positions, columns, reduction)
    rate, sms = rate_per_sm(type, chip), chip.sm_count
    joined = min(groups, max(1, _GROUPED_COLUMNS // columns))
    if per_s := _products_per_s(graph, type, groups, weight[1]):
        return Made(sizes, _MULTIPLIED_S, prod(result) * reduction / per_s, 1, True)
    dense = Sizes(ceil(groups / joined), positions, columns * joined, reduction * joined)
    if type == "f32":
        return Made(sizes, _MULTIPLIED_S, dense.seconds(_MULTIPLIED, rate, sms), 1, True)
    rounds = _CONVOLVED if prod(weight[2:]) == 1 else _WINDOWED
    if any(channels % _CHANNELS for channels in (x[1], weight[1], result[1])):
        taps, own_s = prod(weight[2:]), _CONVOLUTION_S + _COPIED_S
        padded = replace(dense, k=max(dense.k, _CHANNELS * ceil(weight[1] / _CHANNELS) * taps))
        return Made(sizes, own_s, _COPIED_TIMES * padded.seconds(rounds, rate, sms), 2, True)
    return Made(sizes, _CONVOLUTION_S, dense.seconds(rounds, rate, sms), 1, type == "tf32")


def _products_per_s(graph: OperationGraph, type: str, groups: int, channels: int) -> float | None:
    """Return how many products a convolution does in a second that is not made of tiles."""
    is_thin = groups > 1 and channels % _CHANNELS != 0
    is_followed = len(graph.operations) > 1
    if (is_thin and is_followed) or (type == "f32" and not has_only_bias(graph)):
        return _FOLLOWED_PER_S
    return _SINGLE_PER_S if is_thin and channels == 1 else None


def has_only_bias(graph: OperationGraph) -> bool:
    """Return whether nothing follows the first operation, or a vector of the channels is added,
    then maybe a relu: of ``f32`` cuDNN has fast engines for that alone, over three axes no others.
    """
    names = [each.name for each in graph.operations[1:]]
    others = [graph.tensors[n] for each in graph.operations[1:] for n in each.inputs[1:]]
    is_vector = all(x.buffer is not None and prod(x.sizes) == x.sizes[1] for x in others)
    return is_vector and names in ([], ["add"], ["add", "relu"])
