"""What an op reads: from where, by which views, and whether its bytes are known."""

from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from dlc.analysis.form import form
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import GraphOp

NOWHERE = -1
"""The producer of what no op of a dataflow computes."""


@dataclass(frozen=True, eq=False)
class Operand:
    """A value as ops read it; one for each value of a dataflow.

    producer: the place of the op that computes it, or what it is a view of. way: which result of
    that it is, and the forms of the views between. constant: the form of a constant that a group
    has a copy of. is_weight: whether its bytes are known, so that a kernel may want them in another
    order.
    """

    value: SSAValue
    producer: int
    way: tuple[int | str, ...]
    constant: str | None
    is_weight: bool

    @staticmethod
    def of(value: SSAValue, producer: int) -> "Operand":
        """Return what is known of a value that the op at place ``producer`` computes."""
        way = _way(value) if producer != NOWHERE else ()
        owner = value.owner
        constant = form(owner) if isinstance(owner, Operation) and is_inlined(value) else None
        return Operand(value, producer, way, constant, is_weight(value))


def is_inlined(value: SSAValue) -> bool:
    """Whether a group that reads ``value`` holds a copy of it: small constants and splats."""
    owner = value.owner
    return isinstance(owner, GraphOp) and owner.is_constant and not isinstance(owner, WeightOp)


def _way(value: SSAValue) -> tuple[int | str, ...]:
    """Return which result of the op that computes it a value is, and the views between."""
    views: list[str] = []
    while isinstance(value.owner, GraphOp) and value.owner.is_view:
        views.append(form(value.owner))
        value = value.owner.operands[0]
    assert isinstance(value, OpResult)
    return (value.index, *views)


def is_weight(value: SSAValue) -> bool:
    """Whether the bytes of a value are known, though no kernel has them in its code."""
    if isinstance(value, BlockArgument) and isinstance(group := value.block.parent_op(), GroupOp):
        value = group.inputs[value.index]
    return isinstance(value.owner, WeightOp)
