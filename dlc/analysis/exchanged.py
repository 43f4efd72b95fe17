"""Buffers through which threads of a kernel give each other values in global memory."""

from itertools import product

from xdsl.ir import SSAValue

from dlc.analysis.owner import exchanged_buffers, global_accesses, is_owned
from dlc.arch.scope import Scope
from dlc.dialects.gpu import KernelOp
from dlc.ir.order import OrderingOp


def given_to_others(kernel: KernelOp) -> set[SSAValue]:
    """Return the buffers that threads write and others may read behind a barrier: all that are
    written and read, but for those of which each thread reads its own elements only.

    A compiler takes it that no barrier changes what only one ``__restrict__`` pointer leads to: it
    gives a thread what that has stored itself before the barrier (seen of NVRTC 13.5).
    """
    ops = (op for op in kernel.walk() if isinstance(op, OrderingOp))
    if not any(op.is_barrier(Scope.BLOCK) for op in ops):
        return set()
    return {buffer for buffer in exchanged_buffers(kernel) if not _is_own(kernel, buffer)}


def _is_own(kernel: KernelOp, buffer: SSAValue) -> bool:
    """Return whether surely no thread touches an element that another one touches, too."""
    found = [a for op in kernel.walk() for a in global_accesses(op) if a.buffer is buffer]
    pairs = list(product((a for a in found if a.writes), (a for a in found if a.reads)))
    scopes = Scope.THREAD, Scope.BLOCK
    return all(is_owned(kernel, *pair, scope) for scope in scopes for pair in pairs)
