"""What it takes to compute one element of an op, found by writing the element into a scratch block.

The op says how one element is computed (``ComputedOp.element``); this asks it once and looks at
what it read and wrote. So no list of ops is needed to know an access pattern or a cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.builder import Builder
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap, AffineSymExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.form import once_per_form
from dlc.analysis.scalar_price import Price, price_of
from dlc.core.affine import Ranges, extent, interval_of
from dlc.dialects.graph.computed import ComputedOp, Index, ReductionOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.tensor import compute_type, element_type, shape


@dataclass(frozen=True)
class Read:
    """One access to an operand.

    map: (parallel dims..., reduction dims...)[computed integers...] -> index.
    guard: the axes along which the index may be outside, where the element is ``fill``.
    reduced: it happens at every point of the reduction.
    """

    operand: int
    map: AffineMap
    guard: tuple[int, ...]
    reduced: bool
    fill: float = 0.0

    @property
    def guarded(self) -> bool:
        """Whether the index may be outside."""
        return bool(self.guard)

    @property
    def is_gather(self) -> bool:
        """Whether the index depends on computed integers."""
        parts = (part for expr in self.map.results for part in expr.dfs())
        return any(isinstance(part, AffineSymExpr) for part in parts)

    def share(self, loops: Sequence[int], sizes: Sequence[int]) -> float:
        """Return the part of the points of ``loops`` at which the index is inside ``sizes``: of a
        concatenation's operands, each is read where it is the one.
        """
        ranges, inside = Ranges([extent(n) for n in loops]), 1.0
        for expr, size in zip(self.map.results, sizes, strict=True):
            low, high = interval_of(expr, ranges)
            if low is not None and high is not None and low <= high:
                inside *= max(0, min(high, size - 1) - max(low, 0) + 1) / (high - low + 1)
        return inside


@dataclass(frozen=True)
class ElementProfile:
    """How one result element is computed.

    parallel, reduction: sizes of the loops that the maps of ``reads`` range over.
    cost: scalar operations per result element outside the reduction, reduction_cost: per point of
    it, both in units of one addition.
    """

    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    reads: tuple[Read, ...]
    cost: int
    reduction_cost: int

    @cached_property
    def reduction_points(self) -> int:
        """The points of the reduction of one result element; 1 when there is none."""
        points = 1
        for size in self.reduction:
            points *= size
        return points

    @property
    def total_cost(self) -> int:
        """Scalar operations per result element, in units of one addition."""
        return self.cost + self.reduction_cost * self.reduction_points


@once_per_form
def profile(op: ComputedOp) -> ElementProfile:
    """Return the profile of the first result of ``op``."""
    return _Probe(op).profile()


class _Probe:
    """A ``Scope`` that records what an op reads and writes."""

    def __init__(self, op: ComputedOp):
        self._op = op
        self._block = Block()
        self.b = ScalarBuilder(Builder(InsertPoint.at_end(self._block)))
        self._reads: list[tuple[int, Index, Sequence[int], bool, float]] = []
        self._symbols = 0
        self._reduction: tuple[int, ...] = ()
        self._reducing = False
        self._reducing_price = Price()

    def profile(self) -> ElementProfile:
        parallel = shape(self._op.results[0])
        self._op.element(self, [AffineExpr.dimension(d) for d in range(len(parallel))])
        dims = len(parallel) + len(self._reduction)
        reads = tuple(
            Read(number, AffineMap(dims, self._symbols, tuple(index)), tuple(guard), reduced, fill)
            for number, index, guard, reduced, fill in self._reads
        )
        own = price_of(self._block) - self._reducing_price
        return ElementProfile(parallel, self._reduction, reads, own.cost, self._reducing_price.cost)

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        number = next(n for n, v in enumerate(self._op.operands) if v is operand)
        self._reads.append((number, index, guard, self._reducing, fill))
        return self._value(compute_type(element_type(operand)))

    def symbol(self, value: SSAValue) -> AffineExpr:
        self._symbols += 1
        return AffineExpr.symbol(self._symbols - 1)

    def integer(self, expr: AffineExpr, type: Attribute) -> SSAValue:
        return self._value(type)

    def reduce(self, op: ReductionOp, index: Index) -> Sequence[SSAValue]:
        self._reduction = op.domain.reduction
        first = len(op.domain.parallel)
        dims = [AffineExpr.dimension(first + d) for d in range(len(self._reduction))]
        initial = op.identity(self.b)
        before = price_of(self._block)
        self._reducing = True
        part = op.contribution(self, index, dims)
        result = op.append(self.b, initial, part)
        self._reducing = False
        self._reducing_price = price_of(self._block) - before
        return result

    def _value(self, type: Attribute) -> SSAValue:
        return self._block.insert_arg(type, len(self._block.args))
