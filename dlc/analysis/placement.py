"""Which ops put tensors together without a kernel: those whose operands are written where the
result wants them.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster, Dataflow, origin
from dlc.analysis.element_profile import profile
from dlc.core.affine import Ranges, extent, interval_of
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_count, shape


def placed(cluster: Cluster, taken: Collection[SSAValue]) -> ComputedOp | None:
    """Return the op at the end of ``cluster`` that needs no kernel, ``None`` if there is none.

    Its result is its operands one after the other in memory (``operand_offsets``), or they are
    parts of its rows (``joined``). Each is all that some op computes, and none of ``taken``, which
    has its place elsewhere. At most one operand is computed in ``cluster``: taking the op out of it
    makes no kernel more.
    """
    if not is_dispensable(cluster):
        return None
    op = cluster.ops[-1]
    parts = _parts(cluster.flow, op)
    if not parts or len({*parts, *taken}) < len(parts) + len(taken):
        return None
    return op if all(part.owner in cluster.flow.position for part in parts) else None


def is_dispensable(cluster: Cluster) -> bool:
    """Whether the ops of a cluster without the last one give no tensor that it does not give
    anyway, and at most one in place of that.
    """
    op, flow = cluster.ops[-1], cluster.flow
    if cluster.results != tuple(op.results):
        return False
    made = (value for other in cluster.ops[:-1] for value in other.results)
    return sum(op in flow.readers(value) for value in made) <= 1


def placeable(flow: Dataflow) -> set[ComputedOp]:
    """Return the ops that need no kernel where other kernels compute their operands."""
    found: set[ComputedOp] = set()
    taken: set[SSAValue] = set()
    for op in flow.ops:
        if placed(Cluster(flow, (op,)), taken):
            found.add(op)
            taken |= claimed(op)
    return found


def claimed(op: ComputedOp) -> set[SSAValue]:
    """Return the tensors that have their places where an op is placed: its operands and results."""
    return {*map(origin, op.operands), *op.results}


def _parts(flow: Dataflow, op: ComputedOp) -> Sequence[SSAValue]:
    """Return the tensors that have to be written where the result is; none where that cannot be.

    A part of rows is for the op alone, since any other kernel would look for a tensor of its own.
    What it is laid over has parts that stand there already. Steps of a loop may be written out,
    with other buffers in each.
    """
    if op.joined is not None:
        parts = [x for x in op.operands if shape(x) != shape(op.results[0])]
        bases = [x.owner for x in op.operands if shape(x) == shape(op.results[0])]
        is_of_parts = all(isinstance(x, ComputedOp) and x.joined and _parts(flow, x) for x in bases)
        is_alone = all({use.operation for use in x.uses} == {op} for x in parts)
        is_in_loop = isinstance(op.parent_op(), StepLoopOp)
        is_right = is_of_parts and is_alone and not is_in_loop and _is_filled(op)
        return parts if is_right else []
    if op.operand_offsets is None:
        return []
    whole = [flow.origin(value) for value in op.operands]
    return whole if [*map(element_count, op.operands)] == [*map(element_count, whole)] else []


# What is read of tensors that are made of parts -------------------------------------------------


def _is_filled(op: GraphOp) -> bool:
    """Return whether all who read the result read parts of it, and all others who read the tensor
    that the parts are laid over, if there is one, read what stays as it was.

    A buffer that is made of parts has no zeros between them.
    """
    assert op.joined is not None
    filled, axis = _filled(op.results[0]), op.joined.axis
    if not all(filled[each].all() for each in _read(op.results[0], axis)):
        return False
    base, kept = op.operands[0], np.ones(len(filled), bool)
    if shape(base) != shape(op.results[0]):
        return True
    for x, start in zip(op.operands[1:], op.joined.starts[1:], strict=True):
        kept[start : start + shape(x)[axis]] = False
    return all(kept[each].all() for each in _read(base, axis))


def _filled(value: SSAValue) -> Array:
    """Return which places along the axis of what makes a tensor of parts some operand has."""
    op = value.owner
    assert isinstance(op, GraphOp)
    assert op.joined is not None
    axis = op.joined.axis
    filled = np.zeros(shape(value)[axis], bool)
    for x, start in zip(op.operands, op.joined.starts, strict=True):
        is_base = shape(x) == shape(value) and isinstance(x.owner, GraphOp) and x.owner.joined
        filled[start : start + shape(x)[axis]] |= _filled(x) if is_base else True
    return filled


def _read(value: SSAValue, axis: int) -> Iterator[slice]:
    """Yield which places along an axis of a tensor are read, but by what is laid over it."""
    for use in value.uses:
        op = use.operation
        is_over = isinstance(op, GraphOp) and op.joined and not use.index
        if is_over and shape(op.results[0]) == shape(value):
            continue
        yield from _read_by(op, value, axis) if isinstance(op, ComputedOp) else [slice(None)]


def _read_by(op: ComputedOp, value: SSAValue, axis: int) -> Iterator[slice]:
    found = profile(op)
    ranges = Ranges([extent(n) for n in (*found.parallel, *found.reduction)])
    for read in found.reads:
        if op.operands[read.operand] is value:
            low, high = interval_of(read.map.results[axis], ranges)
            yield slice(None) if low is None or high is None else slice(max(low, 0), high + 1)
