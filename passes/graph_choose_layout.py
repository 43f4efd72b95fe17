"""Choose the order of axes in which each image lies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dlc import arch
from dlc.analysis.evaluation import KnownValues
from dlc.analysis.order_region import Region, regions_of
from dlc.analysis.weight_order import Inner
from dlc.core.assignment import Table, cheapest
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.dialects.graph.layout import TransposeOp, inverse_permutation, transpose
from dlc.dialects.graph.structure import GraphOp
from dlc.plan import INDISTINCT, Planner
from dlc.plan.order_price import OTHER, OWN, OrderPrices

PREFERRED = 0
"""The choice of a region's other order, the first: it is taken where both cost the same."""

_CONSTANT = -1
"""In place of the region of a constant, which lies as it is asked for."""

_ROUNDING_S = 1e-12
"""More than sums of equal costs differ by: of these one without transpositions is taken, then one
in the preferred order.
"""


@dataclass(frozen=True)
class GraphChooseLayoutPass(DlcPass):
    """Put images in channels-last order, with transposes, where the plans of the kernels say that
    this takes less time.

    Some ops prefer an order (``GraphOp.preferred_permutation``): convolutions read consecutive
    channels at each position, which is what vector loads, asynchronous copies and matrix
    instructions want. Tensors that no op between them can bring into another order for nothing are
    a region: all that elementwise ops, pools and concatenations connect. Each region has one order.
    What that costs is asked of the plans for ``arch``: the kernels of the convolutions that read
    and write it, in each order of either side, the pools in it, and transpositions where something
    else gives or reads it. The least sum is found exactly (``dlc.core.assignment``). Kernels within
    5 % are equal; of equal costs those without transpositions are taken, then the preferred order.

    A region is rated where the choice is open: where something else gives or reads it, or where a
    convolution takes less time in its own order. One that can only be made in tiles never does, and
    so inside of most networks there is nothing to gain. ``inner`` is that of
    ``graph-order-weights``: how weights will lie. ``graph-sink-transposes`` then removes nearly all
    of the transposes; an op that prefers another order than it has was left in it, and stays.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-set-precision``, before
    ``graph-sink-transposes``.

    ::

        %y = graph.conv %x, %w …  ->  %0 = graph.transpose %x permutation [0, 2, 3, 1]
                                      %1 = graph.conv %0, %w … layout channels_last
                                      %y = graph.transpose %1 permutation [0, 3, 1, 2]
    """

    name = "graph-choose-layout"
    moves_axes = True

    arch: str = arch.DEFAULT_TARGET
    inner: Inner = "n"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        planner = Planner(arch.by_name(self.arch), dlc_context(ctx).measurements)
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                known = KnownValues()
                ops = [each for each in function.walk() if isinstance(each, GraphOp)]
                if choosing := [each for each in ops if _chooses(each, known)]:
                    choice = _Choice(choosing, known, OrderPrices(planner, self.inner, known))
                    for each in choice.in_other_order():
                        _relay(each)


def _chooses(op: GraphOp, known: KnownValues) -> bool:
    """Return whether an op prefers another order, and is computed when the model runs."""
    return op.preferred_permutation is not None and op.results[0] not in known


class _Choice:
    """The order of each region that ops with a preference read and give."""

    def __init__(self, ops: Sequence[GraphOp], known: KnownValues, prices: OrderPrices):
        self.ops = ops
        self.prices = prices
        self.regions = list(regions_of(ops, known))
        self.number = {v: n for n, region in enumerate(self.regions) for v in region.values}
        self.open = self._open()

    def in_other_order(self) -> list[GraphOp]:
        """Return the ops that give their result in the order that they prefer."""
        places = {number: place for place, number in enumerate(sorted(self.open))}
        tables = [
            Table(tuple(places[n] for n in table.variables), table.costs)
            for table in (*map(self._of_region, sorted(self.open)), *self._of_ops())
        ]
        chosen = cheapest(tables, len(places))
        own = {number for number, place in places.items() if chosen[place] != PREFERRED}
        return [op for op in self.ops if self.number.get(op.results[0]) not in own]

    def _open(self) -> set[int]:
        """Return the regions that are rated."""
        found = {n for n, region in enumerate(self.regions) if self._imposed(region) != (0.0, 0.0)}
        for op in self.ops:
            order = op.preferred_permutation
            assert order is not None
            if self.prices.has_rivals(op, order) and self._gains(op, order):
                found.update(self._sides(op))
        return found - {_CONSTANT}

    def _gains(self, op: GraphOp, order: Sequence[int]) -> bool:
        """Return whether a kernel takes less time in its own order."""
        other, own = (self.prices.of_op(op, order, each, each) for each in (OTHER, OWN))
        return own <= other * (1 - INDISTINCT)

    def _imposed(self, region: Region) -> tuple[float, float]:
        """Return the seconds of transpositions in the preferred order, and in the own one."""
        prefer = (self.prices.of_end(v, region.order) for v in region.moved)
        own = (self.prices.of_move(v, region.order) for v in region.unmoved)
        return sum(prefer, 0.0), sum(own, 0.0)

    def _of_region(self, number: int) -> Table:
        """Return what transpositions and reductions within a region cost in each order."""
        region = self.regions[number]
        prefer_s, own_s = self._imposed(region)
        costs = np.array([prefer_s, own_s + _ROUNDING_S])
        for op in region.reductions:
            kernels = [self.prices.of_op(op, region.order, each, each) for each in (OTHER, OWN)]
            costs += _untied(np.array(kernels))
        return Table((number,), costs)

    def _of_ops(self) -> Iterator[Table]:
        """Yield what the kernels of ops with a preference cost, by the orders of what they read and
        give.
        """
        for op in self.ops:
            order, (read, given) = op.preferred_permutation, self._sides(op)
            assert order is not None
            free = tuple(sorted({read, given} & self.open))
            if free:
                sides = [
                    [(OTHER, OWN)[at[free.index(n)]] if n in free else OTHER for n in (read, given)]
                    for at in np.ndindex(*[2] * len(free))
                ]
                costs = np.array([self.prices.of_op(op, order, *each) for each in sides])
                turns = np.array([read != given for read, given in sides])
                costs = _untied(costs) + 3 * _ROUNDING_S * turns
                yield Table(free, costs.reshape([2] * len(free)))

    def _sides(self, op: GraphOp) -> tuple[int, int]:
        """Return the regions that an op reads and gives."""
        read = self.number.get(op.operands[op.permuted_operands[0]], _CONSTANT)
        return read, self.number[op.results[0]]


def _untied(costs: np.ndarray) -> np.ndarray:
    """Return costs of which those that cannot be told from the first one are the same."""
    first = costs.flat[0]
    return np.where((costs < first) & (costs > first * (1 - INDISTINCT)), first, costs)


def _relay(op: GraphOp) -> None:
    permutation = op.preferred_permutation
    assert permutation is not None
    operands = list[SSAValue](op.operands)
    transposes: list[TransposeOp] = []
    for number in op.permuted_operands:
        transposes.append(transpose(operands[number], permutation))
        operands[number] = transposes[-1].output
    new = op.permuted(permutation, operands)
    assert new is not None, f"{op.name} prefers an order that it does not have"
    back = [transpose(r, inverse_permutation(permutation)) for r in new.results]
    for made in (*transposes, new, *back):
        made.location = op.location
    Rewriter.replace_op(op, [*transposes, new, *back], [t.output for t in back])
