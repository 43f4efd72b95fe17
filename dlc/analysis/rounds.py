"""Loops whose iterations workers take in rounds: each its own number, and those so many further."""

from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from dlc.analysis.index_expression import IndexExpressions, constant_of
from dlc.core.affine import interval_of


class Taken(NamedTuple):
    """What an expression leaves as its remainder by ``apart``: ``own``, in whichever round."""

    own: AffineExpr
    apart: int


def taken_in_rounds(expr: AffineExpr, expressions: IndexExpressions) -> Taken | None:
    """Return which worker takes the iteration that ``expr`` names: the variable of a loop that
    takes rounds, or its quotient by what divides the distance of rounds; ``None`` for another one.

    ``scf.for %i = %block to %n step %blocks``: %i leaves %block by %blocks, %i floordiv 2 leaves
    %block floordiv 2 by half of them.
    """
    divisor = 1
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.FloorDiv:
        if not isinstance(expr.rhs, AffineConstantExpr):
            return None
        expr, divisor = expr.lhs, expr.rhs.value
    if not isinstance(expr, AffineDimExpr):
        return None
    loop = _loop_of(expressions.values[expr.position])
    step = None if loop is None else constant_of(loop.step)
    if loop is None or step is None or step % divisor:
        return None
    first = expressions.of(loop.lb)
    if not interval_of(first, expressions.ranges).within(0, step - 1):
        return None
    return Taken(first // divisor, step // divisor)


def _loop_of(value: SSAValue) -> scf.ForOp | None:
    """Return the loop whose variable a value is."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
    return loop if isinstance(loop, scf.ForOp) and value is loop.body.block.args[0] else None
