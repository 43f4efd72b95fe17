"""What is read of tensors that are made of parts: a buffer of parts has no zeros between them."""

from collections.abc import Iterator

import numpy as np
from xdsl.ir import SSAValue

from dlc.analysis.element_profile import profile
from dlc.core.affine import Ranges, extent, interval_of
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import shape


class FilledParts:
    """Which places of tensors their parts have, found once for each tensor."""

    def __init__(self) -> None:
        self._found: dict[SSAValue, Array] = {}

    def is_enough(self, op: GraphOp) -> bool:
        """Return whether all who read the result read parts of it, and all others who read the
        tensor that the parts are laid over, if there is one, read what stays as it was.
        """
        assert op.joined is not None
        filled, axis = self._places(op.results[0]), op.joined.axis
        if not all(filled[each].all() for each in _read(op.results[0], axis)):
            return False
        base, kept = op.operands[0], np.ones(len(filled), bool)
        if shape(base) != shape(op.results[0]):
            return True
        for x, start in zip(op.operands[1:], op.joined.starts[1:], strict=True):
            kept[start : start + shape(x)[axis]] = False
        return all(kept[each].all() for each in _read(base, axis))

    def _places(self, value: SSAValue) -> Array:
        """Return which places along the axis of what makes a tensor of parts some operand has."""
        found = self._found.get(value)
        if found is None:
            found = self._found[value] = self._find_places(value)
        return found

    def _find_places(self, value: SSAValue) -> Array:
        op = value.owner
        assert isinstance(op, GraphOp)
        assert op.joined is not None
        axis = op.joined.axis
        filled = np.zeros(shape(value)[axis], bool)
        for x, start in zip(op.operands, op.joined.starts, strict=True):
            is_base = shape(x) == shape(value) and isinstance(x.owner, GraphOp) and x.owner.joined
            places = self._places(x) if is_base else True
            filled[start : start + shape(x)[axis]] |= places
        return filled


def _read(value: SSAValue, axis: int) -> Iterator[slice]:
    """Yield which places along an axis of a tensor are read, but by what is laid over it."""
    for use in value.uses:
        op = use.operation
        is_over = isinstance(op, GraphOp) and op.joined and not use.index
        if is_over and shape(op.results[0]) == shape(value):
            continue
        yield from _read_by(op, value, axis) if isinstance(op, ComputedOp) else [slice(None)]


def _read_by(op: ComputedOp, value: SSAValue, axis: int) -> Iterator[slice]:
    found = profile(op)
    ranges = Ranges([extent(n) for n in (*found.parallel, *found.reduction)])
    for read in found.reads:
        if op.operands[read.operand] is value:
            low, high = interval_of(read.map.results[axis], ranges)
            yield slice(None) if low is None or high is None else slice(max(low, 0), high + 1)
