"""The end of an accumulator: each thread takes its elements through the region of a drain."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import IsTerminator, Pure

from dlc.analysis.neighbours import Neighbours
from dlc.core.affine import divisor_of
from dlc.dialects.loop import DrainOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.elements import ElementsOp
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator
from dlc.simt.elements import Piece, each_piece
from dlc.simt.region import RegionWriter


def drain(writer: RegionWriter, op: DrainOp, sums: Accumulator) -> None:
    """Write the loops over a thread's elements. writer: knows the values around the op."""

    def write(piece: Piece, ops: Sequence[Operation]) -> None:
        def load(number: AffineExpr) -> SSAValue:
            return sums.load(sums.buffer, piece.place(number))

        Run(piece.outer, op, piece.at, piece.length, load).write(ops)

    each_piece(writer, op, sums.each_row, write)


@dataclass(frozen=True)
class Run:
    """``length`` neighbours of a row from column ``at`` on, all of which are there.

    load: writes the code that gives one of them, by its number.
    """

    outer: RegionWriter
    op: ElementsOp
    at: AffineExpr
    length: int
    load: Callable[[AffineExpr], SSAValue]

    def write(self, ops: Sequence[Operation]) -> None:
        """Write the ops for each neighbour. A condition that is the same for all stands around a
        loop of its own, so that what it holds is about neighbours, too.
        """
        alone = [op for op in ops if isinstance(op, scf.IfOp) and self._is_decided_once(op)]
        together = [op for op in ops if op not in alone]
        if not alone or any(not op.has_trait(Pure) for op in together):
            self._write_each(_needed(together, ops) if alone else ops)
        for branch in alone:
            self._write_branch(branch, ops)

    def _write_branch(self, branch: scf.IfOp, ops: Sequence[Operation]) -> None:
        """Write a loop of what a branch of ``ops`` holds."""
        first, body = self.outer.inner({self._column: self.at}), list(branch.true_region.block.ops)
        first.write(_needed([branch.cond.owner], ops))
        taken = [*_needed(body, ops), *body]
        self.outer.scope.where(first.value(branch.cond), lambda: self._write_each(taken))

    def _write_each(self, ops: Sequence[Operation]) -> None:
        scope, value = self.outer.scope, self.op.body.block.args[2]

        def write_one(number: AffineExpr) -> None:
            with scope.branch_level():
                column = {self._column: self.at + number}
                self.outer.inner(column, {value: self.load(number)}).write(
                    op for op in ops if not op.has_trait(IsTerminator)
                )

        open_loop(scope, self.length, LoopMap.VECTOR, write_one)

    @property
    def _column(self) -> SSAValue:
        return self.op.body.block.args[1]

    @cached_property
    def _neighbours(self) -> Neighbours | None:
        """What these columns have in common; ``None`` where they are no aligned run."""
        start = divisor_of(self.at, (), self.outer.scope.ranges)
        if self.length == 1 or start % self.length:
            return None
        return Neighbours(self.op.body.block.args[1], self.length, self.op.limits)

    def _is_decided_once(self, branch: scf.IfOp) -> bool:
        runs, is_plain = self._neighbours, not branch.results and not branch.false_region.blocks
        return is_plain and runs is not None and runs.is_decided_once(branch.cond)


def _needed(wanted: Iterable[object], ops: Sequence[Operation]) -> list[Operation]:
    """Return those of ``ops`` that are wanted, or that such ops read, in order."""
    found = set[object]()

    def want(op: object) -> None:
        if isinstance(op, Operation):
            found.add(op)
            found.update(v.owner for inner in op.walk() for v in inner.operands)

    for op in wanted:
        want(op)
    for op in reversed(ops):
        if op in found:
            want(op)
    return [op for op in ops if op in found]
