"""Normalisations whose gradient is less than that of the ops that they mean."""

from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.gradient.rules import gradient_of
from dlc.dialects.graph.normalization import BatchNormOp, inverse_deviation
from dlc.dialects.graph.softmax import LogSoftmaxOp, SoftmaxOp
from dlc.ir.tensor import element_type, shape


@gradient_of(SoftmaxOp)
def _softmax(op: SoftmaxOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``y * (dy - sum of dy * y)``."""
    y, wide = g.widen(op.output), g.widen(dy)
    total = g.sum(g.mul(wide, y), op.axis.value.data)
    return g.cast(g.mul(y, g.sub(wide, total)), element_type(op.x))


@gradient_of(LogSoftmaxOp)
def _log_softmax(op: LogSoftmaxOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``dy - e**y * sum of dy``."""
    y, wide = g.widen(op.output), g.widen(dy)
    total = g.sum(wide, op.axis.value.data)
    return g.cast(g.sub(wide, g.mul(g.exp(y), total)), element_type(op.x))


@gradient_of(BatchNormOp)
def _batch_norm(op: BatchNormOp, g: Composer, dy: SSAValue, number: int) -> SSAValue | None:
    """The statistics are numbers that the model has; nothing is asked of them."""
    rank, axis, wide = len(shape(op.x)), op.channel_axis, g.widen(dy)
    others = [a for a in range(rank) if a != axis]
    scale, mean, variance = map(g.widen, (op.scale, op.mean, op.variance))
    inverse = inverse_deviation(g, variance, op.epsilon.value.data)
    match number:
        case 0:
            found = g.mul(wide, g.on_axis(g.mul(scale, inverse), axis, rank))
        case 1:
            distance = g.sub(g.widen(op.x), g.on_axis(mean, axis, rank))
            sums = g.sum(g.mul(wide, distance), *others)
            found = g.mul(g.reshape(sums, shape(scale)), inverse)
        case 2:
            found = g.reshape(g.sum(wide, *others), shape(scale))
        case _:
            return None
    return g.cast(found, element_type(op.operands[number]))
