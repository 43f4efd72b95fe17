"""Write out the taps of windows, so that their loads are under way together."""

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc.analysis.unrolled import iterations
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.dialects.gpu.unroll import UNROLL

MOST_TRIPS = 8
"""Iterations of a loop that is written out: windows are up to 7 wide."""
MOST_COPIES = 64
"""Of the innermost body, in all loops around it: more code takes longer to fetch than it saves."""


class GpuUnrollWindowsPass(DlcPass):
    """Loops with few iterations, and those around them while all together have few, are marked
    ``unroll`` in kernels without shared memory.

    In straight code the assembler moves the loads of all taps to the front; in a loop they wait for
    each other, round by round.

    A loop stays that has more than 8 iterations or an unknown number, that holds a loop which
    stays, or that would make more than 64 copies of its innermost body; and all loops of kernels
    with shared memory, through which loads run ahead by themselves.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-vectorize-memory``, which looks for
    neighbours in unrolled loops, and ``gpu-allocate-shared``.

    ::

        scf.for %i = 0 to 3 { scf.for %j = 0 to 3 { ... } }
        ->  scf.for %i = 0 to 3 { scf.for %j = 0 to 3 { ... } {unroll} } {unroll}
    """

    name = "gpu-unroll-windows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and not _has_shared_memory(kernel):
                _mark_loops(kernel)


def _has_shared_memory(kernel: KernelOp) -> bool:
    return kernel.shared_bytes is not None and kernel.shared_bytes.value.data > 0


def _mark_loops(op: Operation) -> int | None:
    """Mark loops in an operation, inner ones first; return the copies of the innermost body that
    are made there, ``None`` where a loop stays.
    """
    inner = [
        _mark_loops(each) for region in op.regions for block in region.blocks for each in block.ops
    ]
    copies = None if None in inner else max((n for n in inner if n is not None), default=1)
    if not isinstance(op, scf.ForOp) or UNROLL.marks(op):
        return copies
    trips = iterations(op)
    if copies is None or trips is None or trips > MOST_TRIPS or trips * copies > MOST_COPIES:
        return None
    UNROLL.mark(op)
    return trips * copies
