"""What cuDNN takes for products, as far as that can be told without it.

The numbers were fitted to times of cuDNN 9.19 on an H200, in f16, by test/benchmarks/cudnn.py.
Other chips and bf16 are assumed to have them. Those that are said to be assumed were not fitted:
they are longer than a few times on an H100 or H200 were, so such a call is seldom taken unmeasured.
"""

from dataclasses import dataclass
from math import prod

from dlc.libraries._cublaslt_price import bound_of
from dlc.libraries._cudnn.functions import BY_NAME
from dlc.libraries._cudnn.kind import Asked
from dlc.libraries._library import Price
from dlc.libraries._operation_graph import OperationGraph
from dlc.libraries._tiles import Sizes

_READ_EFFICIENCY = 0.64
"""The part of the stated bandwidth."""

_ASSUMED_ERROR = 0.5


@dataclass(frozen=True)
class Made:
    """What is made by products of ``sizes``. own_s: what the call takes beside. tiles_s: the
    products. copied: how often the bytes cross. is_assumed: whether that was not fitted.
    """

    sizes: Sizes
    own_s: float
    tiles_s: float
    copied: int = 1
    is_assumed: bool = False


def multiplied(asked: Asked, made: Made, error: float) -> Price:
    """Return the price of a graph that begins with products. error: root of the mean square over
    what it was fitted to.
    """
    chip = asked.chip
    memory_s = made.copied * asked.bytes / (chip.dram_bytes_per_s * _READ_EFFICIENCY)
    fixed_s = 1e-6 * chip.costs.start_us + made.own_s + _following_s(asked.graph)
    error = _ASSUMED_ERROR if made.is_assumed else error
    bound = bound_of(made.sizes, asked.type, asked.bytes, chip)
    return Price(bound, fixed_s + max(memory_s, made.tiles_s), error, 1e-6 * chip.costs.call_us)


def _following_s(graph: OperationGraph) -> float:
    """Return what functions take, the first operation of a graph left out."""
    elements = prod(graph.tensors[graph.operations[0].output].sizes)
    found = [BY_NAME[each.name] for each in graph.operations[1:]]
    return sum(each.fixed_s + elements * each.element_s for each in found)
