"""Spread the columns of shared tiles over the banks, so that matrix loads have no conflicts."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.shared_conflict import shared_accesses
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, SharedAllocOp, SwizzleAttr
from dlc.ir.access import Access
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes

CHUNK_BITS = 4
"""A matrix row is 16 bytes, which are never torn apart."""
LINE_BITS = 7
"""All 32 banks are 128 bytes."""


class GpuSwizzleSharedPass(DlcPass):
    """Give a swizzle to each shared buffer that matrix loads read.

    A matrix load reads 16 bytes at the same column of 8 rows. With rows of 128 bytes or a multiple
    they all start at the same bank and take 8 turns; xored with the row's number, the 8 pieces are
    in different banks. Rows that are not a power of two bytes long are left as they are, and so are
    buffers that have a swizzle or an access wider than 16 bytes.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: before ``gpu-allocate-shared``.
    """

    name = "gpu-swizzle-shared"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                _swizzle(kernel)


def _swizzle(kernel: KernelOp) -> None:
    accesses = [a for op in kernel.walk() for a in shared_accesses(op)]
    for op in kernel.walk():
        if isinstance(op, SharedAllocOp) and op.swizzle is None:
            own = [a for a in accesses if a.buffer is op.output]
            if any(a.collective for a in own) and all(_bytes(a) <= 1 << CHUNK_BITS for a in own):
                op.swizzle = swizzle_of_rows(_row_bytes(op))


def _bytes(access: Access) -> int:
    return access.elements * element_bytes(access.type.element_type)


def _row_bytes(op: SharedAllocOp) -> int:
    type = buffer_type(op.output)
    return type.get_shape()[-1] * element_bytes(type.element_type)


def swizzle_of_rows(row_bytes: int) -> SwizzleAttr | None:
    """Return the swizzle under which one column of 8 rows is in different banks, if there is one.

    Rows shorter than the banks' 128 bytes stand beside each other in them and need fewer bits.
    """
    row_bits = row_bytes.bit_length() - 1
    if row_bytes != 1 << row_bits or row_bits <= CHUNK_BITS:
        return None
    bits = min(row_bits, LINE_BITS) - CHUNK_BITS
    return SwizzleAttr((bits, CHUNK_BITS, max(row_bits, LINE_BITS) - CHUNK_BITS))
