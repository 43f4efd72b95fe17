"""What cuDNN takes for its operations, as far as that can be told without it.

The numbers were fitted to times of cuDNN 9.19 on an H200, in f16, by test/benchmarks/cudnn.py.
Other chips and bf16 are assumed to have them. Those that are said to be assumed were not fitted:
they are longer than a few times on an H100 or H200 were, so such a call is seldom taken unmeasured.
"""

from dataclasses import dataclass, replace
from math import ceil, prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes
from dlc.arch import GpuArch
from dlc.libraries._convolution import has_only_bias
from dlc.libraries._cublaslt_price import bound_of, rate_per_sm
from dlc.libraries._cudnn_functions import BY_NAME
from dlc.libraries._library import Price
from dlc.libraries._normalization import NAMES
from dlc.libraries._operation_graph import OperationGraph
from dlc.libraries._tiles import Rounds, Sizes
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import gpu_bound, streaming_work

_READ_EFFICIENCY = 0.64
"""The part of the stated bandwidth."""

_CONVOLVED = Rounds(0.6, 0.24e-6, step_s=0.069e-6)
_WINDOWED = Rounds(0.6, 0.24e-6, step_s=0.156e-6)
"""How windows of one tap, and larger ones, are computed."""

_GROUPED_COLUMNS = 64
"""Groups of fewer channels are computed together, with zeros between them."""

_ATTENDED, _ATTENDED_ROUND_S, _ATTENDED_KEY_S = 0.7, 1.8e-6, 1.9e-9
_ATTENDED_ROWS = 128
"""How attention is computed: the part of the peak, what a round takes, and each key in it, beside
products; the queries of a block.
"""

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

_CONVOLUTION_S, _ATTENTION_S = 1.5e-6, 2.4e-6
"""What a call takes beside a kernel of ours."""

_NORMALIZATION_S, _NORMALIZATION_EFFICIENCY = 0.2e-6, 0.74
"""What a normalisation takes beside a kernel of ours; the part of the bandwidth."""

_PIECE, _ODD_S, _ODD = 128, 6e-6, 3.7
"""Where rows are no multiple of so many elements (1,000), it takes that much more, and its bytes
take so many times as long.
"""

_STREAMED_S, _STREAMED_EFFICIENCY = 2.4e-6, 0.75
"""What poolings and functions alone take beside a kernel of ours, and the part of the bandwidth. A
function more costs nothing, and fewer than 50 kB take half of it.
"""

_TAP_S = 1e-12
"""What a tap of a window that is pooled takes."""

_ERROR = {"convolution": 0.24, "attention": 0.09}
_ASSUMED_ERROR = 0.5
_NORMALIZATION_ERROR = 0.16
_STREAMED_ERROR = 0.15
"""Root of the mean square over what it was fitted to: 193 convolutions, 24 cases of attention, 11
layer normalisations; 36 poolings and functions of 50 kB and more, rounded up, since all are of f16
and of a picture.
"""


def price_of(cluster: Cluster, graph: OperationGraph, type: str | None, chip: GpuArch) -> Price:
    """Return the price of what a graph computes. type: that of its products with weights, which the
    chip multiplies; ``None`` where there are none.
    """
    bytes = traffic_bytes(cluster)
    if graph.operations[0].name in NAMES.values():
        return _normalization(graph.tensors[0].sizes[1], bytes, chip)
    if type is None:
        return _streamed(graph, bytes, chip)
    of = _attention if graph.operations[0].name == "attention" else _convolution
    made = of(graph, type, chip)
    memory_s = made.copied * bytes / (chip.dram_bytes_per_s * _READ_EFFICIENCY)
    fixed_s = 1e-6 * chip.costs.start_us + made.own_s + _following_s(graph)
    error = _ASSUMED_ERROR if made.is_assumed else _ERROR[graph.operations[0].name]
    seconds = fixed_s + max(memory_s, made.tiles_s)
    return Price(bound_of(made.sizes, type, bytes, chip), seconds, error, _late_s(chip))


def _late_s(chip: GpuArch) -> float:
    return 1e-6 * chip.costs.call_us


