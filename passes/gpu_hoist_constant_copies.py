"""Fetch weights while the launches before the kernel's own still run."""

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, Pure

from dlc.analysis.earlier_launch import touches_earlier
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import CpAsyncOp, GriddepcontrolWaitOp, KernelOp
from dlc.ir.access import Access, MemoryOp
from dlc.ir.order import OrderingOp


class GpuHoistConstantCopiesPass(DlcPass):
    """Copies of ``constant_inputs`` to shared memory move before the kernel's wait for the launches
    before it, with the positions that they need.

    Those move that come before the first operation that waits, for others or for copies: so the
    slices with which a main loop begins. A copy may come to an earlier group; who waits for its own
    waits for it too.

    Stays: a copy that needs a value of memory, into a buffer that is touched before, and what is
    behind a barrier or in a loop.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-insert-launch-waits``.

    ::

        gpu.griddepcontrol_wait       ->  gpu.cp_async %w[..] to %b[..]
        gpu.cp_async %x[..] to %a[..]     gpu.griddepcontrol_wait
        gpu.cp_async %w[..] to %b[..]     gpu.cp_async %x[..] to %a[..]
        gpu.cp_async_commit               gpu.cp_async_commit
    """

    name = "gpu-hoist-constant-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for inner in list(kernel.walk()):
                    if isinstance(inner, GriddepcontrolWaitOp):
                        _hoist(kernel, inner)


def _hoist(kernel: KernelOp, wait: GriddepcontrolWaitOp) -> None:
    behind = list(_until_next_wait(wait))
    movable = _movable(kernel, behind)
    needed = set[Operation]()
    for op in reversed(behind):
        if op in movable and (isinstance(op, CpAsyncOp) or _is_used_by(op, needed)):
            needed.add(op)
    block = wait.parent_block()
    assert block is not None
    for op in behind:
        if op in needed:
            op.detach()
            block.insert_op_before(op, wait)


def _movable(kernel: KernelOp, behind: Sequence[Operation]) -> set[Operation]:
    """Return the copies that may move, and the operations without effects that may go with them."""
    found = set[Operation]()
    touched = set[SSAValue]()
    for op in behind:
        depends = any(v.owner in behind and v.owner not in found for v in op.operands)
        may_move = not depends and not touches_earlier(op, kernel)
        is_copy = isinstance(op, CpAsyncOp) and may_move and op.destination not in touched
        if is_copy or (op.has_trait(Pure) and not op.regions and not depends):
            found.add(op)
        else:
            touched |= {a.buffer for x in op.walk() for a in _accesses(x)}
    return found


def _accesses(op: Operation) -> Sequence[Access]:
    return op.accesses() if isinstance(op, MemoryOp) else ()


def _until_next_wait(wait: Operation) -> Iterator[Operation]:
    """Yield what follows up to the next operation that waits, or holds one that does."""
    op = wait.next_op
    while op is not None and not op.has_trait(IsTerminator):
        if any(isinstance(x, OrderingOp) and x.acquires is not None for x in op.walk()):
            return
        yield op
        op = op.next_op


def _is_used_by(op: Operation, users: set[Operation]) -> bool:
    return any(use.operation in users for result in op.results for use in result.uses)
