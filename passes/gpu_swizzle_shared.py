"""Spread the columns of shared tiles over the banks, so that wide loads have no conflicts."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.shared_conflict import shared_accesses
from dlc.arch.memory import LINE_BYTES, PIECE_BYTES
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, SharedAllocOp, SwizzleAttr
from dlc.ir.access import Access
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes

_PIECE_BITS = PIECE_BYTES.bit_length() - 1
_LINE_BITS = LINE_BYTES.bit_length() - 1
LANE_ROW_BITS = 6
"""Of rows of 32 bytes four are beside each other in the banks, and lanes that load for themselves
stand over no more at once. To find the place in a swizzle would only cost them."""


class GpuSwizzleSharedPass(DlcPass):
    """Give a swizzle to each shared buffer that matrix loads or products read, or lanes 16 bytes at
    a time.

    A matrix load reads 16 bytes at the same column of 8 rows, and so do 8 lanes that stand over
    different rows. With rows of 128 bytes or a multiple they all start at the same bank and take 8
    turns; xored with the row's number, the 8 pieces are in different banks. Rows that are not a
    power of two bytes long are left as they are, and so are buffers that have a swizzle or an
    access wider than 16 bytes, and rows of 32 bytes that no matrix load reads. Tiles that hardware
    reads or writes as a whole (products of a warpgroup) need the swizzle of their rows; what tensor
    copies touch stays as their maps say.

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
            if any(a.alignment > 1 for a in own):  # a tensor map has said how the tile lies
                continue
            by_rows = _is_read_by_rows(op, own) and all(_bytes(a) <= PIECE_BYTES for a in own)
            if by_rows or any(a.box for a in own):
                op.swizzle = swizzle_of_rows(_row_bytes(op))


def _is_read_by_rows(buffer: SharedAllocOp, own: Sequence[Access]) -> bool:
    """Return whether threads read 16 bytes of each of several rows together: by a matrix load, or
    each for itself.
    """
    alone = _row_bytes(buffer) >= 1 << LANE_ROW_BITS
    return any(a.collective or (alone and a.reads and _bytes(a) == PIECE_BYTES) for a in own)


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
    if row_bytes != 1 << row_bits or row_bits <= _PIECE_BITS:
        return None
    bits = min(row_bits, _LINE_BITS) - _PIECE_BITS
    return SwizzleAttr((bits, _PIECE_BITS, max(row_bits, _LINE_BITS) - _PIECE_BITS))
