"""Whether a buffer may hold something else after some operations of a thread than before them."""

from collections.abc import Iterable

from xdsl.ir import Block, Operation, SSAValue

from dlc.dialects.gpu import KernelOp
from dlc.ir.access import MemoryOp
from dlc.ir.order import OrderingOp
from dlc.ir.space import Space, space_of


class Changes:
    """What some operations, and those in their regions, write, and what they let others write."""

    def __init__(self, ops: Iterable[Operation]):
        inside = [inner for op in ops for inner in op.walk()]
        accesses = [a for op in inside if isinstance(op, MemoryOp) for a in op.accesses()]
        self._written = {access.buffer for access in accesses if access.writes}
        self._meets = any(map(_orders, inside))

    def may_change(self, buffer: SSAValue) -> bool:
        """Return whether a load of ``buffer`` may give something else before and after them."""
        return buffer in self._written or self.may_meet(buffer)

    def may_meet(self, buffer: SSAValue) -> bool:
        """Return whether they may order what this thread and others do with ``buffer``, where one
        of them writes.
        """
        return self._meets and _has_other_writers(buffer)


def _orders(op: Operation) -> bool:
    """Return whether a thread tells others at ``op`` what it has done, or waits for them."""
    return isinstance(op, OrderingOp) and (op.acquires is not None or op.releases is not None)


def _has_other_writers(buffer: SSAValue) -> bool:
    """Return whether other threads may write to a buffer: not to registers, nor to an input."""
    if space_of(buffer) is Space.REGISTER:
        return False
    kernel = buffer.owner.parent_op() if isinstance(buffer.owner, Block) else None
    return not (isinstance(kernel, KernelOp) and buffer in kernel.input_buffers)
