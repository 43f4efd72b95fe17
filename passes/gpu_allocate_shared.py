"""Give every shared buffer its place in the block's shared memory."""

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation

from dlc.analysis.shared_conflict import is_block_barrier
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, SharedAllocOp
from dlc.ir.order import OrderingOp
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes

ALIGNMENT = 16
"""Bytes: the widest access of a thread."""


class GpuAllocateSharedPass(DlcPass):
    """Set ``offset`` of each shared buffer and ``shared_bytes`` of the kernel.

    Two buffers may share bytes when the last use of one is before a barrier and the first use of
    the other after it; one with the objects of tokens shares none. Large buffers are placed first,
    each as low as it fits.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-insert-barriers`` and
    ``gpu-swizzle-shared`` (a swizzled buffer starts at a multiple of its period).
    """

    name = "gpu-allocate-shared"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                _allocate(kernel)


@dataclass(frozen=True)
class _Buffer:
    """A shared buffer. first, last: the phases between barriers in which it is used."""

    op: SharedAllocOp
    bytes: int
    alignment: int
    first: int
    last: int

    def overlaps(self, other: "_Buffer") -> bool:
        return self.first <= other.last and other.first <= self.last


def _allocate(kernel: KernelOp) -> None:
    phases = _phases(kernel)
    buffers = [_buffer(op, phases, kernel) for op in kernel.walk() if isinstance(op, SharedAllocOp)]
    placed: list[tuple[_Buffer, int]] = []
    for buffer in sorted(buffers, key=lambda b: -b.bytes):
        offset = _lowest(buffer, [(b, at) for b, at in placed if b.overlaps(buffer)])
        placed.append((buffer, offset))
        buffer.op.offset = IntegerAttr(offset, i64)
    total = max((at + buffer.bytes for buffer, at in placed), default=0)
    if placed:
        kernel.shared_bytes = IntegerAttr(total, i64)


def _phases(kernel: KernelOp) -> dict[Operation, int]:
    """Return the number of barriers before each operation directly in the kernel."""
    phases: dict[Operation, int] = {}
    phase = 0
    for op in kernel.body.block.ops:
        phase += is_block_barrier(op)
        phases[op] = phase
    return phases


def _buffer(op: SharedAllocOp, phases: dict[Operation, int], kernel: KernelOp) -> _Buffer:
    type = buffer_type(op.output)
    bytes = prod(type.get_shape()) * element_bytes(type.element_type)
    alignment = ALIGNMENT if op.swizzle is None else max(op.swizzle.period_bytes, ALIGNMENT)
    used = [phases[_in_kernel(use.operation, kernel)] for use in op.output.uses]
    if _holds_tokens(op):
        used += phases.values()
    return _Buffer(op, bytes, alignment, min(used, default=0), max(used, default=0))


def _holds_tokens(op: SharedAllocOp) -> bool:
    """Return whether threads wait for objects in a buffer: its bytes are for nothing else then."""
    users = (use.operation for use in op.output.uses)
    tokens = (t for u in users if isinstance(u, OrderingOp) for t in (u.releases, u.acquires))
    return any(token is not None and token.of is op.output for token in tokens)


def _in_kernel(op: Operation, kernel: KernelOp) -> Operation:
    """Return the operation directly in the kernel that holds ``op``."""
    parent = op.parent_op()
    while parent is not None and parent is not kernel:
        op, parent = parent, parent.parent_op()
    return op


def _lowest(buffer: _Buffer, taken: list[tuple[_Buffer, int]]) -> int:
    """Return the lowest aligned offset at which no byte is taken."""
    offset = 0
    for other, at in sorted(taken, key=lambda pair: pair[1]):
        if offset + buffer.bytes <= at:
            break
        end = at + other.bytes
        offset = max(offset, -(-end // buffer.alignment) * buffer.alignment)
    return offset
