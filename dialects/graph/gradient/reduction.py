"""Reductions over axes: what each element had to do with the result."""

from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph import reduction
from dlc.dialects.graph.comparison import CompareOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.elementwise import SignOp
from dlc.dialects.graph.gradient.rules import gradient_of
from dlc.dialects.graph.reduction import OverAxes
from dlc.dialects.graph.softmax import ReduceLogSumExpOp
from dlc.ir.tensor import shape


def _kept(op: OverAxes, g: Composer, x: SSAValue) -> SSAValue:
    """Write a tensor of the shape of the result so that it broadcasts to the operand."""
    return g.reshape(x, [1 if a in op.reduced else n for a, n in enumerate(shape(op.x))])


@gradient_of(reduction.ReduceSumOp)
def _sum(op: reduction.ReduceSumOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.broadcast(_kept(op, g, dy), shape(op.x))


@gradient_of(reduction.ReduceMeanOp)
def _mean(op: reduction.ReduceMeanOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    count = prod(shape(op.x)[axis] for axis in op.reduced)
    return g.broadcast(_kept(op, g, g.mul(dy, g.like(1 / count, dy))), shape(op.x))


@gradient_of(reduction.ReduceMaxOp, reduction.ReduceMinOp)
def _extremum(op: reduction.ExtremumOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """In equal shares to all elements that equal the result."""
    same = CompareOp.make(op.x, _kept(op, g, op.output), predicate=StringAttr("eq"))
    is_same, one, zero = g.insert(same), g.like(1, dy), g.like(0, dy)
    count = reduction.ReduceSumOp.make(
        g.where(is_same, one, zero), axes=op.axes, keep_dims=op.keep_dims
    )
    return g.where(is_same, _kept(op, g, g.div(dy, g.insert(count))), zero)


@gradient_of(reduction.ReduceSumSquareOp)
def _sum_square(
    op: reduction.ReduceSumSquareOp, g: Composer, dy: SSAValue, number: int
) -> SSAValue:
    return g.mul(op.x, _kept(op, g, g.mul(dy, g.like(2, dy))))


@gradient_of(reduction.ReduceL1Op)
def _l1(op: reduction.ReduceL1Op, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.mul(g.insert(SignOp.make(op.x)), _kept(op, g, dy))


@gradient_of(reduction.ReduceL2Op)
def _l2(op: reduction.ReduceL2Op, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.mul(op.x, _kept(op, g, g.div(dy, op.output)))


@gradient_of(ReduceLogSumExpOp)
def _log_sum_exp(op: ReduceLogSumExpOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``dy * e**(x - y)``."""
    return g.mul(g.exp(g.sub(op.x, _kept(op, g, op.output))), _kept(op, g, dy))
