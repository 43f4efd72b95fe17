"""Neighbours of a staged line that one thread computes and stores together.

Whether they are there is asked once, and where it can be, without a branch: a thread whose
neighbours are not there computes the first ones of the tile instead, and stores zeros. So the loads
of all rounds of a thread may be under way at the same time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import IsTerminator

from dlc.analysis.index_expression import constant_of
from dlc.analysis.staged_copy import computed_value
from dlc.dialects.loop import StageOp, StoreOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.stage import tile_index
from dlc.ir.space import buffer_type
from dlc.ir.tensor import compute_type
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop
from dlc.simt.region import RegionWriter

_FIRST = AffineExpr.constant(0)


@dataclass(frozen=True)
class StagedRun:
    """Run ``number`` of a line, of ``length`` neighbours."""

    scope: LoopScope
    stage: StageOp
    line: AffineExpr
    number: AffineExpr
    length: int

    def write(self) -> None:
        """Write the elements of the run, and the stores."""
        if self._condition is None:
            self._write_each(self.line, self.number, None)
            return
        inside = self._holds_at(self.line, self.number)
        if _is_true(self._holds_at(_FIRST, _FIRST)):
            line, number = (self._or_first(inside, at) for at in (self.line, self.number))
            self._write_each(line, number, inside)
        else:
            self._write_branches(inside)

    @cached_property
    def _value(self) -> tuple[SSAValue, scf.IfOp | None]:
        return computed_value(self.stage)

    @cached_property
    def _condition(self) -> SSAValue | None:
        branch = self._value[1]
        return None if branch is None else branch.cond

    def _writer(self, line: AffineExpr, place: AffineExpr) -> RegionWriter:
        arguments = self.stage.element.block.args
        return RegionWriter(self.scope, dict(zip(arguments, (line, place), strict=True)))

    def _holds_at(self, line: AffineExpr, number: AffineExpr) -> SSAValue:
        """Write whether the elements of a run are there."""
        writer = self._writer(line, number * self.length)
        writer.write(self._outer_ops)
        assert self._condition is not None
        return writer.value(self._condition)

    @property
    def _outer_ops(self) -> Sequence[Operation]:
        """The ops of the region around the branch."""
        ops = self.stage.element.block.ops
        return [op for op in ops if not isinstance(op, scf.IfOp) and not op.has_trait(IsTerminator)]

    def _or_first(self, inside: SSAValue, at: AffineExpr) -> AffineExpr:
        """Return an expression where the run is there, else zero."""
        interval, zero = self.scope.interval(at), self.scope.b.constant(0, IndexType())
        chosen = arith.SelectOp(inside, self.scope.index_value(at), zero)
        return self.scope.dim(self.scope.b.insert(chosen), interval)

    def _write_branches(self, inside: SSAValue) -> None:
        def write() -> Sequence[SSAValue]:
            with self.scope.branch_level():
                self._write_each(self.line, self.number, None)
            return ()

        def clear() -> Sequence[SSAValue]:
            with self.scope.branch_level():
                self._each(lambda at: self._store(self._zero(), at))
            return ()

        self.scope.b.branch(inside, write, clear)

    def _write_each(self, line: AffineExpr, number: AffineExpr, inside: SSAValue | None) -> None:
        """Write the elements of a run to the places of this one; zeros where not ``inside``."""

        def write(at: AffineExpr) -> None:
            writer = self._writer(line, number * self.length + at)
            writer.write(self._outer_ops)
            last, branch = self._value
            if branch is not None:
                inner = branch.true_region.block.ops
                writer.write(op for op in inner if not op.has_trait(IsTerminator))
            value = writer.value(last)
            if inside is not None:
                value = self.scope.b.insert(arith.SelectOp(inside, value, self._zero()))
            self._store(value, at)

        self._each(write)

    def _each(self, write: Callable[[AffineExpr], None]) -> None:
        open_loop(self.scope, self.length, LoopMap.VECTOR, write)

    def _zero(self) -> SSAValue:
        type = compute_type(buffer_type(self.stage.tile).element_type)
        return self.scope.b.constant(0, type)

    def _store(self, value: SSAValue, at: AffineExpr) -> None:
        writer = self._writer(self.line, self.number * self.length + at)
        slot = writer.composed(self.stage.slot.data.results, self.stage.indices)
        index = tile_index(self.stage.tile, slot, self.line, self.number * self.length + at)
        exprs, values = self.scope.resolve(index)
        self.scope.b.builder.insert(StoreOp(value, self.stage.tile, exprs, values))


def _is_true(condition: SSAValue) -> bool:
    """Return whether a condition is known to hold."""
    if isinstance(both := condition.owner, arith.AndIOp):
        return all(map(_is_true, both.operands))
    return bool(constant_of(condition))
