"""What cuDNN takes for a convolution, attention or a normalisation, as far as that can be told
without it.

The numbers were fitted to times of cuDNN 9.19 on an H200, in f16, by test/benchmarks/cudnn.py.
Other chips and bf16 are assumed to have them.
"""

from math import ceil, prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes
from dlc.arch import GpuArch
from dlc.libraries._cublaslt_price import bound_of, rate_per_sm
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

_CONVOLUTION_S, _ATTENTION_S = 1.5e-6, 2.4e-6
"""What a call takes beside a kernel of ours."""

_FOLLOWING_S = {
    "add": (0.0, 0.0),
    "relu": (0.0, 0.0),
    "mul": (1.7e-6, 0.4e-12),
}
"""What a following operation takes, and what it takes for an element."""

_OTHER_S = 1.7e-6, 4.5e-12
"""The same of the others, such as ``sigmoid``."""

_NORMALIZATION_S, _NORMALIZATION_EFFICIENCY = 0.2e-6, 0.74
"""What a normalisation takes beside a kernel of ours; the part of the bandwidth."""

_PIECE, _ODD_S, _ODD = 128, 6e-6, 3.7
"""Where rows are no multiple of so many elements (1,000), it takes that much more, and its bytes
take so many times as long.
"""

_ERROR = {"convolution": 0.24, "attention": 0.09}
_NORMALIZATION_ERROR = 0.16
"""Root of the mean square over what it was fitted to: 193 convolutions, 24 cases of attention, 11
layer normalisations.
"""


def price_of(cluster: Cluster, graph: OperationGraph, chip: GpuArch) -> Price:
    """Return the price of what a graph computes, of a type that the chip multiplies."""
    type, bytes = graph.tensors[0].element, traffic_bytes(cluster)
    if graph.operations[0].name in NAMES.values():
        return _normalization(graph.tensors[0].sizes[1], bytes, chip)
    of = _attention if graph.operations[0].name == "attention" else _convolution
    sizes, own_s, tiles_s = of(graph, rate_per_sm(type, chip), chip.sm_count)
    memory_s = bytes / (chip.dram_bytes_per_s * _READ_EFFICIENCY)
    fixed_s = 1e-6 * chip.costs.start_us + own_s + _following_s(graph)
    error = _ERROR[graph.operations[0].name]
    seconds = fixed_s + max(memory_s, tiles_s)
    return Price(bound_of(sizes, type, bytes, chip), seconds, error, 1e-6 * chip.costs.call_us)


def _normalization(elements: int, bytes: int, chip: GpuArch) -> Price:
    """Return the price of rows of so many elements, whose kernel moves so many bytes, and computes
    little.
    """
    memory_s = bytes / (chip.dram_bytes_per_s * _NORMALIZATION_EFFICIENCY)
    more_s, times = (_ODD_S, _ODD) if elements % _PIECE else (0.0, 1.0)
    seconds = 1e-6 * chip.costs.start_us + _NORMALIZATION_S + more_s + times * memory_s
    work = streaming_work(0, 0, bytes, chip.sm_count, BlockResources(128))
    return Price(gpu_bound(work, chip), seconds, _NORMALIZATION_ERROR, 1e-6 * chip.costs.call_us)


def _convolution(graph: OperationGraph, rate: float, sms: int) -> tuple[Sizes, float, float]:
    """Return a convolution as products, positions by channels, what the call takes, and the seconds
    of its tiles.
    """
    first = graph.operations[0]
    x, weight = (graph.tensors[number].sizes for number in first.inputs)
    result = graph.tensors[first.output].sizes
    positions = prod(result) // result[1]
    groups = x[1] // weight[1]
    columns, reduction = weight[0] // groups, prod(weight[1:])
    joined = min(groups, max(1, _GROUPED_COLUMNS // columns))
    dense = Sizes(ceil(groups / joined), positions, columns * joined, reduction * joined)
    rounds = _CONVOLVED if prod(weight[2:]) == 1 else _WINDOWED
    sizes = Sizes(groups, positions, columns, reduction)
    return sizes, _CONVOLUTION_S, dense.seconds(rounds, rate, sms)


def _attention(graph: OperationGraph, rate: float, sms: int) -> tuple[Sizes, float, float]:
    """The same of attention: both products as one."""
    query, key, value = (graph.tensors[n].sizes for n in graph.operations[0].inputs[:3])
    heads, rows, keys = prod(query[:-2]), query[-2], key[-2]
    sizes = Sizes(heads, rows, keys, query[-1] + value[-1])
    rounds = Rounds(_ATTENDED, _ATTENDED_ROUND_S + keys * _ATTENDED_KEY_S)
    return sizes, _ATTENTION_S, sizes.tiled_s((_ATTENDED_ROWS, keys), 1, rounds, rate, sms)


def _following_s(graph: OperationGraph) -> float:
    elements = prod(graph.tensors[graph.operations[0].output].sizes)
    costs = [_FOLLOWING_S.get(each.name, _OTHER_S) for each in graph.operations[1:]]
    return sum(fixed + elements * each for fixed, each in costs)
