"""Which integers of a model's inputs name places in tensors, and what they may be.

Each element of an integer argument is followed, by its number, through the ops that only copy it
(``GraphOp.keeps_integers``) to the ops that take it for an index (``GraphOp.index_limits``). An
index that the model computes in another way is not among them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dlc.analysis.evaluation import constant_value, is_known
from dlc.core.weights import WeightStore
from dlc.dialects.graph.computed import ElementwiseOp
from dlc.dialects.graph.structure import Array, GraphOp, IndexLimits
from dlc.ir.tensor import DYNAMIC, element_count, element_type, is_integer, shape

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class IndexBound:
    """What an op asks of elements of an argument.

    argument: its number. elements: their numbers in row-major order, ascending. least, largest: the
    legal values. op: the op that takes them for indices.
    """

    argument: int
    elements: Numbers
    least: int
    largest: int
    op: GraphOp


def index_bounds(main: FuncOp, weights: WeightStore) -> list[IndexBound]:
    """Return what the ops of ``main`` ask of its arguments, in their order."""
    block = main.body.block
    trace = _Trace(block.args, weights)
    ops = [op for op in block.ops if isinstance(op, GraphOp)]
    return [bound for op in ops for bound in trace.visit(op)]


def computed_indices(main: FuncOp, weights: WeightStore) -> list[GraphOp]:
    """Return the ops of ``main`` with indices of which ``index_bounds`` says nothing, or not of
    all: those that the model computes from what it is given.
    """
    block = main.body.block
    trace = _Trace(block.args, weights)
    found: list[GraphOp] = []
    for op in (op for op in block.ops if isinstance(op, GraphOp)):
        list(trace.visit(op))
        if not all(trace.is_bounded(op.operands[number]) for number in op.index_limits):
            found.append(op)
    return found


def legal_values(
    bounds: Iterable[IndexBound], argument: int, sizes: Sequence[int]
) -> tuple[Numbers, Numbers]:
    """Return the least and the largest legal value of each element of an argument of a shape; those
    of ``int64`` where nothing takes it for an index.
    """
    limits = np.iinfo(np.int64)
    count = int(np.prod(sizes, dtype=np.int64))
    least, largest = (np.full(count, x, np.int64) for x in (limits.min, limits.max))
    for bound in bounds:
        if bound.argument == argument:
            at = bound.elements
            least[at] = np.maximum(least[at], bound.least)
            largest[at] = np.minimum(largest[at], bound.largest)
    return least.reshape(sizes), largest.reshape(sizes)


class _Trace:
    """For values that hold elements of arguments: the number of each, -1 for anything else.

    The elements of all integer arguments are numbered through.
    """

    def __init__(self, arguments: Sequence[SSAValue], weights: WeightStore):
        self.weights = weights
        self.numbers: dict[SSAValue, Numbers] = {}
        self.starts: list[int] = []
        self._bounded: dict[SSAValue, bool] = {}
        self.count = 0
        for value in arguments:
            self.starts.append(self.count)
            if _is_fixed_integer(value):
                end = self.count + element_count(value)
                self.numbers[value] = np.arange(self.count, end).reshape(shape(value))
                self.count = end

    def visit(self, op: GraphOp) -> Iterator[IndexBound]:
        """Follow elements through an op; yield what it asks of them."""
        if not any(x in self.numbers for x in op.operands):
            return
        for number, limits in op.index_limits.items():
            if op.operands[number] in self.numbers:
                yield from self._bounds(op, self.numbers[op.operands[number]], limits)
        if len(op.results) == 1 and op.keeps_integers and _is_fixed_integer(op.results[0]):
            moved = self._moved(op)
            if moved is not None and (moved >= 0).any():
                self.numbers[op.results[0]] = moved

    def is_bounded(self, value: SSAValue) -> bool:
        """Return whether every element is one of an argument or known when compiling."""
        if value not in self._bounded:
            self._bounded[value] = self._is_bounded(value)
        return self._bounded[value]

    def _is_bounded(self, value: SSAValue) -> bool:
        if value not in self.numbers:
            return is_known(value)
        if (self.numbers[value] >= 0).all():
            return True
        # The rest is of the other operands, or a constant of the op itself.
        op = value.owner
        return isinstance(op, GraphOp) and all(map(self.is_bounded, op.operands))

    def _bounds(self, op: GraphOp, numbers: Numbers, limits: IndexLimits) -> Iterator[IndexBound]:
        """Yield one bound for each argument and each pair of limits."""
        least, largest = np.broadcast_arrays(limits.least, limits.largest)
        pairs = np.broadcast_to(np.stack([least, largest], -1), (*numbers.shape, 2))
        for low, high in sorted(set(map(tuple, np.unique(pairs.reshape(-1, 2), axis=0).tolist()))):
            chosen = numbers[(pairs == (low, high)).all(-1) & (numbers >= 0)]
            owner = np.searchsorted(self.starts, chosen, side="right") - 1
            for argument in np.unique(owner).tolist():
                elements = np.unique(chosen[owner == argument]) - self.starts[argument]
                yield IndexBound(argument, elements, low, high, op)

    def _moved(self, op: GraphOp) -> Numbers | None:
        """Return the numbers of an op's result, ``None`` where they depend on values of a run."""
        if isinstance(op, ElementwiseOp) and len(op.operands) == 1:
            return self.numbers[op.operands[0]]
        first, second = self._copied(op, 0), self._copied(op, self.count)
        if first is None or second is None:
            return None
        # A number that was copied grows with the numbering; a constant of the op does not.
        return np.where(second - first == self.count, first, -1)

    def _copied(self, op: GraphOp, offset: int) -> Numbers | None:
        """Return what an op makes of numbers that count from ``offset``."""
        operands: list[Array] = []
        for number, value in enumerate(op.operands):
            numbers = self.numbers.get(value)
            known = constant_value(value, self.weights)
            decides = number in op.index_limits or not is_integer(element_type(value))
            if decides and known is None:
                return None
            if decides and known is not None:
                operands.append(known)
            elif numbers is None:
                operands.append(np.full(shape(value), -1, np.int64))
            else:
                operands.append(np.where(numbers < 0, -1, numbers + offset))
        result = op.reference(*operands)
        return None if isinstance(result, tuple) else np.asarray(result, np.int64)


def _is_fixed_integer(value: SSAValue) -> bool:
    return is_integer(element_type(value)) and DYNAMIC not in shape(value)
