"""What a kernel touches that launches before it may write, or still read."""

from collections.abc import Sequence

from xdsl.ir import Operation

from dlc.analysis.owner import global_accesses
from dlc.dialects.gpu import KernelOp
from dlc.ir.access import Access


def touches_earlier(op: Operation, kernel: KernelOp) -> bool:
    """Return whether ``op``, or an operation in it, touches what others than ``kernel`` may too.

    That is all of global memory but what ``kernel`` only reads of its ``constant_inputs``: buffers
    share memory when they are not in use at the same time, so a write may come too early as well.
    """
    constant = kernel.early_buffers
    return any(_is_of_others(global_accesses(inner), constant) for inner in op.walk())


def _is_of_others(accesses: Sequence[Access], constant: Sequence[object]) -> bool:
    return any(access.writes or access.buffer not in constant for access in accesses)
