"""Normalisations."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, f32
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import CompareOp, WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.local_response import LrnOp
from dlc.dialects.graph.normalization import (
    BatchNormOp,
    GroupNormOp,
    LayerNormOp,
    RmsNormOp,
    inverse_deviation,
)
from dlc.dialects.graph.properties import integer, normalized_axis, number
from dlc.dialects.graph.reduction import ReduceL1Op, ReduceL2Op
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.ir.tensor import element_type, shape


@converts("BatchNormalization", since=7)
def _batch_norm(node: NodeContext) -> Sequence[SSAValue]:
    if node.integer("spatial", 1) == 0:
        raise CompileError("BatchNormalization with spatial = 0 is not supported")
    g, x = Composer(node.insert), node.operand(0)
    parameters = [g.cast(node.operand(i), element_type(x)) for i in range(1, 5)]
    node.disregard("momentum")  # it only moves running statistics
    running: list[SSAValue] = []
    if node.integer("training_mode", 0):
        parameters[2:], running = _batch_statistics(node, x, parameters[2:])
    elif any(node.has_output(i) for i in range(1, 5)):
        raise CompileError("BatchNormalization with several outputs needs training_mode = 1")
    epsilon = number(node.number("epsilon", 1e-5))
    return [node.insert(BatchNormOp.make(x, *parameters, epsilon=epsilon)), *running]


def _batch_statistics(
    node: NodeContext, x: SSAValue, running: Sequence[SSAValue]
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Insert mean and variance of each channel, and the running ones moved towards them."""
    g, momentum = Composer(node.insert), node.number("momentum", 0.9)
    axes = [axis for axis in range(len(shape(x))) if axis != 1]
    mean = g.mean(x, *axes)
    distance = g.sub(x, mean)
    variance = g.mean(g.mul(distance, distance), *axes)
    current = [g.reshape(v, [shape(x)[1]]) for v in (mean, variance)]
    moved = [
        g.add(g.mul(old, g.like(momentum, x)), g.mul(new, g.like(1 - momentum, x)))
        for old, new in zip(running, current, strict=True)
    ]
    return current, moved


@converts("LayerNormalization", since=1)
def _layer_norm(node: NodeContext) -> Sequence[SSAValue]:
    g, x = Composer(node.insert), node.operand(0)
    axis = normalized_axis(node.integer("axis", -1), len(shape(x)))
    epsilon = node.number("epsilon", 1e-5)
    optional = [v for v in (node.optional(2),) if v is not None]
    y = node.insert(
        LayerNormOp.make(x, node.operand(1), *optional, axis=integer(axis), epsilon=number(epsilon))
    )
    single = node.integer("stash_type", 1) == 1
    if not (node.has_output(1) or node.has_output(2)):
        return [y]
    axes = range(axis, len(shape(x)))
    wide = g.cast(x, f32) if single else x
    mean = g.mean(wide, *axes)
    distance = g.sub(wide, mean)
    variance = g.mean(g.mul(distance, distance), *axes)
    return [y, mean, inverse_deviation(g, variance, epsilon)]


@converts("RMSNormalization", since=23)
@converts("SimplifiedLayerNormalization", since=1)
def _rms_norm(node: NodeContext) -> SSAValue:
    node.disregard("stash_type")  # the ops compute in f32 at least
    x = node.operand(0)
    axis = normalized_axis(node.integer("axis", -1), len(shape(x)))
    epsilon = number(node.number("epsilon", 1e-5))
    return node.insert(RmsNormOp.make(x, node.operand(1), axis=integer(axis), epsilon=epsilon))


@converts("InstanceNormalization", since=6)
def _instance_norm(node: NodeContext) -> SSAValue:
    operands = [node.operand(i) for i in range(3)]
    groups, epsilon = integer(node.shape(0)[1]), number(node.number("epsilon", 1e-5))
    return node.insert(GroupNormOp.make(*operands, groups=groups, epsilon=epsilon))


@converts("GroupNormalization", since=18)
def _group_norm_per_group(node: NodeContext) -> SSAValue:
    """Before opset 21 there is one scale and one bias per group."""
    g, groups = Composer(node.insert), node.integer("num_groups")
    channels = node.shape(0)[1]
    if channels % groups:
        raise CompileError(f"{channels} channels do not divide into {groups} groups")
    each = [channels // groups]
    parameters = [
        g.reshape(g.broadcast(g.reshape(node.operand(i), [groups, 1]), [groups, *each]), [channels])
        for i in (1, 2)
    ]
    return _group_norm(node, *parameters)


@converts("GroupNormalization", since=21)
def _group_norm_per_channel(node: NodeContext) -> SSAValue:
    return _group_norm(node, node.operand(1), node.operand(2))


def _group_norm(node: NodeContext, scale: SSAValue, bias: SSAValue) -> SSAValue:
    node.disregard("stash_type")  # the ops compute in f32 at least
    groups, epsilon = integer(node.integer("num_groups")), number(node.number("epsilon", 1e-5))
    return node.insert(
        GroupNormOp.make(node.operand(0), scale, bias, groups=groups, epsilon=epsilon)
    )


@converts("MeanVarianceNormalization", since=1)
def _mean_variance_norm(node: NodeContext) -> SSAValue:
    g, x = Composer(node.insert), node.operand(0)
    rank = len(shape(x))
    axes = [normalized_axis(a, rank) for a in node.integers("axes", [0, 2, 3])]
    distance = g.sub(x, g.mean(x, *axes))
    deviation = g.sqrt(g.mean(g.mul(distance, distance), *axes))
    return g.div(distance, g.add(deviation, g.like(1e-9, x)))


@converts("LRN", since=1)
def _lrn(node: NodeContext) -> SSAValue:
    return node.insert(
        LrnOp.make(
            node.operand(0),
            size=integer(node.integer("size")),
            alpha=number(node.number("alpha", 1e-4)),
            beta=number(node.number("beta", 0.75)),
            bias=number(node.number("bias", 1.0)),
        )
    )


@converts("LpNormalization", since=1)
def _lp_normalization(node: NodeContext) -> SSAValue:
    g, x, exponent = Composer(node.insert), node.operand(0), node.integer("p", 2)
    if exponent not in (1, 2):
        raise CompileError(f"LpNormalization has p of 1 or 2, got {exponent}")
    axis = normalized_axis(node.integer("axis", -1), len(shape(x)))
    norm = g.reduce(ReduceL1Op if exponent == 1 else ReduceL2Op, x, [axis])
    zero = g.like(0, x)
    is_zero = node.insert(CompareOp.make(norm, zero, predicate=StringAttr("eq")))
    return node.insert(WhereOp.make(is_zero, zero, g.div(x, norm)))
