"""Bring weights to the L2 cache while the launches before the kernel's own still run."""

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from dlc.analysis.index_expression import constant_of
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import GriddepcontrolWaitOp, PrefetchTensorOp, TensorCopyOp
from dlc.dialects.gpu.kernel import kernel_of
from dlc.ir.space import buffer_type


class GpuPrefetchConstantsPass(DlcPass):
    """Before a kernel waits for the launches before its own, it prefetches what its first tensor
    copies of ``constant_inputs`` will bring.

    Of a copy in a loop these are the rounds that fill the slots of its destination, with the first
    iterations of the loops around it. Under the same condition as the copy, so by one thread.

    Stays: a kernel without tensor copies of constants; a copy under a condition in a loop, in the
    second branch of one, or whose condition or place needs a value of memory, or one that comes
    behind the wait and in none of its loops.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-insert-launch-waits``.

    ::

        gpu.griddepcontrol_wait        ->  scf.if %first { gpu.prefetch_tensor %w[0, 0] ... }
        scf.if %first {                    gpu.griddepcontrol_wait
          scf.for %k = 0 to 12 {           scf.if %first {
            gpu.tensor_copy %w[0, %k]        ...
    """

    name = "gpu-prefetch-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for wait in [o for o in op.walk() if isinstance(o, GriddepcontrolWaitOp)]:
            for copy in _copies_behind(wait):
                _prefetch(copy, wait)


def _copies_behind(wait: GriddepcontrolWaitOp) -> Iterator[TensorCopyOp]:
    """Yield the copies of boxes of constants after a wait."""
    constant = kernel_of(wait).early_buffers
    op = wait.next_op
    while op is not None:
        for copy in op.walk():
            if not isinstance(copy, TensorCopyOp) or copy.source not in constant:
                continue
            if not copy.tensor_map.is_im2col:
                yield copy
        op = op.next_op


def _prefetch(copy: TensorCopyOp, wait: GriddepcontrolWaitOp) -> None:
    around = _around(copy, wait)
    if around is None:
        return
    conditions, loops = around
    needed = _needed(copy, loops)
    if not all(op.has_trait(Pure) and not op.regions for op in needed):
        return
    if any(_is_behind(wait, value) for value in [*conditions, *_given(copy, loops, needed)]):
        return
    rounds = _first_rounds(copy, loops)
    new = [op for number in rounds for op in _round(copy, loops, needed, number)]
    for condition in reversed(conditions):
        new = [scf.IfOp(condition, [], [*new, scf.YieldOp()])]
    block = wait.parent_block()
    assert block is not None
    for op in new:
        op.location = copy.location
        block.insert_op_before(op, wait)


def _around(
    copy: TensorCopyOp, wait: GriddepcontrolWaitOp
) -> tuple[list[SSAValue], list[scf.ForOp]] | None:
    """Return the conditions under which a copy stands, and the loops in these, outermost first."""
    conditions: list[SSAValue] = []
    loops: list[scf.ForOp] = []
    inner: Operation = copy
    while inner.parent is not wait.parent:
        parent = inner.parent_op()
        match parent:
            case scf.ForOp() if not conditions:
                loops.insert(0, parent)
            case scf.IfOp() if parent.true_region.block is inner.parent:
                conditions.insert(0, parent.cond)
            case _:
                return None
        inner = parent
    return conditions, loops


def _needed(copy: TensorCopyOp, loops: Sequence[scf.ForOp]) -> list[Operation]:
    """Return the operations in the loops that the place of a copy needs, in order."""
    found = set[Operation]()
    waiting = list(copy.source_indices)
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Operation) and any(loop.is_ancestor(owner) for loop in loops):
            found.add(owner)
            waiting += owner.operands
    return [op for loop in loops[:1] for op in loop.walk() if op in found]


def _given(
    copy: TensorCopyOp, loops: Sequence[scf.ForOp], needed: Sequence[Operation]
) -> set[SSAValue]:
    """Return what the place of a copy in its first rounds is computed from."""
    users = [*copy.source_indices, *(value for op in needed for value in op.operands)]
    made = {result for op in needed for result in op.results}
    numbers = {loop.body.block.args[0] for loop in loops}
    return {*users, *(loop.lb for loop in loops)} - made - numbers


def _is_behind(wait: GriddepcontrolWaitOp, value: SSAValue) -> bool:
    """Return whether a value that is known somewhere behind a wait is not known before it."""
    block = wait.parent_block()
    assert block is not None
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    found = None if owner is None else block.find_ancestor_op_in_block(owner)
    return found is not None and wait.is_before_in_block(found)


def _round(
    copy: TensorCopyOp, loops: Sequence[scf.ForOp], needed: Sequence[Operation], number: int | None
) -> list[Operation]:
    """Return the prefetch of the round in which the innermost loop's variable is ``number``, of the
    first one for ``None``, and what it needs.
    """
    new: list[Operation] = []
    known: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: loop.lb for loop in loops}
    if number is not None:
        at = arith.ConstantOp(IntegerAttr(number, IndexType()))
        new.append(at)
        known[loops[-1].body.block.args[0]] = at.result
    new += [op.clone(known) for op in needed]
    dims = [known.get(value, value) for value in copy.source_indices]
    place = copy.source, copy.source_map.data.results, dims
    return [*new, PrefetchTensorOp(place, copy.map)]


def _first_rounds(copy: TensorCopyOp, loops: Sequence[scf.ForOp]) -> list[int | None]:
    """Return the rounds of the innermost loop that fill the slots of a copy's destination."""
    bounds = [constant_of(x) for loop in loops[-1:] for x in (loop.lb, loop.ub, loop.step)]
    known = [value for value in bounds if value is not None]
    if not known or None in bounds:
        return [None]
    slots, *_ = buffer_type(copy.destination).get_shape()
    return [None, *range(*known)[1:slots]]
