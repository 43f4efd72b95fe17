"""Which ops put tensors together without a kernel: those whose operands are written where the
result wants them.
"""

from collections.abc import Collection, Sequence

from xdsl.ir import Block, Operation, SSAValue

from dlc.analysis.dataflow import Cluster, Dataflow, origin
from dlc.analysis.filled_parts import FilledParts
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.ir.tensor import element_count, shape


class Placement:
    """Which ops of a dataflow put tensors together without a kernel.

    What is known of an op is found once: of tensors that are laid over each other, each asks for
    all before it. The ops must stay as they are meanwhile.
    """

    def __init__(self, flow: Dataflow):
        self._flow = flow
        self._parts: dict[ComputedOp, Sequence[SSAValue]] = {}
        self._filled = FilledParts()

    def placed(self, cluster: Cluster, taken: Collection[SSAValue]) -> ComputedOp | None:
        """Return the op at the end of ``cluster`` that needs no kernel, ``None`` if there is none.

        Its result is its operands one after the other in memory (``operand_offsets``), or they are
        parts of its rows (``joined``). Each is all that some op computes, and none of ``taken``,
        which has its place elsewhere. At most one operand is computed in ``cluster``: taking the op
        out of it makes no kernel more.
        """
        if not is_dispensable(cluster):
            return None
        op = cluster.ops[-1]
        parts = self._parts_of(op)
        if not parts or len({*parts, *taken}) < len(parts) + len(taken):
            return None
        return op if all(part.owner in self._flow.position for part in parts) else None

    def placeable(self) -> set[ComputedOp]:
        """Return the ops that need no kernel where other kernels compute their operands."""
        found: set[ComputedOp] = set()
        taken: set[SSAValue] = set()
        for op in self._flow.ops:
            if self.placed(Cluster(self._flow, (op,)), taken):
                found.add(op)
                taken |= claimed(op)
        return found

    def _parts_of(self, op: ComputedOp) -> Sequence[SSAValue]:
        """Return the tensors that have to be written where the result of an op is; none where that
        cannot be.
        """
        found = self._parts.get(op)
        if found is None:
            found = self._parts[op] = self._find_parts(op)
        return found

    def _find_parts(self, op: ComputedOp) -> Sequence[SSAValue]:
        """A part of rows is for the op alone, since any other kernel would look for a tensor of its
        own. What it is laid over has parts that stand there already. Steps of a loop may be written
        out, with other buffers in each.
        """
        if op.joined is not None:
            parts = [x for x in op.operands if shape(x) != shape(op.results[0])]
            bases = [x.owner for x in op.operands if shape(x) == shape(op.results[0])]
            is_of_parts = all(map(self._is_of_parts, bases))
            is_alone = all({use.operation for use in x.uses} == {op} for x in parts)
            is_in_loop = isinstance(op.parent_op(), StepLoopOp)
            is_right = is_of_parts and is_alone and not is_in_loop and self._filled.is_enough(op)
            return parts if is_right else []
        if op.operand_offsets is None:
            return []
        whole = [self._flow.origin(value) for value in op.operands]
        return whole if [*map(element_count, op.operands)] == [*map(element_count, whole)] else []

    def _is_of_parts(self, base: Operation | Block) -> bool:
        return isinstance(base, ComputedOp) and bool(base.joined and self._parts_of(base))


def is_dispensable(cluster: Cluster) -> bool:
    """Whether the ops of a cluster without the last one give no tensor that it does not give
    anyway, and at most one in place of that.
    """
    op, flow = cluster.ops[-1], cluster.flow
    if cluster.results != tuple(op.results):
        return False
    made = (value for other in cluster.ops[:-1] for value in other.results)
    return sum(op in flow.readers(value) for value in made) <= 1


def claimed(op: ComputedOp) -> set[SSAValue]:
    """Return the tensors that have their places where an op is placed: its operands and results."""
    return {*map(origin, op.operands), *op.results}
