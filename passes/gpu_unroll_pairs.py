"""Write out the two iterations that take turns in two slots."""

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from dlc.analysis.shared_conflict import is_block_barrier, shared_accesses
from dlc.arch.scope import Scope
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.dialects.gpu.unroll import UNROLL, UNROLL_PAIRS
from dlc.ir.access import Access
from dlc.ir.order import OrderingOp


class GpuUnrollPairsPass(DlcPass):
    """A loop over slices in two slots of shared memory is marked ``unroll_pairs`` where threads
    multiply for themselves: the slot of each of its two copies is a constant, and so are all places
    that a thread loads from, but for its own part of them.

    Such a loop is bound by the instructions that it issues, of which the places are a tenth. Loops
    with instructions that warps do together stay, since these hide the places, and so do loops with
    another number of slots.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: any.

    ::

        scf.for %k = 0 to 9 { copy %s[%k mod 2, ..] .. }
        ->  scf.for %k = 0 to 9 { copy %s[%k mod 2, ..] .. } {unroll_pairs}
    """

    name = "gpu-unroll-pairs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in [o for o in kernel.walk() if isinstance(o, scf.ForOp)]:
                    if _is_over_two_slots(loop):
                        UNROLL_PAIRS.mark(loop)


def _is_over_two_slots(loop: scf.ForOp) -> bool:
    inside = [op for op in loop.walk() if op is not loop]
    if UNROLL.marks(loop) or not any(map(is_block_barrier, inside)) or any(map(_is_shared, inside)):
        return False
    return any(_takes_turns(access, loop) for op in inside for access in shared_accesses(op))


def _is_shared(op: Operation) -> bool:
    """Return whether some threads do an operation together, and not only wait for each other."""
    return isinstance(op, OrderingOp) and op.together > Scope.THREAD and not is_block_barrier(op)


def _takes_turns(access: Access, loop: scf.ForOp) -> bool:
    """Return whether an index of an access is of this iteration, modulo 2."""
    own = [n for n, v in enumerate(access.operands) if v is loop.body.block.args[0]]
    return any(
        own[0] in remainder.used_dims()
        for expr in access.map.results
        for remainder in _remainders_of_two(expr)
        if own
    )


def _remainders_of_two(expr: AffineExpr) -> Iterator[AffineExpr]:
    for part in expr.dfs():
        match part:
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mod, _, AffineConstantExpr(2)):
                yield part
            case _:
                pass
