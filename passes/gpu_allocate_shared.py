"""Give every shared buffer its place in the block's shared memory."""

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation

from dlc.analysis.shared_conflict import is_block_barrier
from dlc.arch.memory import ACCESS_BYTES
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp, SharedAllocOp
from dlc.dialects.gpu.cluster import RemoteOp
from dlc.ir.access import MemoryOp
from dlc.ir.order import OrderingOp
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes


class GpuAllocateSharedPass(DlcPass):
    """Set ``offset`` of each shared buffer and ``shared_bytes`` of the kernel.

    Two buffers may share bytes when the last use of one is before a barrier and the first use of
    the other after it; one with the objects of tokens, or that other blocks touch, shares none.
    Large buffers are placed first, each as low as it fits. A barrier in a branch, which all threads
    take or none, counts in it; what follows the branch may come without it.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-insert-barriers`` and
    ``gpu-swizzle-shared`` (a swizzled buffer starts at a multiple of its period, one that tensor
    copies touch where they want it).
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
    phases: _Phases = {}
    _number(kernel.body.block, phases, 0, 0)
    buffers = [_buffer(op, phases) for op in kernel.walk() if isinstance(op, SharedAllocOp)]
    placed: list[tuple[_Buffer, int]] = []
    for buffer in sorted(buffers, key=lambda b: -b.bytes):
        offset = _lowest(buffer, [(b, at) for b, at in placed if b.overlaps(buffer)])
        placed.append((buffer, offset))
        buffer.op.offset = IntegerAttr(offset, i64)
    total = max((at + buffer.bytes for buffer, at in placed), default=0)
    if placed:
        kernel.shared_bytes = IntegerAttr(total, i64)


_Phases = dict[Operation, tuple[int, int]]
"""The first and the last of the phases between barriers in which an operation may run."""


def _number(block: Block, phases: _Phases, first: int, last: int) -> int:
    """Find the phases of the operations of a block, the branches of its conditions included, which
    come to barriers or pass them by; return the last.
    """
    for op in block.ops:
        if is_block_barrier(op):
            first = last = last + 1
        phases[op] = first, last
        if isinstance(op, scf.IfOp):
            for branch in (inner for region in op.regions for inner in region.blocks):
                last = _number(branch, phases, first, last)
    return last


def _buffer(op: SharedAllocOp, phases: _Phases) -> _Buffer:
    type = buffer_type(op.output)
    bytes = prod(type.get_shape()) * element_bytes(type.element_type)
    alignment = ACCESS_BYTES if op.swizzle is None else max(op.swizzle.period_bytes, ACCESS_BYTES)
    users = [use.operation for use in op.output.uses]
    accesses = [a for user in users if isinstance(user, MemoryOp) for a in user.accesses()]
    alignment = max(alignment, *(a.alignment for a in accesses if a.buffer is op.output), 1)
    used = [phases[_numbered(use.operation, phases)] for use in op.output.uses]
    if _holds_tokens(op) or any(isinstance(user, RemoteOp) for user in users):
        used += phases.values()
    first = min((first for first, _ in used), default=0)
    return _Buffer(op, bytes, alignment, first, max((last for _, last in used), default=0))


def _holds_tokens(op: SharedAllocOp) -> bool:
    """Return whether threads wait for objects in a buffer: its bytes are for nothing else then."""
    users = (use.operation for use in op.output.uses)
    tokens = (t for u in users if isinstance(u, OrderingOp) for t in (u.releases, u.acquires))
    return any(token is not None and token.of is op.output for token in tokens)


def _numbered(op: Operation, phases: _Phases) -> Operation:
    """Return the operation that has phases and is or holds ``op``."""
    while op not in phases:
        parent = op.parent_op()
        assert parent is not None
        op = parent
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
