"""What neighbours have in common: questions about the index values of a region, one of whose
arguments goes through runs of ``count`` neighbours.
"""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.index_expression import constant_of, first_beyond
from dlc.analysis.index_range import range_of
from dlc.core.affine import Interval, Ranges, divisor_of, extent, simplify, stride
from dlc.dialects.loop import IndexOp

_PLACE = 0
"""The dim of the place in a run."""


class Neighbours:
    """Index values of a region as expressions of the place in a run, the number of the run, and the
    other values.

    running: the argument that goes through the runs, which start at multiples of ``count``.
    sizes: of the first arguments of the region, in order.
    """

    def __init__(self, running: BlockArgument, count: int, sizes: Sequence[int]):
        self.running, self.block, self.count = running, running.block, count
        self.dims: list[Interval] = [extent(count)]
        self._unknown = set[int]()
        self.exprs: dict[SSAValue, AffineExpr] = {}
        for argument, size in zip(self.block.args, sizes, strict=False):
            if argument is running:
                run = self._dim(extent(size // count))
                self.exprs[argument] = run * count + AffineExpr.dimension(_PLACE)
            else:
                self.exprs[argument] = self._dim(extent(size))

    def _dim(self, interval: Interval) -> AffineExpr:
        self.dims.append(interval)
        return AffineExpr.dimension(len(self.dims) - 1)

    def composed(self, expr: AffineExpr, values: Sequence[SSAValue]) -> AffineExpr:
        """Return an expression over index values of the region, in terms of the runs."""
        found = expr.replace_dims_and_symbols([self._expr(v) for v in values], ())
        return simplify(found, Ranges(self.dims))

    def _expr(self, value: SSAValue) -> AffineExpr:
        if value not in self.exprs:
            self.exprs[value] = self._new_expr(value)
        return self.exprs[value]

    def _new_expr(self, value: SSAValue) -> AffineExpr:
        owner = value.owner
        if isinstance(owner, IndexOp) and self._is_inside(value):
            return self.composed(owner.expr, tuple(owner.indices))
        if isinstance(owner, arith.IndexCastOp) and self._is_inside(value):
            return self._expr(owner.input)
        if (number := constant_of(value)) is not None:
            return AffineExpr.constant(number)
        if self._varies(value):
            self._unknown.add(len(self.dims))
        return self._dim(range_of(value))

    def _varies(self, value: SSAValue) -> bool:
        """Return whether a value is computed, or loaded, of the place in a run."""
        if isinstance(value, BlockArgument):
            return value is self.running
        needed = (v for op in value.owner.walk() for v in op.operands)
        return self._is_inside(value) and any(map(self._varies, needed))

    def _is_known(self, expr: AffineExpr) -> bool:
        return self._unknown.isdisjoint(expr.used_dims())

    def _is_inside(self, value: SSAValue) -> bool:
        block = value.owner if isinstance(value, BlockArgument) else value.owner.parent_block()
        parent = self.block.parent_op()
        return isinstance(block, Block) and parent is not None and parent.is_ancestor(block)

    def is_fixed(self, expr: AffineExpr) -> bool:
        """Return whether an expression is the same for all of a run."""
        return self._is_known(expr) and stride(expr, _PLACE, Ranges(self.dims)) == 0

    def is_aligned_run(self, expr: AffineExpr) -> bool:
        """Return whether an expression goes through as many numbers, from a multiple of them on."""
        dims = [AffineExpr.dimension(i) for i in range(len(self.dims))]
        dims[_PLACE] = AffineExpr.constant(0)
        ranges = Ranges(self.dims)
        start = simplify(expr.replace_dims_and_symbols(dims, ()), ranges)
        is_run = self._is_known(expr) and stride(expr, _PLACE, ranges) == 1
        return is_run and divisor_of(start, (), ranges) % self.count == 0

    def is_decided_once(self, condition: SSAValue) -> bool:
        """Return whether a condition is the same for all of a run."""
        if not self._is_inside(condition):
            return True
        match condition.owner:
            case arith.AndIOp() as both:
                return all(map(self.is_decided_once, both.operands))
            case arith.CmpiOp(lhs=left, rhs=right) as comparison:
                expr = self.composed(AffineExpr.dimension(0), (left,))
                if constant_of(right) is None:
                    return False
                return self.is_fixed(expr) or self._is_cut(expr, first_beyond(comparison))
            case arith.ConstantOp():
                return True
            case _:
                return False

    def _is_cut(self, expr: AffineExpr, limit: int | None) -> bool:
        """Return whether a limit falls between runs: below it and from it on are the two sides."""
        return limit is not None and limit % self.count == 0 and self.is_aligned_run(expr)
