"""The elements of tensors that are stored with a model."""

from xdsl.ir import SSAValue

from dlc.analysis.evaluation import constant_value
from dlc.core.weights import WeightStore
from dlc.dialects.graph.layout import BroadcastOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array


def stored_value(value: SSAValue, weights: WeightStore) -> Array | None:
    """Return the elements of a constant, also where they are repeated; ``None`` for anything else,
    and for a weight whose elements are not in the store.
    """
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.x
    if isinstance(value.owner, WeightOp) and value.owner.symbol.string_value() not in weights:
        return None
    return constant_value(value, weights)
