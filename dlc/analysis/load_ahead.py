"""Loads behind a loop, or another operation, that may as well come before it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from dlc.analysis.index_expression import IndexExpressions
from dlc.analysis.unrolled import neighbours_in
from dlc.arch.memory import REGISTER_BYTES
from dlc.core.affine import interval_of
from dlc.dialects.gpu import CopyOp
from dlc.ir.access import Access
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import element_bytes

Around = scf.ForOp | scf.IfOp


@dataclass(frozen=True)
class LoadAhead:
    """A load of an input that comes behind an operation, and needs nothing of it.

    path: the unrolled loops and the conditions around it that its place depends on, the outermost
    one first. needed: operations behind that one that give its place and these conditions; in
    order, without effects.
    """

    copy: CopyOp
    path: tuple[Around, ...]
    needed: tuple[Operation, ...]

    @property
    def positions(self) -> list[SSAValue]:
        """The positions of the loops around it."""
        return [op.body.block.args[0] for op in self.path if isinstance(op, scf.ForOp)]

    @property
    def rounds(self) -> tuple[int, ...]:
        """The iterations of the loops around it."""
        return tuple(neighbours_in(op) for op in self.path if isinstance(op, scf.ForOp))

    @property
    def registers(self) -> int:
        """The registers of a thread that all rounds fill."""
        source, _ = self.copy.accesses()
        bytes = source.elements * element_bytes(source.type.element_type)
        return prod(self.rounds) * ceil(bytes / REGISTER_BYTES)


def loads_behind(inputs: Sequence[SSAValue], first: Operation) -> Iterator[LoadAhead]:
    """Yield the loads of ``inputs``, which the kernel only reads, behind an operation, in its
    block, that may come before it.
    """
    behind = _Behind(first)
    for copy, path in _copies(behind.ops, ()):
        source, destination = copy.accesses()
        if source.buffer in inputs and space_of(destination.buffer) is Space.REGISTER:
            found = behind.load(copy, path)
            if found is not None:
                yield found


def _copies(
    ops: Iterable[Operation], path: tuple[Around, ...]
) -> Iterator[tuple[CopyOp, tuple[Around, ...]]]:
    """Yield the copies in unrolled loops and conditions, with these."""
    for op in ops:
        match op:
            case CopyOp():
                yield op, path
            case scf.ForOp() if neighbours_in(op) and not op.iter_args:
                yield from _copies(op.body.block.ops, (*path, op))
            case scf.IfOp() if not op.results and not op.false_region.blocks:
                yield from _copies(op.true_region.block.ops, (*path, op))
            case _:
                pass


class _Behind:
    """What follows an operation in its block."""

    def __init__(self, first: Operation):
        self._first = first
        self.ops = list(_following(first))
        self._inside = dict.fromkeys(inner for op in self.ops for inner in op.walk())

    def load(self, copy: CopyOp, path: tuple[Around, ...]) -> LoadAhead | None:
        """Return the load, ``None`` where it needs that operation, or what has effects."""
        source, _ = copy.accesses()
        conditions = [] if _is_inside(source) else [op for op in path if isinstance(op, scf.IfOp)]
        needed = set[Operation]()
        loops = set[Block]()
        waiting = [*source.operands, *(op.cond for op in conditions)]
        while waiting:
            owner = waiting.pop().owner
            if isinstance(owner, Block):
                loops.add(owner)
            elif self._first.is_ancestor(owner):
                return None
            elif owner in self._inside and owner not in needed:
                if not owner.has_trait(Pure) or owner.regions:
                    return None
                needed.add(owner)
                waiting += owner.operands
        kept = tuple(op for op in path if op in conditions or _body(op) in loops)
        return LoadAhead(copy, kept, tuple(op for op in self._inside if op in needed))


def _following(op: Operation) -> Iterator[Operation]:
    after = op.next_op
    while after is not None:
        yield after
        after = after.next_op


def _body(op: Around) -> Block | None:
    return op.body.block if isinstance(op, scf.ForOp) else None


def _is_inside(access: Access) -> bool:
    """Return whether the access is inside of its buffer, whatever conditions are around it."""
    expressions = IndexExpressions()
    sizes = access.type.get_shape()
    for axis, (size, reach) in enumerate(zip(sizes, access.reach, strict=True)):
        index = expressions.index(access, axis)
        low, high = interval_of(index, expressions.ranges)
        if low is None or high is None or low < 0 or high + reach > size:
            return False
    return True
