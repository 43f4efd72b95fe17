"""Let kernels wait for the launches before them, and say when the launch after them may begin."""

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dlc.analysis.earlier_launch import touches_earlier
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import (
    GriddepcontrolLaunchDependentsOp,
    GriddepcontrolOp,
    GriddepcontrolWaitOp,
    KernelOp,
)
from dlc.ir.order import BETWEEN_THREADS, OrderingOp


class GpuInsertLaunchWaitsPass(DlcPass):
    """A kernel with ``constant_inputs`` begins while the launches before it run: each of its
    threads waits for their end before it touches anything else in global memory.

    1. The wait stands before the first operation that touches such memory, outside of loops and
       conditions. Where a condition divides threads into roles, it stands in both branches: a role
       that touches none waits at its end.
    2. With ``dependents`` the launch after it may begin then.

    A kernel stays as it is that has no ``constant_inputs``, or has such operations.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-set-dependents``.

    ::

        %w = loop.load %weights[%t]       ->  %w = loop.load %weights[%t]
        %v = loop.load %x[%t]                 gpu.griddepcontrol_wait
                                              %v = loop.load %x[%t]
    """

    name = "gpu-insert-launch-waits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and _lacks_waits(kernel):
                _insert_waits(kernel, kernel.body.block)


def _lacks_waits(kernel: KernelOp) -> bool:
    """Return whether a kernel may begin early and says nothing of it."""
    says = any(isinstance(op, GriddepcontrolOp) for op in kernel.walk())
    return kernel.constant_inputs is not None and not says


def _insert_waits(kernel: KernelOp, block: Block) -> None:
    for op in block.ops:
        if touches_earlier(op, kernel) or op is block.last_op:
            branches = _branches(op)
            for branch in branches:
                _insert_waits(kernel, branch)
            if not branches:
                _put(GriddepcontrolWaitOp(), op)
                if kernel.dependents is not None:
                    _put(GriddepcontrolLaunchDependentsOp(), op)
            return


def _branches(op: Operation) -> list[Block]:
    """Return both branches of a condition that divides threads into roles, else none."""
    if not isinstance(op, scf.IfOp) or not op.false_region.blocks:
        return []
    has_roles = any(_is_of_roles(inner) for inner in op.walk())
    return [op.true_region.block, op.false_region.block] if has_roles else []


def _is_of_roles(op: Operation) -> bool:
    token = op.acquires if isinstance(op, OrderingOp) else None
    return token is not None and token.kind in BETWEEN_THREADS


def _put(op: GriddepcontrolOp, before: Operation) -> None:
    op.location = before.location
    block = before.parent_block()
    assert block is not None
    block.insert_op_before(op, before)
