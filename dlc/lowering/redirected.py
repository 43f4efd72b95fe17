"""A ``Scope`` that reads in another way than the one that it writes to."""

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.lowering.scope import LoopScope


class RedirectedScope:
    """Writes what ``scope`` does, but for reads of operands, which ``read`` answers."""

    def __init__(self, scope: LoopScope, read: Callable[..., SSAValue]):
        self._scope = scope
        self._read = read
        self.b: ScalarBuilder = scope.b

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        """Return an element of an operand."""
        return self._read(operand, index, guard, fill)

    def symbol(self, value: SSAValue) -> AffineExpr:
        """Return a computed integer as an index expression."""
        return self._scope.symbol(value)

    def integer(self, expr: AffineExpr, type: Attribute) -> SSAValue:
        """Return an index expression as a scalar."""
        return self._scope.integer(expr, type)

    def reduce(self, op: ReductionOp, index: Index) -> Sequence[SSAValue]:
        """Return the accumulators of another reduction."""
        return self._scope.reduce(op, index)
