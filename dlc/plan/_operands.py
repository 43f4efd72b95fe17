"""What a cluster knows of what its ops read."""

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from dlc.analysis.dataflow import is_inlined
from dlc.analysis.form import form
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.source import WeightOp


def way(value: SSAValue, producer: Operation) -> tuple[int | str, ...]:
    """Return which result of ``producer`` a value is, and the views between."""
    views: list[str] = []
    while value.owner is not producer:
        assert isinstance(value.owner, Operation)
        views.append(form(value.owner))
        value = value.owner.operands[0]
    assert isinstance(value, OpResult)
    return (value.index, *views)


def constant(value: SSAValue) -> str | None:
    """Return what a constant is that a group has a copy of; ``None`` for any other value."""
    if not is_inlined(value):
        return None
    assert isinstance(value.owner, Operation)
    return form(value.owner)


def is_weight(value: SSAValue) -> bool:
    """Whether the bytes of an input are known, so that a kernel may want them in another order."""
    if isinstance(value, BlockArgument) and isinstance(group := value.block.parent_op(), GroupOp):
        value = group.inputs[value.index]
    return isinstance(value.owner, WeightOp)