def _streamed(graph: OperationGraph, bytes: int, chip: GpuArch) -> Price:
    """Return the price of poolings and functions that move so many bytes."""
    taps = dict(graph.operations[0].numbers).get("taps", (0,))
    tapped_s = _TAP_S * prod(taps) * prod(graph.tensors[graph.operations[0].output].sizes)
    memory_s = bytes / (chip.dram_bytes_per_s * _STREAMED_EFFICIENCY)
    work = streaming_work(0, 0, bytes, chip.sm_count, BlockResources(128))
    seconds = 1e-6 * chip.costs.start_us + _STREAMED_S + memory_s + tapped_s
    return Price(gpu_bound(work, chip), seconds, _STREAMED_ERROR, _late_s(chip))


def _normalization(elements: int, bytes: int, chip: GpuArch) -> Price:
    """Return the price of rows of so many elements, whose kernel moves so many bytes, and computes
    little.
    """
    memory_s = bytes / (chip.dram_bytes_per_s * _NORMALIZATION_EFFICIENCY)
    more_s, times = (_ODD_S, _ODD) if elements % _PIECE else (0.0, 1.0)
    seconds = 1e-6 * chip.costs.start_us + _NORMALIZATION_S + more_s + times * memory_s
    work = streaming_work(0, 0, bytes, chip.sm_count, BlockResources(128))
    return Price(gpu_bound(work, chip), seconds, _NORMALIZATION_ERROR, _late_s(chip))


@dataclass(frozen=True)
class _Made:
    """What is made by products of ``sizes``. own_s: what the call takes beside. tiles_s: the
    products. copied: how often the bytes cross. is_assumed: whether that was not fitted.
    """

    sizes: Sizes
    own_s: float
    tiles_s: float
    copied: int = 1
    is_assumed: bool = False


def _convolution(graph: OperationGraph, type: str, chip: GpuArch) -> _Made:
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
        return _Made(sizes, _MULTIPLIED_S, prod(result) * reduction / per_s, 1, True)
    dense = Sizes(ceil(groups / joined), positions, columns * joined, reduction * joined)
    if type == "f32":
        return _Made(sizes, _MULTIPLIED_S, dense.seconds(_MULTIPLIED, rate, sms), 1, True)
    rounds = _CONVOLVED if prod(weight[2:]) == 1 else _WINDOWED
    if any(channels % _CHANNELS for channels in (x[1], weight[1], result[1])):
        taps, own_s = prod(weight[2:]), _CONVOLUTION_S + _COPIED_S
        padded = replace(dense, k=max(dense.k, _CHANNELS * ceil(weight[1] / _CHANNELS) * taps))
        return _Made(sizes, own_s, _COPIED_TIMES * padded.seconds(rounds, rate, sms), 2, True)
    return _Made(sizes, _CONVOLUTION_S, dense.seconds(rounds, rate, sms), 1, type == "tf32")


def _products_per_s(graph: OperationGraph, type: str, groups: int, channels: int) -> float | None:
    """Return how many products a convolution does in a second that is not made of tiles."""
    is_thin = groups > 1 and channels % _CHANNELS != 0
    is_followed = len(graph.operations) > 1
    if (is_thin and is_followed) or (type == "f32" and not has_only_bias(graph)):
        return _FOLLOWED_PER_S
    return _SINGLE_PER_S if is_thin and channels == 1 else None


def _attention(graph: OperationGraph, type: str, chip: GpuArch) -> _Made:
    """The same of attention: both products as one."""
    query, key, value = (graph.tensors[n].sizes for n in graph.operations[0].inputs[:3])
    heads, rows, keys = prod(query[:-2]), query[-2], key[-2]
    sizes = Sizes(heads, rows, keys, query[-1] + value[-1])
    rounds = Rounds(_ATTENDED, _ATTENDED_ROUND_S + keys * _ATTENDED_KEY_S)
    tile, rate = (_ATTENDED_ROWS, keys), rate_per_sm(type, chip)
    return _Made(sizes, _ATTENTION_S, sizes.tiled_s(tile, 1, rounds, rate, chip.sm_count))


def _following_s(graph: OperationGraph) -> float:
    """Return what functions take, the first operation of a graph left out."""
    elements = prod(graph.tensors[graph.operations[0].output].sizes)
    found = [BY_NAME[each.name] for each in graph.operations[1:]]
    return sum(each.fixed_s + elements * each.element_s for each in found)
