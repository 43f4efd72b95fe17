"""Loads of what launches before the kernel's own may write."""

from collections.abc import Hashable
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue

from dlc.dialects.gpu import CopyOp, KernelOp, RegisterAllocOp
from dlc.dialects.loop import LoadOp
from dlc.ir.access import MemoryOp
from dlc.ir.space import buffer_type


@dataclass(frozen=True)
class LateLoad:
    """A load of an input that the kernel may not take for constant.

    ops: the load, and the registers that nothing else writes. what: equal for loads of the same.
    value: the scalar, or the registers.
    """

    ops: tuple[Operation, ...]
    what: Hashable
    value: SSAValue

    @property
    def registers(self) -> int:
        """How many registers it fills."""
        alloc = self.value.owner
        return alloc.registers if isinstance(alloc, RegisterAllocOp) else 1

    def erase(self) -> None:
        """Remove it; nobody uses its value any more."""
        for op in self.ops:
            op.detach()
            op.erase()


def late_load(kernel: KernelOp, op: Operation) -> LateLoad | None:
    """Return the load that ``op`` is; ``None`` for another operation."""
    if not isinstance(op, LoadOp | CopyOp):
        return None
    source, *_ = op.accesses()
    early = kernel.constant_inputs is None or source.buffer in kernel.early_buffers
    if early or source.buffer not in kernel.input_buffers:
        return None
    if isinstance(op, LoadOp):
        what = (tuple(op.operands), tuple(op.properties.items()))
        return LateLoad((op,), what, op.value)
    alloc = op.destination.owner
    if not isinstance(alloc, RegisterAllocOp) or alloc.parent is not op.parent:
        return None
    whole = op.elements.value.data == prod(buffer_type(alloc.output).get_shape())
    if not whole or _is_written_by_others(alloc, op):
        return None
    what = (source.buffer, source.map, source.operands, source.elements)
    return LateLoad((op, alloc), what, alloc.output)


def _is_written_by_others(alloc: RegisterAllocOp, load: CopyOp) -> bool:
    """Return whether something else writes the registers, or may do so."""
    users = (use.operation for use in alloc.output.uses if use.operation is not load)
    return any(not _only_reads(user, alloc.output) for user in users)


def _only_reads(user: Operation, buffer: SSAValue) -> bool:
    if not isinstance(user, MemoryOp):
        return False
    return not any(access.writes for access in user.accesses() if access.buffer is buffer)
