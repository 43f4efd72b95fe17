"""Reductions of whole rows of a contraction's result, and what is computed from them alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import gemm
from dlc.analysis.role import RowSpace, row_space
from dlc.dialects.graph.computed import ComputedOp, ContractionOp, ElementwiseOp
from dlc.dialects.graph.reduction import ReduceOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import compute_type, element_type, shape

Index = Sequence[AffineExpr]


@dataclass
class RowTotals:
    """Those that were found so far behind ``root``: all of one shape, over the same axes, of
    elements that are at the same place.

    totals: the reductions, in order. values: what has an element for each row.
    """

    root: SSAValue
    totals: list[ReduceOp] = field(default_factory=list)
    values: set[SSAValue] = field(default_factory=set)
    space: RowSpace | None = None
    index: tuple[AffineExpr, ...] = ()

    def add_total(self, op: ComputedOp, inside: Mapping[SSAValue, Index]) -> bool:
        """Take a reduction whose rows are those of the product; return whether it is one.

        inside: where an element of the root is in the operands that come from it.
        """
        space = row_space(op) if isinstance(op, ReduceOp) else None
        if space is None or not isinstance(op, ReduceOp) or len(inside) != 1:
            return False
        ((value, index),) = inside.items()
        if shape(op.results[0]) != space.reduced or not self._is_row(index, space):
            return False
        types = {compute_type(element_type(x)) for x in (self.root, value, op.results[0])}
        if len(types) > 1 or (self.totals and (space, tuple(index)) != (self.space, self.index)):
            return False
        self.space, self.index = space, tuple(index)
        self.totals.append(op)
        self.values.add(op.results[0])
        return True

    def add_of_rows(self, op: ComputedOp) -> bool:
        """Take an op that computes an element for each row from such; return whether it does."""
        if not isinstance(op, ElementwiseOp) or not self.values.intersection(op.operands):
            return False
        if self.space is None or shape(op.results[0]) != self.space.reduced:
            return False
        self.values.add(op.results[0])
        return True

    def may_read(self, op: ComputedOp, index: Index) -> bool:
        """Whether an op that computes elements of rows, at a place, finds what these rows have."""
        used = [v for v in op.operands if _source(v) in self.values]
        if not used:
            return True
        if self.space is None or not isinstance(op, ElementwiseOp):
            return False
        is_same = shape(op.results[0]) == self.space.shape and tuple(index) == self.index
        return is_same and self.values.issuperset(used)

    def _is_row(self, index: Index, space: RowSpace) -> bool:
        """Whether a row of the space has all columns of the product, and nothing else."""
        op = self.root.owner
        if not isinstance(op, ContractionOp):
            return False
        columns = {loop.dim for loop in gemm(op).n}
        rows = [expr for axis, expr in enumerate(index) if axis not in space.axes]
        along = [index[axis] for axis in space.axes]
        others = {loop.dim for loops in (gemm(op).batch, gemm(op).m) for loop in loops}
        if columns & others:
            return False
        used = set[int]().union(*(expr.used_dims() for expr in along))
        return used == columns and not any(expr.used_dims() & columns for expr in rows)


def _source(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, GraphOp) and value.owner.is_view:
        value = value.owner.operands[0]
    return value
