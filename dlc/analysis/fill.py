"""What the host fills before it launches a kernel."""

from dlc.dialects.gpu import KernelOp
from dlc.ir.space import buffer_bytes


def fills_of(kernel: KernelOp) -> tuple[tuple[int, int], ...]:
    """Return the number and the bytes of each buffer that holds only ones when a kernel begins."""
    return tuple((buffer.index, buffer_bytes(buffer)) for buffer in kernel.filled_buffers)
