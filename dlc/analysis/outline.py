"""The ops of a cluster as a group of their own."""

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import is_inlined
from dlc.core.locations import joined
from dlc.dialects.fused_group import GroupOp, YieldOp


def outline(cluster: Cluster, name: str) -> GroupOp:
    """Return a detached group with copies of the ops of ``cluster``."""
    return _outlined(cluster, name, cluster.inputs, cluster.inner)


def outline_apart(cluster: Cluster, name: str) -> GroupOp:
    """Return such a group whose inputs stand in buffers of their own: views of them are in it."""
    inputs = tuple(dict.fromkeys(map(cluster.flow.origin, cluster.inputs)))
    return _outlined(cluster, name, inputs, lambda value: value not in inputs)


def _outlined(
    cluster: Cluster,
    name: str,
    inputs: tuple[SSAValue, ...],
    is_inner: Callable[[SSAValue], bool],
) -> GroupOp:
    """is_inner: whether the group has a copy of what gives a value."""
    group = GroupOp(name, inputs, [v.type for v in cluster.results])
    body = group.body.block
    inner = dict[SSAValue, SSAValue](zip(inputs, body.args, strict=True))
    for value, argument in inner.items():
        argument.name_hint = value.name_hint

    def copy(value: SSAValue) -> None:
        """Copy the constant, or the views, that ``value`` needs into the group."""
        owner = value.owner
        if value in inner or not isinstance(owner, Operation):
            return
        if is_inner(value) or is_inlined(value):
            for operand in owner.operands:
                copy(operand)
            body.add_op(owner.clone(inner))

    for op in cluster.ops:
        for value in op.operands:
            copy(value)
        body.add_op(op.clone(inner))
    body.add_op(YieldOp(*(inner[v] for v in cluster.results)))
    group.location = joined(op.location for op in cluster.ops)
    return group
