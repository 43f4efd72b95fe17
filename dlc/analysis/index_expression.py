"""An access as expressions of the values that loops and ids give: through ``loop.index`` ops."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.index_range import range_of
from dlc.core.affine import Ranges, divisor_of, linear_index, simplify, stride
from dlc.dialects.loop import IndexOp
from dlc.ir.access import Access


@dataclass
class IndexExpressions:
    """Collects the values that expressions are over; dim ``i`` stands for ``values[i]``."""

    values: list[SSAValue] = field(default_factory=list)

    def of(self, value: SSAValue) -> AffineExpr:
        """Return an index value as an expression; what ``loop.index`` computes is looked into."""
        owner = value.owner
        if isinstance(owner, IndexOp):
            return self._compose(owner.expr, owner.indices)
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return AffineExpr.constant(owner.value.value.data)
        if value not in self.values:
            self.values.append(value)
        return AffineExpr.dimension(self.values.index(value))

    def _compose(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> AffineExpr:
        return expr.replace_dims_and_symbols([self.of(v) for v in operands], ())

    def position(self, access: Access) -> AffineExpr:
        """Return the row-major position of an access in its buffer, simplified."""
        indices = [self._compose(e, access.operands) for e in access.map.results]
        return simplify(linear_index(indices, access.type.get_shape()), self.ranges)

    def index(self, access: Access, axis: int) -> AffineExpr:
        """Return the index of an access along one axis."""
        return simplify(self._compose(access.map.results[axis], access.operands), self.ranges)

    @property
    def ranges(self) -> Ranges:
        """The ranges of the values."""
        return Ranges([range_of(v) for v in self.values])

    def stride_along(self, position: AffineExpr, value: SSAValue) -> int | None:
        """Return by how much ``position`` grows with ``value``; ``None`` when that varies."""
        if value not in self.values:
            return 0
        return stride(position, self.values.index(value), self.ranges)

    def divisor(self, position: AffineExpr) -> int:
        """Return a number that divides ``position`` always; 0 when it is always 0."""
        return divisor_of(position, [_step_of(v) for v in self.values], self.ranges)

    def at(self, expr: AffineExpr, value: SSAValue, number: int) -> AffineExpr:
        """Return ``expr`` where ``value`` is ``number``."""
        dims = [
            AffineExpr.constant(number) if v is value else AffineExpr.dimension(i)
            for i, v in enumerate(self.values)
        ]
        return expr.replace_dims_and_symbols(dims, ())

    def indices(self, access: Access, value: SSAValue, number: int) -> list[AffineExpr]:
        """Return the indices of an access, one per axis, where ``value`` is ``number``."""
        composed = [self._compose(e, access.operands) for e in access.map.results]
        return [simplify(self.at(e, value, number), self.ranges) for e in composed]


def constant_of(value: SSAValue) -> int | None:
    """Return the value of an integer constant, ``None`` for anything else."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def first_beyond(comparison: arith.CmpiOp) -> int | None:
    """Return the number from which on a signed comparison with a constant on its right is not what
    it is below; ``None`` where there is no such number.
    """
    limit = constant_of(comparison.rhs)
    if limit is None:
        return None
    match arith.CMPI_COMPARISON_OPERATIONS[comparison.predicate.value.data]:
        case "slt" | "sge":
            return limit
        case "sle" | "sgt":
            return limit + 1
        case _:
            return None


def _step_of(value: SSAValue) -> int:
    """Return a number known to divide a value: that of a loop's start and step, of a constant
    itself, of a choice what divides both.
    """
    constant = constant_of(value)
    if constant is not None:
        return constant
    if isinstance(value.owner, arith.SelectOp):
        return gcd(_step_of(value.owner.lhs), _step_of(value.owner.rhs))
    loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
        return 1
    return gcd(_step_of(loop.lb), _step_of(loop.step))
