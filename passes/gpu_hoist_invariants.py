"""Compute once what all neighbours of a thread have in common."""

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, Pure

from dlc.analysis.changes import Changes
from dlc.analysis.unrolled import iterations
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.dialects.gpu.unroll import UNROLL
from dlc.dialects.loop import LoadOp


class GpuHoistInvariantsPass(DlcPass):
    """What an unrolled loop computes or loads alike in all iterations moves before it.

    The compiler of the text does that, too. But here it comes before neighbours are looked for: the
    place of a gathered row is known then before the loop over its elements, which are neighbours.
    The first iteration computes it in any case, so nothing runs that did not.

    Stays: what is conditional, loads of buffers that the loop writes or lets other threads write,
    and rolled loops, in which the compiler of the text knows better what registers there are.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-jam-unrolled``, before
    ``gpu-hoist-choices`` and ``gpu-vectorize-memory``.

    ::

        scf.for %v = 0 to 4 {            ->  %n = arith.maxsi %p, %zero
          %n = arith.maxsi %p, %zero         scf.for %v = 0 to 4 {
          ... %x[%n, %v]                       ... %x[%n, %v]
        } {unroll}                           } {unroll}
    """

    name = "gpu-hoist-invariants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in reversed([o for o in kernel.walk() if isinstance(o, scf.ForOp)]):
                    if UNROLL.marks(loop) and iterations(loop):
                        _hoist(loop)


def _hoist(loop: scf.ForOp) -> None:
    """Move what does not change before the loop; what needs it follows, in order."""
    body = loop.body.block
    changes = Changes([loop])
    for op in tuple(body.ops):
        if _may_move(op, changes) and not any(_changes(value, body) for value in op.operands):
            op.detach()
            around = loop.parent_block()
            assert around is not None
            around.insert_op_before(op, loop)


def _may_move(op: Operation, changes: Changes) -> bool:
    if isinstance(op, LoadOp):
        return not changes.may_change(op.buffer)
    return op.has_trait(Pure) and not op.regions and not op.has_trait(IsTerminator)


def _changes(value: SSAValue, body: Block) -> bool:
    """Return whether a value is made in each iteration."""
    return value.owner is body or (
        isinstance(value.owner, Operation) and value.owner.parent is body
    )
