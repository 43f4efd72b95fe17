"""The 8-bit integers of which a tensor of wide integers is made."""

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from dlc.analysis.evaluation import constant_value
from dlc.core.weights import WeightStore
from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.elementwise import SubOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_bytes, element_type, is_integer, numpy_dtype, shape


def stored_bytes(value: SSAValue) -> SSAValue | None:
    """Return the 8-bit tensor of which ``value`` is the form in ``i32``, less a zero point (the rhs
    of its ``graph.sub``) or not; ``None`` where there is none.
    """
    if isinstance(source := value.owner, SubOp):
        return _widened(source.lhs) if shape(source.lhs) == shape(value) else None
    return _widened(value)


def _widened(wide: SSAValue) -> SSAValue | None:
    if not isinstance(cast := wide.owner, CastOp) or cast.to != i32:
        return None
    element = element_type(cast.x)
    return cast.x if is_integer(element) and element_bytes(element) == 1 else None


def furthest(value: SSAValue, weights: WeightStore) -> int | None:
    """Return how far from 0 an element of ``value``, which ``stored_bytes`` knows, is at most;
    ``None`` where its zero point may be any.
    """
    stored = stored_bytes(value)
    assert stored is not None
    low, high = _limits(stored)
    if isinstance(source := value.owner, SubOp):
        zero_point = _interval(source.rhs, weights)
        if zero_point is None:
            return None
        low, high = low - zero_point[1], high - zero_point[0]
    return max(abs(low), abs(high))


def _limits(stored: SSAValue) -> tuple[int, int]:
    found = np.iinfo(numpy_dtype(element_type(stored)))
    return int(found.min), int(found.max)


def _interval(value: SSAValue, weights: WeightStore) -> tuple[int, int] | None:
    """Return the least and the largest integer that a tensor may hold, if that is known."""
    source = value.owner
    if isinstance(source, GraphOp) and source.is_view:
        return _interval(source.operands[0], weights)
    if (stored := _widened(value)) is not None:
        return _limits(stored)
    if isinstance(source, WeightOp) and source.symbol.string_value() not in weights:
        return None
    found = constant_value(value, weights)
    return None if found is None or not found.size else (int(found.min()), int(found.max()))
