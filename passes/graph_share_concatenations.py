"""Let concatenations that begin alike share the memory of the longest of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.dataflow import is_free
from dlc.core.passes import DlcPass
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.overlay import OverlayOp
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.structure import GraphOp, Joined
from dlc.ir.tensor import shape


class GraphShareConcatenationsPass(DlcPass):
    """Tensors that are joined again and again, each time with more, are stored once, as parts of
    the longest concatenation. The others are slices of what is there by then.

    Without it each tensor is copied for every concatenation that it is in (DenseNet). Each reader
    gets a slice of its own, so that its kernel reads the part where it is.

    Left alone: a concatenation that is the beginning of no other; one of tensors that no kernel
    makes, or that begin where no buffer may; tensors that are in the beginning of two; and one
    whose parts are read before a part in front of them is there.

    Runs on: ``graph``. Leaves: ``graph``. Order: after the last ``cse``, which would make one slice
    of all, and after layouts are chosen, which say what lies beside each other.

    ::

        %1 = graph.concat %a, %b            %0 = graph.overlay %a, %b at 0, 8 : ..x24
        %c = graph.relu %1              ->  %1 = graph.slice %0 to 16
        %2 = graph.concat %a, %b, %c        %c = graph.relu %1
                                            %2 = graph.overlay %0, %c at 0, 16 : ..x24
    """

    name = "graph-share-concatenations"
    joins_nodes = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp):
                for chain in list(_chains(function.body.block)):
                    chain.write()


def _chains(block: Block) -> Iterator["_Chain"]:
    """Yield the concatenations of a block that begin alike and can share memory."""
    place = {op: number for number, op in enumerate(block.ops)}
    joining = [(op, op.joined) for op in place if isinstance(op, GraphOp) and op.joined]
    found = [(op, where) for op, where in joining if not isinstance(op, OverlayOp)]
    found.sort(key=lambda each: -len(each[0].operands))
    taken: set[SSAValue] = set()
    for longest, where in found:
        parts = tuple(longest.operands)
        shorter = [
            op for op, own in found if own.axis == where.axis and _begins(parts, op.operands)
        ]
        if not shorter or taken.intersection(parts) or len(set(parts)) < len(parts):
            continue
        chain = _Chain(longest, where, shorter, place)
        if all(map(_is_made, parts)) and chain.is_in_order():
            taken.update(parts)
            yield chain


def _begins(parts: Sequence[SSAValue], others: Sequence[SSAValue]) -> bool:
    return len(others) < len(parts) and tuple(others) == tuple(parts[: len(others)])


def _owners(values: Iterable[SSAValue]) -> list[Operation]:
    return [value.owner for value in values if isinstance(value.owner, Operation)]


def _is_made(value: SSAValue) -> bool:
    """Return whether a kernel makes a tensor, which can be stored anywhere then."""
    return isinstance(value.owner, ComputedOp) and not is_free(value.owner)


@dataclass(frozen=True)
class _Chain:
    """Concatenations of the first operands of ``longest``. place: of each op in the block."""

    longest: GraphOp
    where: Joined
    shorter: Sequence[GraphOp]
    place: dict[Operation, int]

    @property
    def members(self) -> list[GraphOp]:
        """All of them."""
        return [*self.shorter, self.longest]

    def others(self, value: SSAValue) -> list[Operation]:
        """Return the ops that read a tensor and are none of the concatenations."""
        readers = dict.fromkeys(use.operation for use in value.uses)
        return [op for op in readers if op not in self.members]

    @property
    def ends(self) -> list[int]:
        """How many parts there are each time that somebody reads some."""
        parts = enumerate(self.longest.operands, 1)
        own = [count for count, part in parts if self.others(part)]
        return sorted({*own, *(len(op.operands) for op in self.members)})

    def is_in_order(self) -> bool:
        """Return whether all parts up to one that is read are there before it is read."""
        made = -1
        counts = self.ends
        for first, last in zip([0, *counts], counts, strict=False):
            parts = self.longest.operands[first:last]
            made = max(made, *(self.place[op] for op in _owners(parts)))
            readers = [op for part in parts for op in self.others(part)]
            if any(self.place[op] <= made for op in readers):
                return False
        return True

    def write(self) -> None:
        """Replace the concatenations."""
        whole: SSAValue | None = None
        counts = self.ends
        for first, last in zip([0, *counts], counts, strict=False):
            readers = {part: self.others(part) for part in self.longest.operands[first:last]}
            whole = self._overlay(whole, first, last)
            for number, (part, ops) in enumerate(readers.items(), first):
                self._read(whole, part, ops, range(number, number + 1))
            for op in self.shorter:
                if len(op.operands) == last:
                    found = op.results[0]
                    self._read(whole, found, self.others(found), range(last))
        assert whole is not None
        self.longest.results[0].replace_all_uses_with(whole)
        for op in self.members:
            Rewriter.erase_op(op)

    def _overlay(self, before: SSAValue | None, first: int, last: int) -> SSAValue:
        """Insert the op that lays some more parts over those before; return what has all."""
        parts, starts = self.longest.operands[first:last], self.where.starts[first:last]
        inputs = parts if before is None else [before, *parts]
        op = OverlayOp.make(
            *inputs,
            axis=integer(self.where.axis),
            size=integer(shape(self.longest.results[0])[self.where.axis]),
            starts=integers(starts if before is None else [0, *starts]),
        )
        op.location = self.longest.location
        owners = set(_owners(inputs))
        behind = next(each for each in reversed(self._block.ops) if each in owners)
        Rewriter.insert_op(op, InsertPoint.after(behind))
        return op.results[0]

    @property
    def _block(self) -> Block:
        block = self.longest.parent
        assert block is not None
        return block

    def _read(
        self, whole: SSAValue, value: SSAValue, readers: Iterable[Operation], parts: range
    ) -> None:
        """Let each reader of a value read a slice of its own."""
        axis, starts = self.where.axis, self.where.starts
        last = parts[-1]
        stop = starts[last] + shape(self.longest.operands[last])[axis]
        for reader in readers:

            def insert(op: GraphOp, reader: Operation = reader) -> SSAValue:
                op.location = reader.location
                Rewriter.insert_op(op, InsertPoint.before(reader))
                return op.results[0]

            found = Composer(insert).part(whole, axis, starts[parts[0]], stop)
            for number, operand in enumerate(reader.operands):
                if operand is value:
                    reader.operands[number] = found
