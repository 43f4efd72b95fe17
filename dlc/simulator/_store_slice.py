"""The part of a kernel that decides which elements of its outputs it writes."""

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from dlc.dialects.gpu import KernelOp
from dlc.ir.access import Access, MemoryOp


class StoreSlice:
    """A kernel's stores to its outputs and to what it wants filled, and what their places and
    conditions are computed from.

    stores: the operations that write these, with the accesses. operations: they and all that
    decides where and whether they write: index arithmetic, loops, conditions. from_memory: the
    values that depend on data. A condition that does is one of these: the last block of a tile goes
    on alone.
    """

    def __init__(self, kernel: KernelOp):
        outputs = {*kernel.output_buffers, *kernel.filled_buffers}
        self.stores: dict[Operation, list[Access]] = {
            op: written
            for op in kernel.walk()
            if isinstance(op, MemoryOp)
            and (written := [x for x in op.accesses() if x.writes and x.buffer in outputs])
        }
        self.from_memory = _values_from_memory(kernel)
        self.operations: set[Operation] = set()
        waiting: list[Operation] = list(self.stores)
        while waiting:
            op = waiting.pop()
            if op not in self.operations and not isinstance(op, KernelOp):
                self.operations.add(op)
                waiting += self._needed_by(op)

    @property
    def is_decided(self) -> bool:
        """Whether no place of a store and no number of iterations depends on data."""
        places = [x for written in self.stores.values() for a in written for x in a.operands]
        loops = (op for op in self.operations if isinstance(op, scf.ForOp))
        bounds = [x for op in loops for x in (op.lb, op.ub, op.step)]
        return self.from_memory.isdisjoint([*places, *bounds])

    def _needed_by(self, op: Operation) -> Iterator[Operation]:
        """Give the operations that ``op`` is in, and those that compute what it needs."""
        written = self.stores.get(op)
        if written is None:
            values = [*op.operands, *(x for side in _yielded(op) for x in side)]
        else:
            values = [x for access in written for x in access.operands]
        for value in values:
            if value not in self.from_memory:
                owner = value.owner
                yield from _parent(owner) if isinstance(owner, Block) else [owner]
        yield from _parent(op)


def _parent(inside: Operation | Block) -> list[Operation]:
    parent = inside.parent_op()
    return [] if parent is None else [parent]


def _yielded(op: Operation) -> list[list[SSAValue]]:
    """Return what each region of a loop or condition yields."""
    ends = [block.last_op for region in op.regions for block in region.blocks]
    return [list(end.operands) for end in ends if isinstance(end, scf.YieldOp)]


def _values_from_memory(kernel: KernelOp) -> set[SSAValue]:
    """Return the values that are read from memory or got from other threads, and what they decide.

    Goes over the kernel until nothing is added: what a loop carries may come from its end.
    """
    found: set[SSAValue] = set()
    before = -1
    while before < len(found):
        before = len(found)
        for op in kernel.walk():
            found.update(_from_memory(op, found))
    return found


def _from_memory(op: Operation, found: set[SSAValue]) -> Iterator[SSAValue]:
    """Give the values that ``op`` defines and that depend on data, where those found so far do."""
    match op:
        case scf.ForOp():
            (last,) = _yielded(op) or [[]]
            decided = found.isdisjoint((op.lb, op.ub, op.step))
            carried = zip(op.iter_args, last, op.body.block.args[1:], op.results, strict=True)
            for first, after, argument, result in carried:
                if not decided or first in found or after in found:
                    yield from (argument, result)
        case scf.IfOp():
            decided = op.cond not in found
            for result, *sides in zip(
                op.results, *(_yielded(op) if op.results else ()), strict=True
            ):
                if not decided or not found.isdisjoint(sides):
                    yield result
        case _:
            if not is_side_effect_free(op) or not found.isdisjoint(op.operands):
                yield from op.results
