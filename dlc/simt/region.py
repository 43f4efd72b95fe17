"""Writes the ops of a region elsewhere, with index expressions in place of its arguments."""

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.irdl import IRDLOperation

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.core.affine import simplify
from dlc.dialects.loop import IndexOp
from dlc.dialects.loop.memory import ElementOp
from dlc.ir.access import canonical_access
from dlc.lowering.scope import LoopScope

_BELOW = {
    arith.CMPI_COMPARISON_OPERATIONS.index("slt"): True,
    arith.CMPI_COMPARISON_OPERATIONS.index("sge"): False,
}
"""By the number of a predicate, whether it holds for what is below."""


class RegionWriter:
    """Copies ops to where a scope writes.

    values, exprs: what stands for an old value; an index value that has an expression becomes a
    value only where an op needs one.
    """

    def __init__(
        self,
        scope: LoopScope,
        exprs: Mapping[SSAValue, AffineExpr],
        values: Mapping[SSAValue, SSAValue] | None = None,
    ):
        self.scope = scope
        self.exprs = dict(exprs)
        self.values = dict(values or {})

    def inner(
        self,
        exprs: Mapping[SSAValue, AffineExpr] | None = None,
        values: Mapping[SSAValue, SSAValue] | None = None,
    ) -> "RegionWriter":
        """Return a writer for a block inside, which knows more."""
        all_values = {**self.values, **(values or {})}
        return RegionWriter(self.scope, {**self.exprs, **(exprs or {})}, all_values)

    def expr(self, value: SSAValue) -> AffineExpr:
        """Return an index value as an expression of the scope's dims."""
        if value not in self.exprs:
            new = self.values.get(value, value)
            number = constant_of(new)
            known = None if number is None else AffineExpr.constant(number)
            self.exprs[value] = known or self.scope.dim(new, range_of(new))
        return self.exprs[value]

    def composed(
        self, exprs: Sequence[AffineExpr], indices: Sequence[SSAValue]
    ) -> list[AffineExpr]:
        """Return expressions over old index values as expressions of the scope's dims."""
        dims = [self.expr(v) for v in indices]
        return [e.replace_dims_and_symbols(dims, ()) for e in exprs]

    def value(self, value: SSAValue) -> SSAValue:
        """Return what stands for an old value."""
        if value not in self.values and value in self.exprs:
            self.values[value] = self.scope.index_value(self.exprs[value])
        return self.values.get(value, value)

    def write(self, ops: Iterable[Operation]) -> None:
        """Write ops in order."""
        for op in ops:
            match op:
                case IndexOp():
                    self._write_index(op)
                case arith.CmpiOp() if isinstance(op.lhs.type, IndexType):
                    self._write_comparison(op)
                case _:
                    self._write(op)

    def _write_index(self, op: IndexOp) -> None:
        (expr,) = self.composed([op.expr], op.indices)
        expr = simplify(expr, self.scope.ranges)
        if not isinstance(expr, AffineConstantExpr):
            self.values[op.value] = self.scope.index_value(expr)
            expr = self.scope.dim(self.values[op.value], self.scope.interval(expr))
        self.exprs[op.value] = expr

    def _write_comparison(self, op: arith.CmpiOp) -> None:
        """Write a comparison, or what it is wherever the ranges decide it."""
        low, high = self.scope.interval(self.expr(op.lhs) - self.expr(op.rhs))
        below, from_on = high is not None and high < 0, low is not None and low >= 0
        if op.predicate.value.data in _BELOW and (below or from_on):
            holds = below == _BELOW[op.predicate.value.data]
            self.values[op.result] = self.scope.b.constant(holds, i1)
        else:
            self._write(op)

    def _write(self, op: Operation) -> None:
        new = op.clone_without_regions({v: self.value(v) for v in self._operands(op)})
        if isinstance(op, ElementOp):
            assert isinstance(new, IRDLOperation)
            flat, dims = self.scope.resolve(self.composed(op.affine_map.results, op.indices))
            new.properties["map"], indices = canonical_access(flat, dims)
            new.operands = [*new.operands[: len(op.operands) - len(op.indices)], *indices]
        self.scope.b.builder.insert(new)
        self.values.update(zip(op.results, new.results, strict=True))
        for region, copy in zip(op.regions, new.regions, strict=True):
            for block in region.blocks:
                copy.add_block(made := Block(arg_types=block.arg_types))
                with self.scope.region(made, ()):
                    pairs = zip(block.args, made.args, strict=True)
                    self.inner(values=dict[SSAValue, SSAValue](pairs)).write(block.ops)

    @staticmethod
    def _operands(op: Operation) -> Sequence[SSAValue]:
        """Return the operands that are needed as values."""
        if not isinstance(op, ElementOp):
            return tuple(op.operands)
        return tuple(op.operands[: len(op.operands) - len(op.indices)])
